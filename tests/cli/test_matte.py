from __future__ import annotations

import json

import numpy as np
import pytest
from click.testing import CliRunner

import osmofuse
from osmofuse import cli
from osmofuse.maps import trimap_of_mask
from pairs import osmofuse_in

INSIDE = np.indices((24, 30))[1] >= 13


@pytest.fixture
def folder(tmp_path, monkeypatch):
    image = np.where(INSIDE, 200, 40).astype(np.uint8)
    trimap = np.round(trimap_of_mask(INSIDE, 5) * 255).astype(np.uint8)
    osmofuse.write(image, tmp_path / "image.png")
    osmofuse.write(trimap, tmp_path / "trimap.png")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def matte(*arguments):
    return CliRunner().invoke(cli.commands, ["matte", *arguments])


def test_it_writes_the_map_and_says_where(folder):
    done = matte("image.png", "trimap.png", "-o", "alpha.png", "--preview", "look.png")
    assert done.exit_code == 0, done.output
    assert "Found the map in 33.3% of the picture." in done.stdout
    assert "output  alpha.png" in done.stdout
    assert np.array_equal(osmofuse.read("alpha.png").pixels == 65535, INSIDE)
    assert (folder / "look.png").exists()


def test_json_has_files_notes_and_numbers(folder):
    done = matte("image.png", "trimap.png", "-o", "a.tif", "--json", "--max-pixels", "200")
    told = json.loads(done.stdout)
    assert told["files"] == {"output": "a.tif", "record": "a.tif.json"}
    assert told["record"]["method"]["name"] == "matte"
    assert told["unknown"] == pytest.approx(1 / 3)
    assert "copy reduced 2 times" in told["notes"][0]
    assert "Note: found on a copy" in done.stderr


def test_a_report_goes_along(folder):
    done = matte("image.png", "trimap.png", "-o", "alpha.png", "--report", "look")
    assert done.exit_code == 0, done.output
    assert "look/index.html" in done.stdout
    names = {path.stem for path in (folder / "look" / "pictures").iterdir()}
    assert names == {"picture", "trimap", "alpha-map", "overlay", "cut-out"}
    again = matte("image.png", "trimap.png", "-o", "other.png", "--report", "look")
    assert isinstance(again.exception, osmofuse.OutputError)
    assert not (folder / "other.png").exists(), "told before the work"


def test_a_dry_run_says_what_it_needs_and_a_limit_is_kept(folder):
    told = json.loads(matte("image.png", "trimap.png", "-o", "a.tif", "--dry-run", "--json").stdout)
    assert told["need"]["bytes"] > 10**8
    done = matte("image.png", "trimap.png", "-o", "a.tif", "--max-memory", "1M")
    assert done.exception.exit_code == 6
    assert "finding its map needs about" in str(done.exception)
    assert not (folder / "a.tif").exists()


@pytest.mark.parametrize(
    ("option", "value", "range_"),
    [
        ("--edge", "1e9", "a number from 0 to 10000"),
        ("--edge", "nan", "a number from 0 to 10000"),
        ("--max-pixels", "0", "a whole number from 1 to 1000000000"),
        ("--max-pixels", "1" * 30, "a whole number from 1 to 1000000000"),
    ],
)
def test_numbers_have_a_range(folder, option, value, range_):
    done = matte("image.png", "trimap.png", "-o", "a.tif", option, value)
    assert isinstance(done.exception, osmofuse.SettingError)
    assert str(done.exception).endswith(f"must be {range_}")


def test_not_converging_is_5(folder, monkeypatch):
    monkeypatch.setattr("osmofuse.maps.least_variation.MAX_ITER", 1)
    done = matte("image.png", "trimap.png", "-o", "alpha.png")
    assert done.exit_code == 5
    assert "did not converge" in done.stderr
    assert (folder / "alpha.png").exists()
    told = matte("image.png", "trimap.png", "-o", "other.png", "--json")
    assert (told.exit_code, json.loads(told.stdout)["status"]) == (5, "max_iter")


def test_errors_end_with_their_code(folder):
    for arguments, code in (
        (("image.png", "image.png", "-o", "a.tif"), 2),
        (("no.png", "trimap.png", "-o", "a.tif"), 3),
        (("image.png", "trimap.png", "-o", "image.png"), 7),
    ):
        assert osmofuse_in(folder, "matte", *arguments).returncode == code
    assert matte("image.png", "trimap.png").exit_code == 2


def test_an_edge_in_per_cent_is_asked_for_in_pixels(folder):
    done = matte("image.png", "trimap.png", "-o", "a.tif", "--edge", "2%")
    assert done.exit_code == 2
    assert "'2%' is not a number; give a number of pixels." in done.stderr
