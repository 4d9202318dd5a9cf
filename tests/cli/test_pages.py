"""``--page`` on every command that reads: once for all pictures, or once for each."""

from __future__ import annotations

import json

import numpy as np
import pytest
import tifffile
from click.testing import CliRunner

import osmofuse
from osmofuse import cli
from pairs import write_pair


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Return a folder with a pair, and a file whose pages are the visible and infrared picture."""
    pair = write_pair(tmp_path)
    with tifffile.TiffWriter(tmp_path / "both.tif") as file:
        for name in ("visible", "infrared"):
            file.write(osmofuse.read(pair[name]).pixels, metadata=None)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def invoke(*arguments):
    return CliRunner().invoke(cli.commands, [*map(str, arguments)])


def inputs(path):
    record = json.loads(path.read_text(encoding="utf-8"))
    return [(one["role"], one.get("page")) for one in record["inputs"]]


def test_fusing_pages_of_one_file_is_fusing_the_pictures(folder):
    plain = invoke("fuse", "visible.tif", "infrared.tif", "-o", "plain.tif")
    paged = invoke("fuse", "both.tif", "both.tif", "--page", 1, "--page", 2, "-o", "paged.tif")
    assert (plain.exit_code, paged.exit_code) == (0, 0)
    np.testing.assert_array_equal(
        osmofuse.read("plain.tif").pixels, osmofuse.read("paged.tif").pixels
    )
    assert "pages" not in paged.stderr
    assert inputs(folder / "paged.tif.json") == [("foreground", 1), ("background", 2)]
    again = invoke("fuse", "--from", "paged.tif.json", "-o", "again.tif")
    assert "bit for bit" in again.stdout
    assert inputs(folder / "again.tif.json") == inputs(folder / "paged.tif.json")


def test_without_it_the_first_page_is_read_and_noted(folder):
    done = invoke("fuse", "both.tif", "infrared.tif", "-o", "out.tif")
    assert "both.tif: has 2 pages, of which page 1 is read; --page N reads another" in done.stderr
    assert inputs(folder / "out.tif.json") == [("foreground", 1), ("background", 1)]


def test_a_recipe_takes_the_size_of_the_page(folder):
    arguments = ("both.tif", "both.tif", "--page", 1, "--page", 2, "--recipe", "text")
    assert invoke("fuse", *arguments, "-o", "out.tif").exit_code == 0


@pytest.mark.parametrize(
    ("arguments", "roles"),
    [
        (("align", "both.tif", "both.tif", "-o", "out.tif"), ("fixed", "moving")),
        (("matte", "visible.tif", "trimap.tif", "-o", "out.tif"), ("image", "trimap")),
    ],
)
def test_alignments_and_mattes(folder, arguments, roles):
    trimap = np.full((40, 32), 128, np.uint8)
    trimap[:15], trimap[25:] = 0, 255
    with tifffile.TiffWriter(folder / "trimap.tif") as file:
        file.write(np.zeros((40, 32), np.uint8), metadata=None)
        file.write(trimap, metadata=None)
    done = invoke(*arguments, "--page", 1, "--page", 2)
    if arguments[0] == "matte":
        assert done.exit_code == 0, done.output
        assert inputs(folder / "out.tif.json") == [(roles[0], 1), (roles[1], 2)]
    else:  # so small a pair is refused, but its pages were found
        assert done.exit_code == 0 or isinstance(done.exception, osmofuse.MismatchError)


@pytest.mark.parametrize("command", ["compare", "sweep"])
def test_series(folder, command):
    some = ("--methods", "direct") if command == "compare" else ("--eta", "0.1", "--mu", "100")
    done = invoke(
        command, "both.tif", "both.tif", "--page", 1, "--page", 2, *some, "-o", folder / "made"
    )
    assert done.exit_code == 0, done.output
    name = {"compare": "comparison.json", "sweep": "sweep.json"}[command]
    assert inputs(folder / "made" / name) == [("foreground", 1), ("background", 2)]


def test_scores(folder):
    plain = invoke("score", "visible.tif", "visible.tif", "infrared.tif", "--json")
    paged = invoke("score", "both.tif", "both.tif", "both.tif", "--json",
                   *("--page", 1, "--page", 1, "--page", 2))  # fmt: skip
    assert json.loads(paged.stdout) == json.loads(plain.stdout)


def test_info(folder):
    assert "uint16" in invoke("info", "both.tif").stdout
    assert "2, of which this is page 1; --page N reads another" in invoke("info", "both.tif").stdout
    first, second = json.loads(
        invoke("info", "both.tif", "both.tif", "--page", 1, "--page", 2, "--json").stdout
    )
    assert (first["page"], first["bands"]) == (1, 3)
    assert (second["page"], second["bands"]) == (2, 1)


@pytest.mark.parametrize("page", ["0", "-1", "x", "3", "1.5"])
def test_what_is_no_page(folder, page):
    done = invoke("fuse", "both.tif", "both.tif", "--page", page, "-o", "out.tif")
    assert done.exit_code == 2 or isinstance(done.exception, osmofuse.SettingError)
    assert not (folder / "out.tif").exists()


def test_more_pages_than_pictures(folder):
    done = invoke("info", "both.tif", *("--page", 1) * 2)
    assert isinstance(done.exception, osmofuse.SettingError)
