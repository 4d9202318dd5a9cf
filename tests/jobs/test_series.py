"""Series of fusions in a folder, which are all written or none."""

from __future__ import annotations

import json
import sys
from dataclasses import replace

import numpy as np
import pytest

import osmofuse
from osmofuse.errors import (
    InputError,
    LimitError,
    MissingExtraError,
    OutputError,
    SettingError,
)
from osmofuse.jobs import CompareJob, SweepJob
from osmofuse.jobs.series import comparison_entry, keep_ranking
from osmofuse.metrics import Score
from osmofuse.progress import Status
from osmofuse.record import read_record
from osmofuse.tasks import Comparison
from pairs import osmofuse_in, write_pair


@pytest.fixture
def parts(pair, tmp_path):
    (tmp_path / "made").mkdir()
    return {
        "foreground": pair["visible"],
        "backgrounds": pair["infrared"],
        "alpha": pair["map"],
        "output": tmp_path / "made",
    }


def compared(parts, **changes):
    return CompareJob(**parts | changes).run()


def swept(parts, settings, **changes):
    return SweepJob(**parts | changes, settings=settings).run()


def names(parts):
    return {path.name for path in parts["output"].iterdir()}


def test_what_did_not_end_as_it_should_is_named(parts, monkeypatch):
    made = compared(parts, methods=["direct", "average"])
    assert made.unfinished == []
    stopped = replace(made.comparisons[1].fusion, status=Status.max_iter)
    found = [made.comparisons[0], replace(made.comparisons[1], fusion=stopped)]
    assert [one.name for one in replace(made, comparisons=tuple(found)).unfinished] == ["average"]


def test_a_sweep_writes_a_sheet_and_a_table(parts):
    made = swept(parts, {"eta": [0.0, 0.2], "mu": 10, "gamma": 1, "start": "foreground"})
    assert names(parts) == {"sheet.png", "table.md", "table.csv", "sweep.json"}
    told = read_record(made.files["sweep.json"]).result["results"]
    assert [one["settings"]["eta"] for one in told] == [0.0, 0.2]
    assert [one["method"]["eta"] for one in told] == [0.0, 0.2]
    assert [one["name"] for one in told] == ["η = 0", "η = 0.2"]
    assert list(made.record.output["pictures"]) == ["η = 0", "η = 0.2"]


def test_what_is_there_is_not_replaced_unless_asked(parts):
    other = parts["output"] / "direct.tif"
    other.write_bytes(b"mine")
    with pytest.raises(OutputError, match=r"direct\.tif: exists"):
        compared(parts, methods=["direct"])
    assert names(parts) == {"direct.tif"}
    assert other.read_bytes() == b"mine"


@pytest.mark.parametrize("name", ["direct.tif", "table.tex", "zoom.png"])
def test_what_is_there_is_told_before_the_work(parts, name, monkeypatch):
    monkeypatch.setattr("osmofuse.jobs.series.open_files", None)  # it must not be called
    (parts["output"] / name).write_bytes(b"mine")
    with pytest.raises(OutputError, match=f"{name}: exists"):
        compared(parts, methods=["direct"])


@pytest.mark.parametrize("do", [compared, lambda parts: swept(parts, {})])
def test_a_missing_extra_is_told_before_the_work(parts, do, monkeypatch):
    monkeypatch.setattr("osmofuse.jobs.series.open_files", None)  # it must not be called
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(MissingExtraError, match="matplotlib"):
        do(parts)


def test_the_truth_is_never_replaced(parts):
    truth = osmofuse.write(osmofuse.read(parts["foreground"]), parts["output"] / "direct.tif")
    before = truth.read_bytes()
    with pytest.raises(OutputError, match="would replace the input"):
        compared(parts | {"overwrite": True}, methods=["direct"], truth=truth)
    assert truth.read_bytes() == before


