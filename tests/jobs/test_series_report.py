"""The report of many fusions, and the answers of its judges."""

from __future__ import annotations

import json
import re
import shlex
from dataclasses import replace
from html import unescape

import numpy as np
import pytest

import osmofuse
from osmofuse.errors import MismatchError, OutputError, UnreadableError
from osmofuse.io import for_screen
from osmofuse.jobs.series import compare_files, sweep_files
from osmofuse.jobs.series_check import SHEET, SHOWN
from osmofuse.jobs.series_report import keep_ranking, report_series
from osmofuse.record import read_record


@pytest.fixture
def job(make_job, tmp_path):
    return make_job(output=tmp_path / "made" / SHEET)


def command_in(page):
    text = page.read_text(encoding="utf-8")
    return shlex.split(unescape(re.search(r'id="command"[^>]*>(.*?)</pre>', text)[1]))


def test_results_are_those_of_the_files(job, tmp_path):
    made = compare_files(
        job, methods=["direct", "average"], metrics="fmi", zoom=(slice(2, 9), slice(3, 12))
    )
    page = report_series(made, tmp_path / "report")
    for name in ("direct", "average"):
        shown = osmofuse.read(page.parent / "pictures" / f"{name}.png").pixels
        stored = osmofuse.read(made.files[f"{name}.tif"])
        np.testing.assert_array_equal(shown, for_screen(stored, name))
    assert command_in(page) == [
        "osmofuse", "compare", str(job.foreground), str(job.backgrounds[0]),
        "--alpha", str(job.alpha), "--methods", "direct,average", "--metrics", "fmi",
        "--zoom", "3,2,9,7", "-o", str(tmp_path / "made-again"),
    ]  # fmt: skip
    assert "fused by several methods" in page.read_text(encoding="utf-8")


def test_results_and_their_report_are_written_together(job, tmp_path):
    asked = {"methods": ["direct", "average"], "metrics": "fmi"}
    (tmp_path / "look" / "pictures").mkdir(parents=True)
    taken = tmp_path / "look" / "pictures" / "average.png"
    taken.write_text("mine")
    with pytest.raises(OutputError, match=r"average\.png: exists already"):
        compare_files(job, **asked, report=tmp_path / "look")
    assert not job.output.parent.exists()
    taken.unlink()
    made = compare_files(job, **asked, report=tmp_path / "look")
    assert made.files["report"] == tmp_path / "look" / "index.html"
    assert all(path.is_file() for path in made.files.values())
    names = {path.stem for path in taken.parent.iterdir()}
    assert {*SHOWN, "direct", "average"} <= names


def test_a_truth_is_shown_and_never_replaced(job, tmp_path):
    folder = tmp_path / "report" / "pictures"
    folder.mkdir(parents=True)
    truth = osmofuse.write(osmofuse.read(job.foreground), folder / "truth.png")
    before = truth.read_bytes()
    made = sweep_files(
        job, {"eta": (0.1,), "mu": (1.0,), "gamma": (1.0,), "start": ("means",)}, truth=truth
    )
    with pytest.raises(OutputError, match="would replace the input"):
        report_series(made, tmp_path / "report", overwrite=True)
    assert truth.read_bytes() == before
    page = report_series(made, tmp_path / "other")
    assert (page.parent / "pictures" / "truth.png").is_file()
    assert command_in(page)[5:] == [
        str(job.alpha), "--eta", "0.1", "--mu", "1", "--gamma", "1", "--start", "means",
        "--truth", str(truth), "-o", str(tmp_path / "made-again"),
    ]  # fmt: skip


def test_answers_go_into_the_record_that_they_are_of(job, tmp_path):
    first = compare_files(job, methods=["direct", "average"], metrics="fmi")
    given = {
        "format": 1, "kind": "osmofuse ranking", "by": "A. Judge",
        "sha256_of_pixels": first.record.output["sha256_of_pixels"],
        "answers": [{"pair": ["direct", "average"], "better": None}],
    }  # fmt: skip
    answers = tmp_path / "ranking.json"
    answers.write_text(json.dumps(given), encoding="utf-8")
    sweep_files(
        replace(job, overwrite=True),
        {"eta": (0.1,), "mu": (1.0,), "gamma": (1.0,), "start": ("means",)},
    )
    path, record = keep_ranking(job.output.parent, answers)
    assert path.name == "comparison.json"
    assert record.ranking[0]["points"] == {"average": 0.5, "direct": 0.5}
    assert read_record(path).as_json() == record.as_json()
    answers.write_text(json.dumps(given | {"sha256_of_pixels": "0"}), encoding="utf-8")
    with pytest.raises(MismatchError, match="other pictures"):
        keep_ranking(job.output.parent, answers)
    with pytest.raises(UnreadableError, match=r"holds no comparison\.json or sweep\.json"):
        keep_ranking(tmp_path, answers)
