"""What many fusions need, and that what cannot be done is told before the work."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from osmofuse.errors import LimitError, SettingError
from osmofuse.jobs import check_comparison, check_sweep
from osmofuse.jobs.series_check import SHEET, method_names, picture_names
from osmofuse.methods import METHODS
from osmofuse.tasks.table_one import PUBLISHED
from pairs import osmofuse_in, write_pair


@pytest.fixture
def job(make_job, tmp_path):
    return make_job(output=tmp_path / "made" / SHEET)


def test_more_results_need_more(job):
    one = check_comparison(job, methods=["direct"])
    three = check_comparison(job, methods=["direct", "average", "pyramid"])
    assert three.bytes > one.bytes
    assert three.seconds > one.seconds
    assert check_comparison(job, methods=["direct"], metrics=()).bytes < one.bytes
    assert not job.output.parent.exists()


def test_a_sweep_is_as_many_fusions_as_there_are_combinations(job):
    usual, one = check_sweep(job, {}), check_sweep(job, {"start": "means", "mu": 1.0, "eta": [0]})
    each = 26 * 40 * 32 * 3
    assert usual.bytes - one.bytes == (3 * 2 * 3 * 2 - 2) * each


def test_a_limit_is_kept_to_the_byte(job):
    needed = check_comparison(job, methods=["direct", "average"])
    check_comparison(replace(job, max_memory=needed.bytes), methods=["direct", "average"])
    with pytest.raises(LimitError, match=r"visible\.tif: comparing 2 methods needs about"):
        check_comparison(replace(job, max_memory=needed.bytes - 1), methods=["direct", "average"])
    with pytest.raises(LimitError, match="fusing it with 36 settings needs about"):
        check_sweep(replace(job, max_memory=10), {})


def test_names_are_checked(job):
    with pytest.raises(SettingError, match=r"'poison' is unknown \(did you mean 'poisson'\?\)"):
        check_comparison(job, methods=["poison"])
    with pytest.raises(SettingError, match=r"'fmmi' is unknown \(did you mean 'fmi'\?\)"):
        check_sweep(job, {}, metrics=("fmmi",))


def test_what_cannot_be_tried_is_told_before(job):
    with pytest.raises(SettingError, match="methods: empty"):
        check_comparison(job, methods=())
    with pytest.raises(SettingError, match="start: empty"):
        check_sweep(job, {"start": ()})
    with pytest.raises(SettingError, match="start: 'foregroun'"):
        check_sweep(job, {"start": ("foregroun",)})
    with pytest.raises(SettingError, match="eta: -1"):
        check_sweep(job, {"eta": (0.1, -1.0)})
    with pytest.raises(SettingError, match="etta: no setting"):
        check_sweep(job, {"etta": 0.1})


def test_a_sweep_that_no_sheet_can_show_is_told_before(job):
    with pytest.raises(LimitError, match="100 columns are too many for one sheet"):
        check_sweep(job, {"eta": [k / 100 for k in range(100)], "gamma": 1.0})


def test_which_methods_there_are(job):
    assert method_names(None, paper=False) == list(METHODS)
    assert method_names(None, paper=True) == list(PUBLISHED)
    assert picture_names(job, ["a b/c"]) == {"a b/c": "a-b-c.tif"}


def test_no_more_is_used_than_was_said(make_job, tmp_path):
    (tmp_path / "large").mkdir()
    large = write_pair(tmp_path / "large", (300, 250))
    pair = {"foreground": large["visible"], "backgrounds": large["infrared"], "alpha": 0.5}
    few = {"methods": ["direct", "average"], "metrics": "fmi"}
    said = check_comparison(make_job(output=tmp_path / "made" / SHEET, **pair), **few)
    given = [*map(str, large.values())][:2]
    options = ["--methods", "direct,average", "--metrics", "fmi", "-o", "made", "--json"]
    used = json.loads(osmofuse_in(tmp_path, "compare", *given, *options).stdout)
    peak = used["record"]["result"]["peak_bytes"]
    assert peak <= said.bytes <= 3 * peak
