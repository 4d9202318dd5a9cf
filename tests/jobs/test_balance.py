from __future__ import annotations

import numpy as np
import pytest

import osmofuse
from osmofuse import BalanceJob, gallery
from osmofuse.errors import LimitError, MismatchError, SettingError
from osmofuse.pixels import quantise
from osmofuse.record import read_record
from pairs import contents


@pytest.fixture
def shots(tmp_path):
    """Return the files of overlapping shots, and their places."""
    panels = gallery.shots((60, 80), seed=1).panels
    files = [
        osmofuse.write(quantise(one.picture, np.uint16)[0], tmp_path / f"shot-{k}.tif")
        for k, one in enumerate(panels)
    ]
    return files, tuple((one.top, one.left) for one in panels)


def test_files_give_the_same_pixels_as_arrays(shots, tmp_path):
    files, places = shots
    job = BalanceJob(tuple(files), places, output=tmp_path / "mosaic.tif", report=tmp_path / "page")
    result = job.run()
    task = osmofuse.balance([osmofuse.read(path) for path in files], places)
    made = osmofuse.read(result.files["output"]).pixels
    assert np.array_equal(made, task.picture()[0].pixels)
    record = read_record(result.files["record"])
    assert [one.role for one in record.inputs] == ["image", *(f"image-{k}" for k in range(2, 7))]
    assert record.method["settings"]["places"] == [list(place) for place in places]
    assert result.notes == tuple(record.method["notes"]) == task.notes
    page = result.files["report"].read_text(encoding="utf-8")
    assert "Pasted" in page


def test_areas_without_data_are_written_as_such(shots, tmp_path):
    files, _ = shots
    job = BalanceJob(tuple(files[:2]), ((0, 0), (9, 20)), output=tmp_path / "mosaic.tif")
    job.run()
    valid = osmofuse.read(tmp_path / "mosaic.tif").valid
    assert not valid[-1, 0]
    assert not valid[0, -1]
    assert valid[0, 0]


def test_pictures_that_do_not_fit_are_named_by_their_files(shots, tmp_path):
    files, _ = shots
    wrong = osmofuse.write(np.full((9, 9), 7, np.uint8), tmp_path / "eight.tif")
    before = contents(tmp_path)
    cases = [
        ((files[0], wrong), ((0, 0), (0, 5)), MismatchError, "eight.tif: uint8"),
        ((files[0], files[1]), ((0, 0), (900, 0)), MismatchError, "shot-1.tif: neither overlaps"),
        ((files[0], files[1]), None, MismatchError, "shot-1.tif: .* give places"),
        ((files[0], files[1]), ((0, 0), (10**8, 10**8)), LimitError, "places: span"),
    ]
    for images, given, kind, words in cases:
        with pytest.raises(kind, match=words):
            BalanceJob(images, given, output=tmp_path / "out.tif").run()
    assert contents(tmp_path) == before


@pytest.mark.parametrize(
    ("changes", "name"),
    [({"images": ()}, "images"), ({"places": ((0, 0),)}, "places"),
     ({"places": ((0, 0), (1, "x"))}, "places"), ({"reference": 2}, "reference")],
)  # fmt: skip
def test_settings_are_checked(changes, name):
    parts = {"images": ("a.tif", "b.tif"), "output": "out.tif"} | changes
    with pytest.raises(SettingError, match=rf"^{name}"):
        BalanceJob(**parts)
