"""Alignment from files to files: what the command does not ask for."""

from dataclasses import replace

import numpy as np
import pytest
from PIL import Image

import osmofuse
from osmofuse import gallery
from osmofuse.jobs import AlignJob, FuseJob
from osmofuse.jobs.need import START_SECONDS
from osmofuse.pixels import quantise
from osmofuse.record import read_record
from osmofuse.registration import Quality
from osmofuse.registration.align import alignment_cost
from osmofuse.report.layers import file_names


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("files")
    pixels = quantise(gallery.manuscript((160, 130), seed=4).truth, np.uint8)[0]
    return [
        osmofuse.write(pixels, folder / "foreground.png"),
        osmofuse.write(pixels[5:], folder / "background.png"),
    ]


def test_the_record_has_the_transform_with_its_field(files, tmp_path):
    job = AlignJob(*files, tmp_path / "aligned.tif", deformation=True)
    result = job.run()
    assert result.status == "converged"
    record = read_record(tmp_path / "aligned.tif.json")
    assert record.job == "align"
    assert [one.role for one in record.inputs] == ["foreground", "background"]
    assert record.method["settings"]["deformation"] is True
    assert np.shape(record.transform["matrix"]) == (3, 3)
    bent = result.alignment.transform.deformation
    assert (record.transform["deformation"] is None) == (bent is None)
    assert record.result["quality"]["agreement"] > 0.9
    assert record.result["level"] == "good"
    assert record.result["error"] == result.alignment.quality.figure < 0.5


def test_an_alignment_to_be_looked_at_is_noted(files, tmp_path, monkeypatch):
    def doubtful(*given, **settings):
        return replace(osmofuse.align(*given, **settings), quality=Quality("look closely", 1.25))

    monkeypatch.setattr("osmofuse.jobs.align.align", doubtful)
    monkeypatch.setattr("osmofuse.tasks.aligned.align", doubtful)
    (note,) = AlignJob(*files, tmp_path / "aligned.tif", transform="translation").run().notes
    assert "background.png: look closely at the alignment" in note
    assert "about 1.2 pixels" in note
    job = FuseJob(*files, output=tmp_path / "fused.tif", align={"transform": "translation"})
    assert any("look closely" in note for note in job.run().notes)


def test_an_alignment_is_shown_with_its_way_back(files, tmp_path):
    job = AlignJob(*files, tmp_path / "a.tif", transform="translation", report=tmp_path / "report")
    text = job.run().files["report"].read_text(encoding="utf-8")
    assert "background.png, aligned to foreground.png" in text
    names = {path.stem for path in (tmp_path / "report" / "pictures").iterdir()}
    assert names == set(file_names(["Foreground", "Aligned", "Checkerboard"]))
    assert f"osmofuse align --from {tmp_path / 'a.tif.json'} -o" in text


@pytest.mark.parametrize("suffix", [".png", ".webp"])
@pytest.mark.parametrize(
    ("fixed", "moving", "shown"),
    [
        ((3, 2), (3, 2), (126, 84)),
        ((3, 2), (40, 50), (126, 84)),
        ((200, 90), (5, 4), (200, 90)),
        ((1700, 1000), (90, 1700), (850, 500)),
        ((3, 5000), (3, 2), (1, 1250)),
    ],
)
def test_a_preview_can_be_seen_whatever_the_sizes(tmp_path, rng, suffix, fixed, moving, shown):
    names = [
        osmofuse.write(rng.integers(0, 256, shape, np.uint8), tmp_path / f"{k}.png")
        for k, shape in enumerate((fixed, moving))
    ]
    points = tmp_path / "points.csv"
    points.write_text("background_x,background_y,foreground_x,foreground_y\n0,0,0,0\n")
    preview = tmp_path / f"look{suffix}"
    job = AlignJob(
        *names, tmp_path / "a.tif", method="points", points=points, transform="translation",
        preview=preview,
    )  # fmt: skip
    assert job.run().status == "direct"
    with Image.open(preview) as picture:
        assert picture.size == shown[::-1]


def test_a_flicker_shows_the_foreground_where_there_is_no_data(tmp_path, rng):
    names = [
        osmofuse.write(rng.integers(0, 256, shape, np.uint8), tmp_path / f"{shape[0]}.png")
        for shape in ((150, 130), (145, 130))
    ]
    points, preview = tmp_path / "points.csv", tmp_path / "look.webp"
    points.write_text("background_x,background_y,foreground_x,foreground_y\n0,0,0,5\n")
    settings = {"method": "points", "points": points, "transform": "translation"}
    AlignJob(*names, tmp_path / "a.tif", preview=preview, **settings).run()
    with Image.open(preview) as picture:
        there = np.asarray(picture.convert("RGB"))
        picture.seek(1)
        here = np.asarray(picture.convert("RGB"))
    np.testing.assert_array_equal(here[:5], there[:5])
    assert (here[5:] != there[5:]).any()


def test_a_large_background_is_counted(tmp_path):
    small, large = (
        osmofuse.write(np.zeros((side, side), np.uint8), tmp_path / f"{side}.png")
        for side in (20, 500)
    )
    need = AlignJob(small, large, tmp_path / "a.tif").check()
    assert need.seconds >= START_SECONDS + alignment_cost(500 * 500)[1]


def test_a_refusal_writes_nothing(files, tmp_path):
    flat = osmofuse.write(np.full((90, 80), 128, np.uint8), tmp_path / "flat.png")
    job = AlignJob(files[0], flat, tmp_path / "a.tif", report=tmp_path / "report")
    result = job.run()
    assert result.status == "refused"
    assert result.alignment.reason
    assert (result.record, result.files) == (None, {})
    assert [path.name for path in tmp_path.iterdir()] == ["flat.png"]


def test_a_picture_without_data_is_named(files, tmp_path):
    nothing = osmofuse.Picture(np.zeros((90, 80), np.uint8), nodata=0.0)
    empty = osmofuse.write(nothing, tmp_path / "empty.tif")
    with pytest.raises(osmofuse.InputError, match=r"empty\.tif: every pixel holds the no-data"):
        AlignJob(files[0], empty, tmp_path / "a.tif").run()
