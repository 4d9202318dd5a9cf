"""What commands say of the files that they wrote."""

from __future__ import annotations

from pathlib import Path

from osmofuse.cli.told import file_data, file_lines, with_report


def test_paths_stand_below_each_other():
    files = {"output": Path("a.tif"), "foreground": Path("b.tif")}
    assert file_lines(files) == ["  output     a.tif", "  foreground b.tif"]
    assert file_data(files) == {"output": "a.tif", "foreground": "b.tif"}


def test_a_report_is_written_where_a_folder_is_given():
    files = {"output": Path("a.tif")}
    assert with_report(files, None, Path.absolute) == files
    assert with_report(files, Path("look"), lambda folder: folder / "index.html") == {
        "output": Path("a.tif"),
        "report": Path("look/index.html"),
    }
