"""The demo on a small page: files, numbers, and no second writing unasked."""

from __future__ import annotations

import re
import sys

import numpy as np
import pytest
from click.testing import CliRunner

import osmofuse
from osmofuse import cli, gallery
from osmofuse.cli import demo
from osmofuse.errors import MissingExtraError, OutputError
from pairs import contents

SHAPE = (64, 48)
FILES = {
    "visible.tif": (np.uint16, (*SHAPE, 3)),
    "infrared.tif": (np.uint16, SHAPE),
    "truth.tif": (np.uint16, (*SHAPE, 3)),
    "alpha.png": (np.uint8, SHAPE),
    "fused.tif": (np.uint16, (*SHAPE, 3)),
}
RECORD = "fused.tif.json"


@pytest.fixture(autouse=True)
def small_page(monkeypatch):
    page = gallery.manuscript(SHAPE)
    monkeypatch.setattr(demo.gallery, "manuscript", lambda: page)
    return page


def run(*arguments):
    return CliRunner().invoke(cli.commands, ["demo", *map(str, arguments)])


@pytest.fixture
def done(tmp_path):
    result = run("--output", tmp_path / "deep" / "demo")
    assert result.exception is None, result.output
    return tmp_path / "deep" / "demo", result.stdout


def test_files_have_their_depths_and_sizes(done):
    folder, _ = done
    assert {path.name for path in folder.iterdir()} == {*FILES, "sheet.png", RECORD, "report"}
    assert (folder / "report" / "index.html").is_file()
    for name, (depth, shape) in FILES.items():
        pixels = osmofuse.read(folder / name).pixels
        assert pixels.dtype == depth
        assert pixels.shape == shape
    assert osmofuse.read(folder / "sheet.png").pixels.dtype == np.uint8


def test_the_pair_is_the_scene_and_the_result_its_fusion(done, small_page):
    folder, _ = done
    names = ("visible.tif", "infrared.tif", "alpha.png", "fused.tif")
    visible, infrared, alpha, fused = (osmofuse.read(folder / name).pixels for name in names)
    np.testing.assert_allclose(visible / 65535, small_page.foreground, atol=0.6 / 65535)
    np.testing.assert_allclose(infrared / 65535, small_page.background, atol=0.6 / 65535)
    np.testing.assert_allclose(alpha / 255, small_page.alpha, atol=0.6 / 255)
    image = osmofuse.fuse(visible, infrared).image
    assert np.array_equal(fused, np.rint(np.clip(image, 0, 1) * 65535))


def test_it_says_where_the_files_are_and_what_it_measured(done):
    folder, output = done
    for name in (*FILES, "sheet.png", RECORD, "report/index.html"):
        assert str(folder / name) in output
    ended = re.search(r"Fused in \d+\.\d\d s: .* \((\w+), reach .*\)\. \d+ of \d+ samples", output)
    assert osmofuse.Status(ended[1]).is_success
    for name in ("psnr", "ssim"):
        found = re.search(rf"{name}: visible ([\d.]+)( dB)?, fused ([\d.]+)", output)
        assert found, output
        assert float(found[3]) > float(found[1]), "the fusion must be nearer to the truth"


def test_a_second_run_is_refused_and_changes_nothing(done):
    folder, _ = done
    before = contents(folder)
    result = run("--output", folder)
    assert isinstance(result.exception, OutputError)
    assert contents(folder) == before


def test_a_second_run_exits_with_7(done, monkeypatch, capsys):
    folder, _ = done
    monkeypatch.setattr(sys, "argv", ["osmofuse", "demo", "--output", str(folder)])
    with pytest.raises(SystemExit) as end:
        cli.main()
    assert end.value.code == 7
    assert "exists" in capsys.readouterr().err


def test_overwrite_writes_again(done):
    folder, _ = done
    before = osmofuse.read(folder / "fused.tif").pixels
    (folder / "fused.tif").write_bytes(b"")
    assert run("--output", folder, "--overwrite").exception is None
    assert np.array_equal(osmofuse.read(folder / "fused.tif").pixels, before)


def test_without_matplotlib_there_is_no_sheet_but_all_else(tmp_path, monkeypatch):
    def side_by_side(_):
        raise MissingExtraError("sheets need matplotlib: pip install 'osmofuse[plot]'")

    monkeypatch.setattr("osmofuse.report.side_by_side", side_by_side)
    result = run("--output", tmp_path)
    assert result.exception is None
    assert "No sheet: sheets need matplotlib" in result.stderr
    assert {path.name for path in tmp_path.iterdir()} == {*FILES, RECORD, "report"}


def test_progress_goes_to_stderr_and_data_to_stdout(tmp_path):
    result = run("--output", tmp_path)
    assert "Fusing ..." in result.stderr
    assert "Fusing ..." not in result.stdout
    assert "psnr" not in result.stderr


def test_a_file_in_the_place_of_the_folder_is_wrong_usage(tmp_path):
    (tmp_path / "taken").write_text("")
    result = run("--output", tmp_path / "taken")
    assert result.exit_code == 2
    assert "is a file" in result.output
