"""Many fusions of one pair: what is in the folder, and that nothing is half there."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import osmofuse
from osmofuse.errors import InputError, MissingExtraError, OutputError, SettingError
from osmofuse.jobs import job_of_record
from osmofuse.jobs.series import SHEET, compare_files, sweep_files
from osmofuse.optimise import Status
from osmofuse.record import read_record, sha256_of_pixels


@pytest.fixture
def job(make_job, tmp_path):
    (tmp_path / "made").mkdir()
    return make_job(output=tmp_path / "made" / SHEET)


def names(job):
    return {path.name for path in job.output.parent.iterdir()}


def test_a_comparison_writes_pictures_sheets_and_tables(job):
    made = compare_files(job, methods=iter(["direct", "average"]))
    assert names(job) == {
        "direct.tif", "average.tif", "sheet.png", "zoom.png", "table.md", "table.tex", "table.csv",
        "comparison.json",
    }  # fmt: skip
    assert set(made.files) == names(job)
    files = [osmofuse.read(path) for path in (job.foreground, job.backgrounds[0])]
    alone = osmofuse.fuse(*files, osmofuse.read(job.alpha).pixels, method="direct")
    written = osmofuse.read(made.files["direct.tif"])
    np.testing.assert_array_equal(written.pixels, files[0].with_samples(alone.image)[0].pixels)
    assert written.profile == files[0].profile
    assert made.table.count("\n") >= 3


def test_a_comparison_has_a_record(job):
    made = compare_files(job, methods=["direct", "average"], truth=job.foreground)
    record = read_record(made.files["comparison.json"])
    assert record.as_json() == made.record.as_json()
    told = record.result["results"]
    assert [one["name"] for one in told] == ["direct", "average"]
    assert told[0]["scores"]["chromaticity"] > 0
    assert [one.path for one in record.inputs] == [
        "../visible.tif", "../infrared.tif", "../map.png", "../visible.tif",
    ]  # fmt: skip
    for name in ("direct.tif", "average.tif"):
        pixels = osmofuse.read(made.files[name]).pixels
        assert record.output["pictures"][name] == sha256_of_pixels(pixels)
    again = compare_files(
        replace(job, overwrite=True), methods=["direct", "average"], truth=job.foreground
    )
    assert again.record.output == record.output
    other = compare_files(replace(job, overwrite=True), methods=["average"])
    assert other.record.output["sha256_of_pixels"] != record.output["sha256_of_pixels"]
    with pytest.raises(SettingError, match="the record of 'osmofuse compare'"):
        job_of_record(made.files["comparison.json"], job.output.with_name("again.tif"))


def test_what_did_not_end_as_it_should_is_named(job, monkeypatch):
    made = compare_files(job, methods=["direct", "average"])
    assert made.unfinished == []
    stopped = replace(made.found[1].fusion, status=Status.max_iter)
    found = [made.found[0], replace(made.found[1], fusion=stopped)]
    assert [one.name for one in replace(made, found=found).unfinished] == ["average"]


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
    assert names(job) == {"sheet.png", "table.md", "table.csv", "sweep.json"}
    told = read_record(made.files["sweep.json"]).result["results"]
    assert [one["settings"]["eta"] for one in told] == [0.0, 0.2]
    assert [one["method"]["eta"] for one in told] == [0.0, 0.2]
    assert [one["name"] for one in told] == ["η = 0", "η = 0.2"]
    assert list(made.record.output["pictures"]) == ["η = 0", "η = 0.2"]


def test_what_is_there_is_not_replaced_unless_asked(job):
    other = job.output.parent / "direct.tif"
    other.write_bytes(b"mine")
    with pytest.raises(OutputError, match=r"direct\.tif: exists"):
        compare_files(job, methods=["direct"])
    assert names(job) == {"direct.tif"}
    assert other.read_bytes() == b"mine"


@pytest.mark.parametrize("name", ["direct.tif", "table.tex", "zoom.png"])
def test_what_is_there_is_told_before_the_work(job, name, monkeypatch):
    monkeypatch.setattr("osmofuse.jobs.series.open_files", None)  # it must not be called
    (job.output.parent / name).write_bytes(b"mine")
    with pytest.raises(OutputError, match=f"{name}: exists"):
        compare_files(job, methods=["direct"])


@pytest.mark.parametrize("do", [compare_files, lambda job: sweep_files(job, {})])
def test_a_missing_extra_is_told_before_the_work(job, do, monkeypatch):
    monkeypatch.setattr("osmofuse.jobs.series.open_files", None)  # it must not be called
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
    stored = osmofuse.read(job.backgrounds[0])
    pixels = stored.pixels.copy()
    pixels[:10] = 7
    holed = osmofuse.write(replace(stored, pixels=pixels, nodata=7), tmp_path / "holed.tif")
    holed_job = replace(job, backgrounds=holed, alpha=0.0)
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


ONE_TRIAL = {"mu": [10], "reach": [1.0], "eta": [0.1], "gamma": [1.0]}


def test_files_of_int16_are_levels_also_here(job, tmp_path):
    halves = {
        role: osmofuse.write(
            (osmofuse.read(job.inputs[role]).pixels / 2).astype(np.int16), tmp_path / f"{role}.tif"
        )
        for role in ("foreground", "background")
    }
    job = replace(job, foreground=halves["foreground"], backgrounds=halves["background"])
    assert compare_files(job, methods=["direct"]).found[0].fusion is not None
    assert sweep_files(replace(job, overwrite=True), ONE_TRIAL).found[0].fusion is not None


def test_what_sheets_cannot_show_is_told_before_the_work(job, tmp_path, monkeypatch):
    rgb = osmofuse.read(job.foreground).pixels
    four = osmofuse.write(np.concatenate([rgb, rgb[..., :1]], axis=2), tmp_path / "four.tif")
    job = replace(job, foreground=four)
    monkeypatch.setattr("osmofuse.jobs.series.open_files", None)
    for do in (lambda: compare_files(job), lambda: sweep_files(job, ONE_TRIAL)):
        with pytest.raises(InputError, match="4 bands of colour, but sheets show"):
            do()


def test_a_map_made_from_the_pictures_is_told(job):
    made = compare_files(replace(job, alpha="auto"), methods=["direct"])
    assert made.notes[-1].startswith("alpha was made from the two pictures")


def test_nothing_is_written_where_a_setting_is_wrong(job):
    with pytest.raises(SettingError, match="magic"):
        compare_files(job, methods=["magic"])
    assert names(job) == set()


@pytest.mark.parametrize("wrong", [{"methods": ["magic"]}, {"metrics": "magic"}])
def test_a_wrong_name_is_told_before_the_work(job, wrong, monkeypatch):
    monkeypatch.setattr("osmofuse.jobs.series.open_files", None)  # it must not be called
    with pytest.raises(SettingError, match="magic"):
        compare_files(job, **wrong)


def test_a_folder_is_made_when_there_is_something_for_it(make_job, tmp_path, monkeypatch):
    job = make_job(output=tmp_path / "new" / "made" / SHEET)
    with pytest.raises(SettingError, match="magic"):
        compare_files(job, methods=["magic"])
    assert not (tmp_path / "new").exists()
    with monkeypatch.context() as full:
        full.setattr("osmofuse.jobs.series.stage_record", _no_room)
        with pytest.raises(OutputError, match="no room"):
            compare_files(job, methods=["direct"])
    assert not (tmp_path / "new").exists()
    compare_files(job, methods=["direct"])
    assert "direct.tif" in names(job)


def _no_room(record, path):
    raise OutputError(f"{path}: no room")
