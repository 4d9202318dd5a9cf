"""The report of many fusions, and the answers of its judges."""

from __future__ import annotations

import json
import re
import shlex
from html import unescape

import numpy as np
import pytest

import osmofuse
from osmofuse.errors import MismatchError, OutputError, UnreadableError
from osmofuse.io import for_screen
from osmofuse.jobs import CompareJob, SweepJob, keep_ranking
from osmofuse.record import read_record

ONE_TRIAL = {"eta": (0.1,), "mu": (1.0,), "gamma": (1.0,), "start": ("means",)}


@pytest.fixture
def parts(pair, tmp_path):
    return {
        "foreground": pair["visible"],
        "backgrounds": pair["infrared"],
        "alpha": pair["map"],
        "output": tmp_path / "made",
    }


TWO = {"methods": ["direct", "average"], "metrics": "fmi"}


def command_in(page):
    text = page.read_text(encoding="utf-8")
    return shlex.split(unescape(re.search(r'id="command"[^>]*>(.*?)</pre>', text)[1]))


def test_results_are_those_of_the_files(parts, tmp_path):
    made = CompareJob(**parts, **TWO, report=tmp_path / "report").run()
    page = made.files["report"]
    for name in ("direct", "average"):
        shown = osmofuse.read(page.parent / "pictures" / f"{name}.png").pixels
        stored = osmofuse.read(made.files[f"{name}.tif"])
        np.testing.assert_array_equal(shown, for_screen(stored, name))
    assert command_in(page) == [
        "osmofuse", "compare", "--from", str(tmp_path / "made" / "comparison.json"),
        "-o", str(tmp_path / "made-again"),
    ]  # fmt: skip
    assert "fused by several methods" in page.read_text(encoding="utf-8")


def test_results_and_their_report_are_written_together(parts, tmp_path):
    (tmp_path / "look" / "pictures").mkdir(parents=True)
    taken = tmp_path / "look" / "pictures" / "average.png"
    taken.write_text("mine")
    job = CompareJob(**parts, **TWO, report=tmp_path / "look")
    with pytest.raises(OutputError, match=r"average\.png: exists already"):
        job.run()
    assert not parts["output"].exists()
    taken.unlink()
    made = job.run()
    assert made.files["report"] == tmp_path / "look" / "index.html"
    assert all(path.is_file() for path in made.files.values())
    names = {path.stem for path in taken.parent.iterdir()}
    assert {"foreground", "background", "alpha", "direct", "average"} <= names


def test_a_truth_is_shown_and_never_replaced(parts, tmp_path):
    folder = tmp_path / "report" / "pictures"
    folder.mkdir(parents=True)
    truth = osmofuse.write(osmofuse.read(parts["foreground"]), folder / "truth.png")
    before = truth.read_bytes()
    asked = parts | {"settings": ONE_TRIAL, "truth": truth, "overwrite": True}
    with pytest.raises(OutputError, match="would replace the input"):
        SweepJob(**asked, report=tmp_path / "report").run()
    assert truth.read_bytes() == before
    page = SweepJob(**asked, report=tmp_path / "other").run().files["report"]
    assert (page.parent / "pictures" / "truth.png").is_file()


def test_answers_go_into_the_record_that_they_are_of(parts, tmp_path):
    first = CompareJob(**parts, **TWO).run()
    given = {
        "format": 1, "kind": "osmofuse ranking", "by": "A. Judge",
        "sha256_of_pixels": first.record.output["sha256_of_pixels"],
        "answers": [{"pair": ["direct", "average"], "better": None}],
    }  # fmt: skip
    answers = tmp_path / "ranking.json"
    answers.write_text(json.dumps(given), encoding="utf-8")
    SweepJob(**parts, settings=ONE_TRIAL, overwrite=True).run()
    path, record = keep_ranking(parts["output"], answers)
    assert path.name == "comparison.json"
    assert record.ranking[0]["points"] == {"average": 0.5, "direct": 0.5}
    assert read_record(path).as_json() == record.as_json()
    answers.write_text(json.dumps(given | {"sha256_of_pixels": "0"}), encoding="utf-8")
    with pytest.raises(MismatchError, match="other pictures"):
        keep_ranking(parts["output"], answers)
    with pytest.raises(UnreadableError, match=r"holds no comparison\.json or sweep\.json"):
        keep_ranking(tmp_path, answers)
