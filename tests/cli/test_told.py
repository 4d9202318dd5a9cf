"""What commands say of the files that they wrote."""

from __future__ import annotations

from pathlib import Path

from osmofuse.cli.told import file_data, file_lines


def test_paths_stand_below_each_other():
    files = {"output": Path("a.tif"), "foreground": Path("b.tif")}
    assert file_lines(files) == ["  output     a.tif", "  foreground b.tif"]
    assert file_data(files) == {"output": "a.tif", "foreground": "b.tif"}
