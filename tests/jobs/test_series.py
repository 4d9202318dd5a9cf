"""Many fusions of one pair: what is in the folder, and that nothing is half there."""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import osmofuse
from osmofuse.errors import MissingExtraError, OutputError, SettingError
from osmofuse.jobs.series import SHEET, compare_files, sweep_files


@pytest.fixture
def job(make_job, tmp_path):
    (tmp_path / "made").mkdir()
    return make_job(output=tmp_path / "made" / SHEET)


def names(job):
    return {path.name for path in job.output.parent.iterdir()}


def test_a_comparison_writes_pictures_sheets_and_tables(job):
    made = compare_files(job, methods=["direct", "average"])
    assert names(job) == {
        "direct.tif", "average.tif", "sheet.png", "zoom.png", "table.md", "table.tex",
        "comparison.json",
    }  # fmt: skip
    assert set(made.files) == names(job)
    files = [osmofuse.read(path) for path in (job.foreground, job.background)]
    alone = osmofuse.fuse(*files, osmofuse.read(job.alpha).pixels, method="direct")
    written = osmofuse.read(made.files["direct.tif"])
    np.testing.assert_array_equal(written.pixels, files[0].with_samples(alone.image)[0].pixels)
    assert written.profile == files[0].profile
    told = json.loads(made.files["comparison.json"].read_text("utf-8"))
    assert [one["name"] for one in told["results"]] == ["direct", "average"]
    assert told["results"][0]["scores"]["chromaticity"] > 0
    assert made.table.count("\n") >= 3


def test_a_truth_and_a_part_can_be_given(job):
    box = slice(2, 9), slice(3, 12)
    made = compare_files(job, methods=["direct"], truth=job.foreground, zoom=box, metrics="fmi")
    assert "psnr" in made.table
    assert "chromaticity" not in made.table


def test_the_papers_table_has_its_values_in_brackets(job):
    made = compare_files(job, paper=True)
    assert [one.name for one in made.found][-1] == "variational"
    assert "(0.0062)" in made.table


def test_a_sweep_writes_a_sheet_and_a_table(job):
    made = sweep_files(job, {"eta": [0.0, 0.2], "mu": 10, "gamma": 1, "start": "foreground"})
    assert names(job) == {"sheet.png", "table.md", "sweep.json"}
    told = json.loads(made.files["sweep.json"].read_text("utf-8"))
    assert [one["settings"]["eta"] for one in told["results"]] == [0.0, 0.2]
    assert [one["method"]["eta"] for one in told["results"]] == [0.0, 0.2]


def test_what_is_there_is_not_replaced_unless_asked(job):
    other = job.output.parent / "direct.tif"
    other.write_bytes(b"mine")
    with pytest.raises(OutputError, match=r"direct\.tif: exists"):
        compare_files(job, methods=["direct"])
    assert names(job) == {"direct.tif"}
    assert other.read_bytes() == b"mine"


@pytest.mark.parametrize("name", ["direct.tif", "table.tex", "zoom.png"])
def test_what_is_there_is_told_before_the_work(job, name, monkeypatch):
    monkeypatch.setattr("osmofuse.jobs.series.prepare", None)  # it must not be called
    (job.output.parent / name).write_bytes(b"mine")
    with pytest.raises(OutputError, match=f"{name}: exists"):
        compare_files(job, methods=["direct"])


@pytest.mark.parametrize("do", [compare_files, lambda job: sweep_files(job, {})])
def test_a_missing_extra_is_told_before_the_work(job, do, monkeypatch):
    monkeypatch.setattr("osmofuse.jobs.series.prepare", None)  # it must not be called
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(MissingExtraError, match="matplotlib"):
        do(job)


def test_the_truth_is_never_replaced(job):
    truth = osmofuse.write(osmofuse.read(job.foreground), job.output.parent / "direct.tif")
    before = truth.read_bytes()
    with pytest.raises(OutputError, match="would replace the input"):
        compare_files(replace(job, overwrite=True), methods=["direct"], truth=truth)
    assert truth.read_bytes() == before


@pytest.mark.parametrize(
    "given", [{"methods": ["direct"]}, {"metrics": "all"}, {"truth": Path("visible.tif")}]
)
def test_the_papers_table_takes_nothing_else(job, given):
    with pytest.raises(SettingError, match=f"{next(iter(given))}: the paper's Table I"):
        compare_files(job, paper=True, **given)


def test_where_the_background_has_no_data_the_foreground_is_kept(job, tmp_path):
    stored = osmofuse.read(job.background)
    pixels = stored.pixels.copy()
    pixels[:10] = 7
    holed = osmofuse.write(replace(stored, pixels=pixels, nodata=7), tmp_path / "holed.tif")
    holed_job = replace(job, background=holed, alpha=0.0)
    made = compare_files(holed_job, methods=["direct"])
    foreground = osmofuse.read(job.foreground).pixels
    written = osmofuse.read(made.files["direct.tif"])
    np.testing.assert_array_equal(written.pixels[:10], foreground[:10])
    assert np.any(written.pixels[10:] != foreground[10:])
    assert any("hold no data" in note for note in made.notes)


def test_pictures_are_marked_and_have_the_format_of_the_foreground(job, tmp_path):
    lying = tmp_path / "lying.jpg"
    lying.write_bytes(job.foreground.read_bytes())
    made = compare_files(replace(job, foreground=lying), methods=["direct"])
    xmp = osmofuse.read(made.files["direct.tif"]).metadata.xmp
    assert b"digitalsourcetype/composite" in xmp
    assert b"DirectMatting" in xmp


def test_a_map_made_from_the_pictures_is_told(job):
    made = compare_files(replace(job, alpha="auto"), methods=["direct"])
    assert made.notes[-1].startswith("alpha was made from the two pictures")


def test_nothing_is_written_where_a_setting_is_wrong(job):
    with pytest.raises(SettingError, match="magic"):
        compare_files(job, methods=["magic"])
    assert names(job) == set()


def test_a_folder_that_is_not_there(make_job, tmp_path):
    with pytest.raises(OutputError, match="no such folder"):
        compare_files(make_job(output=tmp_path / "nowhere" / SHEET))