def test_where_the_background_has_no_data_the_foreground_is_kept(parts, tmp_path):
    stored = osmofuse.read(parts["backgrounds"])
    pixels = stored.pixels.copy()
    pixels[:10] = 7
    holed = osmofuse.write(replace(stored, pixels=pixels, nodata=7), tmp_path / "holed.tif")
    holed_job = parts | {"backgrounds": holed, "alpha": 0.0}
    made = compared(holed_job, methods=["direct"])
    foreground = osmofuse.read(parts["foreground"]).pixels
    written = osmofuse.read(made.files["direct.tif"])
    np.testing.assert_array_equal(written.pixels[:10], foreground[:10])
    assert np.any(written.pixels[10:] != foreground[10:])
    assert any("hold no data" in note for note in made.notes)


ONE_TRIAL = {"mu": [10], "reach": [1.0], "eta": [0.1], "gamma": [1.0]}


def test_files_of_int16_are_levels_also_here(parts, tmp_path):
    halves = {
        role: osmofuse.write(
            (osmofuse.read(parts[role]).pixels / 2).astype(np.int16), tmp_path / f"{role}.tif"
        )
        for role in ("foreground", "backgrounds")
    }
    parts = parts | {"foreground": halves["foreground"], "backgrounds": halves["backgrounds"]}
    assert compared(parts, methods=["direct"]).comparisons[0].fusion is not None
    assert swept(parts | {"overwrite": True}, ONE_TRIAL).comparisons[0].fusion is not None


def test_what_sheets_cannot_show_is_told_before_the_work(parts, tmp_path, monkeypatch):
    rgb = osmofuse.read(parts["foreground"]).pixels
    four = osmofuse.write(np.concatenate([rgb, rgb[..., :1]], axis=2), tmp_path / "four.tif")
    parts = parts | {"foreground": four}
    monkeypatch.setattr("osmofuse.jobs.series.open_files", None)
    for do in (lambda: compared(parts), lambda: swept(parts, ONE_TRIAL)):
        with pytest.raises(InputError, match="4 bands of colour, but sheets show"):
            do()


def test_a_map_made_from_the_pictures_is_told(parts):
    made = compared(parts | {"alpha": "auto"}, methods=["direct"])
    assert made.notes[-1].startswith("alpha was made from the two pictures")


def test_nothing_is_written_where_a_setting_is_wrong(parts):
    with pytest.raises(SettingError, match="magic"):
        compared(parts, methods=["magic"])
    assert names(parts) == set()


@pytest.mark.parametrize("wrong", [{"methods": ["magic"]}, {"metrics": "magic"}])
def test_a_wrong_name_is_told_before_the_work(parts, wrong, monkeypatch):
    monkeypatch.setattr("osmofuse.jobs.series.open_files", None)  # it must not be called
    with pytest.raises(SettingError, match="magic"):
        compared(parts, **wrong)


def test_a_folder_is_made_when_there_is_something_for_it(parts, tmp_path, monkeypatch):
    parts = parts | {"output": tmp_path / "new" / "made"}
    with pytest.raises(SettingError, match="magic"):
        compared(parts, methods=["magic"])
    assert not (tmp_path / "new").exists()
    with monkeypatch.context() as full:
        full.setattr("osmofuse.jobs.series.stage_record", _no_room)
        with pytest.raises(OutputError, match="no room"):
            compared(parts, methods=["direct"])
    assert not (tmp_path / "new").exists()
    compared(parts, methods=["direct"])
    assert "direct.tif" in names(parts)


def _no_room(record, path):
    raise OutputError(f"{path}: no room")


def test_a_cancelled_comparison_writes_nothing(parts):
    result = CompareJob(**parts, methods=["poisson", "direct"]).run(lambda _: True)
    assert result.status == "cancelled"
    assert (result.record, result.files, names(parts)) == (None, {}, set())


def test_a_cancel_after_a_fusion_that_did_not_converge_writes_nothing(parts, monkeypatch):
    whole = CompareJob.make

    def stopped(self, *given):
        made = whole(self, *given)
        ends = zip(made.found, (Status.max_iter, Status.cancelled), strict=True)
        found = [replace(one, fusion=replace(one.fusion, status=end)) for one, end in ends]
        return replace(made, found=tuple(found))

    monkeypatch.setattr(CompareJob, "make", stopped)
    assert compared(parts, methods=["direct", "average"]).status == "cancelled"
    assert names(parts) == set()


