"""``osmofuse align``: from files to files, and nothing where it is refused."""

import json

import numpy as np
import pytest
from click.testing import CliRunner

import osmofuse
from osmofuse import cli, gallery
from osmofuse.errors import MismatchError, OutputError
from osmofuse.picture import Metadata
from osmofuse.pixels import quantise
from osmofuse.record import read_record, sha256_of_pixels

SHIFT = (6, 9)


@pytest.fixture(scope="module")
def pictures():
    page = gallery.manuscript((200, 160), seed=4)
    return quantise(page.background, np.uint16)[0], quantise(page.foreground, np.uint8)[0]


@pytest.fixture
def folder(tmp_path, pictures, monkeypatch):
    """Make a folder with an infrared picture that is cut off above and at the left."""
    infrared, visible = pictures
    background = osmofuse.Picture(
        infrared[SHIFT[0] :, SHIFT[1] :], metadata=Metadata(resolution=(20.0, 20.0))
    )
    osmofuse.write(background, tmp_path / "infrared.tif")
    foreground = osmofuse.Picture(visible, metadata=Metadata(resolution=(40.0, 40.0)))
    osmofuse.write(foreground, tmp_path / "visible.tif")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(*arguments):
    return CliRunner().invoke(cli.commands, ["align", *map(str, arguments)])


def test_the_background_is_written_in_the_foregrounds_frame(folder, pictures):
    done = run(
        "visible.tif", "infrared.tif", "-o", "aligned.tif", "--transform", "translation",
        "--valid-out", "valid.png", "--preview", "board.png",
    )  # fmt: skip
    assert done.exit_code == 0, done.output
    assert "Quality: good, error about" in done.output
    assert "places fit" in done.output
    aligned, valid = osmofuse.read("aligned.tif"), osmofuse.read("valid.png").pixels
    assert (aligned.shape, aligned.depth) == ((200, 160), np.uint16)
    assert aligned.metadata.resolution == pytest.approx((40, 40))
    assert aligned.nodata == 0
    assert not valid[: SHIFT[0] - 1].any()
    assert (valid[SHIFT[0] + 1 :, SHIFT[1] + 1 :] == 255).all()
    inner = np.s_[20:-20, 20:-20]
    off, before = (
        np.abs(picture[inner].astype(float) - pictures[0][inner]).mean()
        for picture in (aligned.pixels, np.roll(pictures[0], SHIFT, (0, 1)))
    )
    assert off < 0.2 * before
    assert osmofuse.read("board.png").shape == (200, 160)
    record = read_record("aligned.tif.json")
    assert [one.role for one in record.inputs] == ["foreground", "background"]
    np.testing.assert_allclose(
        record.transform["matrix"], [[1, 0, SHIFT[1]], [0, 1, SHIFT[0]], [0, 0, 1]], atol=0.2
    )


def test_points_a_flicker_and_json(folder):
    places = np.array([[10, 10], [120, 20], [30, 150], [120, 180]])
    lines = [f"{x},{y},{x + SHIFT[1]},{y + SHIFT[0]}" for x, y in places]
    header = "background_x,background_y,foreground_x,foreground_y"
    (folder / "points.csv").write_text("\n".join([header, *lines]))
    done = run(
        "visible.tif", "infrared.tif", "-o", "aligned.png", "--points", "points.csv",
        "--method", "points", "--preview", "flicker.webp", "--json",
    )  # fmt: skip
    assert done.exit_code == 0, done.output
    told = json.loads(done.stdout)
    assert told["status"] == "direct"
    assert told["record"]["result"]["quality"]["points"] == 4
    assert set(told["files"]) == {"output", "preview", "record"}
    assert (folder / "flicker.webp").stat().st_size > 1000


def test_points_that_nothing_confirms_are_taken_only_by_request(folder):
    osmofuse.write(np.full((40, 40), 90, np.uint8), folder / "flat.tif")
    lines = ["background_x,background_y,foreground_x,foreground_y"]
    lines += ["1,2,1,2", "30,2,30,2", "1,30,1,30", "30,30,30,30"]
    (folder / "points.csv").write_text("\n".join(lines))
    given = ("flat.tif", "flat.tif", "-o", "aligned.tif", "--points", "points.csv")
    done = run(*given)
    assert isinstance(done.exception, MismatchError)
    assert "with --method points" in str(done.exception)
    done = run(*given, "--method", "points")
    assert done.exit_code == 0, done.output
    assert "look closely, error unknown" in done.stdout


