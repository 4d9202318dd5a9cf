"""Places where files are to be written."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from osmofuse.errors import OutputError
from osmofuse.io import check_distinct, check_target
from osmofuse.io.journal import own_path


@pytest.mark.parametrize("name", ["", ".", "..", "/", "sub/.."])
def test_a_folder_is_no_file(tmp_path, monkeypatch, name):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "sub").mkdir()
    with pytest.raises(OutputError, match="is a folder; add a name"):
        check_target(Path(name))


@pytest.mark.parametrize("name", ["a\0b.tif", "\ud800.tif"])
def test_what_no_file_can_be_called(tmp_path, name):
    with pytest.raises(OutputError, match="cannot be a name"):
        check_target(tmp_path / name)


def test_a_name_that_is_too_long(tmp_path):
    with pytest.raises(OutputError, match=r"name too long\); choose a shorter name"):
        check_target(tmp_path / ("x" * 256))
    check_target(tmp_path / ("x" * 255))


def test_two_outputs_in_one_place_are_refused_however_it_is_spelled(tmp_path):
    (tmp_path / "sub").mkdir()
    (tmp_path / "way").symlink_to(tmp_path)
    here = tmp_path / "p.tif"
    for there in (tmp_path / "sub" / ".." / "p.tif", tmp_path / "way" / "p.tif", here):
        with pytest.raises(OutputError, match="would be both output and structure"):
            check_distinct([("output", here), ("structure", there)])
    here.write_text("there")
    os.link(here, tmp_path / "hard.tif")
    (tmp_path / "soft.tif").symlink_to("p.tif")
    for name in ("hard.tif", "soft.tif"):
        with pytest.raises(OutputError, match="would be both output and structure"):
            check_distinct([("output", here), ("structure", tmp_path / name)])
    check_distinct([("output", here), ("structure", tmp_path / "q.tif")])


def test_an_output_is_not_the_folder_of_another(tmp_path):
    (tmp_path / "way").symlink_to(tmp_path)
    page = [("part of the report", tmp_path / "way" / "p.tif" / "pictures" / "fused.png")]
    with pytest.raises(OutputError, match=r"cannot lie below .*p\.tif, which is to be output"):
        check_distinct([("output", tmp_path / "p.tif"), *page])
    with pytest.raises(OutputError, match="cannot lie below"):
        check_distinct([*page, ("output", tmp_path / "p.tif")])
    check_distinct([("output", tmp_path / "p.ti"), *page])


def test_an_input_that_recovery_would_remove_is_refused(tmp_path):
    path = tmp_path / "a.tif"
    given = own_path(path, "aside")
    given.touch()
    with pytest.raises(OutputError, match="would replace the input"):
        check_target(path, inputs=[given])
    check_target(tmp_path / "b.tif", inputs=[given])