def test_what_is_told_of_a_result_is_plain():
    made = osmofuse.fuse(np.ones((4, 5)), np.ones((4, 5)), method="direct")
    fusion = replace(made, method=osmofuse.VariationalOsmosis(reach=np.inf), reach=np.inf)
    found = comparison_entry(Comparison("x", fusion, {"psnr": Score(np.inf, "high", (0, np.inf))}))
    assert found["method"]["reach"] == "inf"
    assert found["reach"] == "inf"
    assert found["scores"] == {"psnr": "inf"}
    assert (found["name"], found["status"]) == ("x", str(fusion.status))


def test_what_made_no_picture_says_why():
    assert comparison_entry(Comparison("x", None, {}, "no region")) == {
        "name": "x",
        "reason": "no region",
    }


def test_more_results_need_more(parts):
    one = CompareJob(**parts, methods=["direct"]).check()
    three = CompareJob(**parts, methods=["direct", "average", "pyramid"]).check()
    assert three.bytes > one.bytes
    assert three.seconds > one.seconds
    assert CompareJob(**parts, methods=["direct"], metrics=()).check().bytes < one.bytes
    assert names(parts) == set()


def test_a_sweep_is_as_many_fusions_as_there_are_combinations(parts):
    usual = SweepJob(**parts).check()
    one = SweepJob(**parts, settings={"start": "means", "mu": 1.0, "eta": [0, 0.1], "gamma": 0.0})
    each = 26 * 40 * 32 * 3
    assert usual.bytes - one.check().bytes == (3 * 2 * 3 * 2 - 2) * each


def test_a_limit_is_kept_to_the_byte(parts):
    two = {"methods": ["direct", "average"]}
    needed = CompareJob(**parts, **two).check()
    CompareJob(**parts, **two, max_memory=needed.bytes).check()
    with pytest.raises(LimitError, match=r"visible\.tif: comparing 2 methods needs about"):
        CompareJob(**parts, **two, max_memory=needed.bytes - 1).check()
    with pytest.raises(LimitError, match="fusing it with 36 settings needs about"):
        SweepJob(**parts, max_memory=10).check()


@pytest.mark.parametrize(
    ("settings", "match"),
    [
        ({"start": ()}, "start: empty"),
        ({"start": ("foregroun",)}, "start: 'foregroun'"),
        ({"eta": (0.1, -1.0)}, "eta: -1"),
        ({"etta": 0.1}, "etta: no setting"),
    ],
)
def test_what_cannot_be_tried_is_refused_at_once(parts, settings, match):
    with pytest.raises(SettingError, match=match):
        SweepJob(**parts, settings=settings)


def test_a_sweep_that_no_sheet_can_show_is_told_before(parts):
    settings = {"eta": [k / 400 for k in range(400)], "gamma": 1.0}
    with pytest.raises(LimitError, match="400 columns are too many for one sheet"):
        SweepJob(**parts, settings=settings).check()


def test_no_more_is_used_than_was_said(tmp_path):
    large = write_pair(tmp_path, (300, 250))
    few = {"methods": ["direct", "average"], "metrics": "fmi"}
    said = CompareJob(large["visible"], large["infrared"], tmp_path / "made", **few).check()
    given = [*map(str, large.values())][:2]
    options = ["--methods", "direct,average", "--metrics", "fmi", "-o", "made", "--json"]
    used = json.loads(osmofuse_in(tmp_path, "compare", *given, *options).stdout)
    peak = used["record"]["result"]["peak_bytes"]
    assert peak <= said.bytes <= 3 * peak


def test_a_ranking_goes_to_the_series_it_judges(parts, tmp_path):
    compared(parts, methods=["direct", "average"])
    swept(parts, {"eta": [0.0, 0.2], "reach": 2.0}, overwrite=True)
    for name in ("sweep.json", "comparison.json"):
        digest = read_record(parts["output"] / name).output["sha256_of_pixels"]
        ranking = {"kind": "osmofuse ranking", "sha256_of_pixels": digest, "answers": []}
        (tmp_path / "ranking.json").write_text(json.dumps({"format": 1, **ranking}))
        path, record = keep_ranking(parts["output"], tmp_path / "ranking.json")
        assert path.name == name
        assert record.output["sha256_of_pixels"] == digest