def test_a_report_goes_along(folder):
    given = ("visible.tif", "infrared.tif", "-o", "aligned.tif", "--transform", "translation")
    done = run(*given, "--report", "look", "--json")
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout)["files"]["report"] == "look/index.html"
    names = {path.stem for path in (folder / "look" / "pictures").iterdir()}
    assert names == {"foreground", "aligned", "checkerboard"}
    text = (folder / "look" / "index.html").read_text("utf-8")
    assert "osmofuse align --from" in text
    again = run("visible.tif", "infrared.tif", "-o", "other.tif", "--report", "look")
    assert isinstance(again.exception, osmofuse.OutputError)
    assert not (folder / "other.tif").exists(), "told before the work"


def test_a_refusal_writes_nothing_and_says_why(folder):
    osmofuse.write(np.full((90, 80), 99, np.uint8), "flat.png")
    done = run("visible.tif", "flat.png", "-o", "aligned.tif", "--json", "--report", "look")
    assert not (folder / "look").exists()
    assert isinstance(done.exception, MismatchError)
    assert done.exception.exit_code == 4
    assert "refused to align it to visible.tif: nothing was found" in str(done.exception)
    assert json.loads(done.stdout)["status"] == "refused"
    assert not list(folder.glob("aligned*"))
    assert run("visible.tif", "flat.png", "-o", "aligned.tif").stdout == ""


def test_what_exists_is_kept(folder):
    (folder / "aligned.tif").write_text("mine")
    done = run("visible.tif", "infrared.tif", "-o", "aligned.tif")
    assert isinstance(done.exception, osmofuse.OutputError)
    assert (folder / "aligned.tif").read_text() == "mine"
    done = run("visible.tif", "infrared.tif", "-o", "infrared.tif", "--overwrite")
    assert "would replace the input" in str(done.exception)


def test_transparency_moves_along(folder, pictures):
    rgba = np.dstack([pictures[1][5:], np.full((195, 160), 255, np.uint8)])
    osmofuse.write(osmofuse.Picture(rgba, transparency=True), "cut.tif")
    done = run("visible.tif", "cut.tif", "-o", "aligned.tif", "--transform", "translation")
    assert done.exit_code == 0, done.output
    aligned = osmofuse.read("aligned.tif")
    assert aligned.transparency
    assert not aligned.pixels[:4, :, 3].any()
    assert (aligned.pixels[8:-8, 8:-8, 3] == 255).all()


def test_a_dry_run_says_what_it_needs_and_a_limit_is_kept(folder):
    pair = ("visible.tif", "infrared.tif", "-o", "a.tif")
    told = json.loads(run(*pair, "--dry-run", "--json").stdout)
    assert told["need"]["bytes"] > 10**8
    done = run(*pair, "--max-memory", "1M")
    assert done.exception.exit_code == 6
    assert "aligning it needs about" in str(done.exception)
    assert not (folder / "a.tif").exists()


def test_a_dry_run_refuses_what_the_work_would(folder):
    (folder / "look").mkdir()
    (folder / "look" / "index.html").write_text("mine")
    done = run("visible.tif", "infrared.tif", "-o", "a.tif", "--report", "look", "--dry-run")
    assert isinstance(done.exception, osmofuse.OutputError)


@pytest.mark.parametrize("name", ["aligned.png", "aligned.webp"])
def test_no_data_survives_as_transparency(folder, name):
    depth = np.uint8 if name.endswith("webp") else np.uint16
    infrared = osmofuse.read("infrared.tif").pixels
    colours = np.repeat(infrared[..., None], 3, axis=2) if depth == np.uint8 else infrared
    osmofuse.write(quantise(colours / 65535, depth)[0], "moved.png")
    for output in ("aligned.tif", name):
        given = ("visible.tif", "moved.png", "--transform", "translation", "-o", output)
        assert run(*given).exit_code == 0
    stored, transparent = osmofuse.read("aligned.tif"), osmofuse.read(name)
    assert 0 < np.count_nonzero(~stored.valid) < stored.valid.size
    np.testing.assert_array_equal(transparent.valid, stored.valid)
    np.testing.assert_array_equal(transparent.colour, stored.colour)
    record = read_record(f"{name}.json")
    assert record.output["sha256_of_pixels"] == sha256_of_pixels(transparent.pixels)
    ready = [osmofuse.prepare(osmofuse.read("visible.tif"), one) for one in (stored, transparent)]
    assert ready[0].notes == ready[1].notes
    assert "hold no data" in ready[0].notes[0]
    first, second = (osmofuse.fuse(one) for one in ready)
    np.testing.assert_array_equal(first.image, second.image)


def test_no_data_is_refused_where_there_is_no_place_for_it(folder):
    osmofuse.write((osmofuse.read("infrared.tif").pixels >> 8).astype(np.uint8), "moved.png")
    given = ("visible.tif", "moved.png", "--transform", "translation", "-o", "aligned.jpg")
    error = run(*given).exception
    assert isinstance(error, OutputError)
    assert "pixels hold no data, and JPEG has no place for that; write .tif, or .png" in str(error)
    assert not (folder / "aligned.jpg").exists()
