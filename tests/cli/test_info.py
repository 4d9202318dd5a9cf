from __future__ import annotations

import json

import numpy as np
import pytest
from click.testing import CliRunner

import osmofuse
from osmofuse import cli
from osmofuse.picture import Metadata, Picture
from pairs import osmofuse_in, write_pair


@pytest.fixture
def folder(tmp_path, monkeypatch):
    write_pair(tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def info(*arguments):
    return CliRunner().invoke(cli.commands, ["info", *arguments])


def test_it_says_what_is_in_a_file_and_what_would_become_of_it(folder):
    text = info("visible.tif").stdout
    assert "visible.tif: TIFF, 32 × 40 pixels, 3 bands, uint16" in text
    assert "colour profile: none" in text
    assert "as foreground: the output is uint16 with 3 bands" in text
    assert "GB" in text or "MB" in text
    assert "as background: its structure enters every channel" in info("infrared.tif").stdout


def test_the_resolution_is_told_across_first(folder):
    metadata = Metadata(resolution=(2.0, 4.0))
    osmofuse.write(Picture(np.zeros((3, 4), np.uint8), metadata=metadata), folder / "small.tif")
    assert "resolution: 4 × 2 pixels per mm" in info("small.tif").stdout


def test_of_several_files_it_says_whether_they_fit(folder):
    assert "All have the same size" in info("visible.tif", "infrared.tif", "map.png").stdout
    osmofuse.write(np.zeros((3, 4), np.uint8), folder / "small.png")
    assert "not of one size" in info("visible.tif", "small.png").stdout


def test_json_has_an_object_for_each_file(folder):
    first, second = json.loads(info("visible.tif", "map.png", "--json").stdout)
    assert (first["path"], first["format"], first["bands"]) == ("visible.tif", "tiff", 3)
    assert (second["rows"], second["cols"], second["depth"]) == (40, 32, "uint8")
    assert first["problem"] is None
    assert first["need"]["bytes"] > second["need"]["bytes"]


def test_json_has_no_numbers_that_json_does_not_know(folder):
    empty = osmofuse.Picture(np.ones((3, 4), np.float32), nodata=float("nan"))
    osmofuse.write(empty, folder / "map.tif")
    text = info("map.tif", "--json").stdout
    assert "NaN" not in text
    assert json.loads(text)[0]["nodata"] == "nan"


def test_a_name_that_lies_is_told(folder):
    (folder / "map.png").rename(folder / "map.tif")
    assert "its name says tiff; its content decides, and is png" in info("map.tif").stdout


def test_a_file_that_cannot_be_read_is_named_and_the_others_are_described(folder):
    (folder / "bad.tif").write_bytes(b"II*\0")
    done = osmofuse_in(folder, "info", "bad.tif", "visible.tif", "gone.png")
    assert done.returncode == 3
    assert "bad.tif: " in done.stderr
    assert "gone.png: no such file" in done.stderr
    assert "visible.tif: TIFF" in done.stdout


def test_without_files_it_is_wrong_usage(folder):
    assert info().exit_code == 2
