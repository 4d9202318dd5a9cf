"""Comparisons of methods in a folder, their reports, and rankings by judges."""

from __future__ import annotations

import json
import re
import shlex
from html import unescape
from pathlib import Path

import numpy as np
import pytest

import osmofuse
from osmofuse.errors import (
    MismatchError,
    OutputError,
    SettingError,
    UnreadableError,
)
from osmofuse.io import for_screen
from osmofuse.jobs import CompareJob, SweepJob, keep_ranking
from osmofuse.record import read_record, sha256_of_pixels

ONE_TRIAL = {"eta": (0.1,), "mu": (1.0,), "gamma": (1.0,), "start": ("means",)}


@pytest.fixture
def parts(pair, tmp_path):
    return {
        "foreground": pair["visible"],
        "backgrounds": pair["infrared"],
        "alpha": pair["map"],
        "output": tmp_path / "made",
    }


def compared(parts, **changes):
    return CompareJob(**parts | changes).run()


def names(parts):
    return {path.name for path in parts["output"].iterdir()}


def test_a_comparison_writes_pictures_sheets_and_tables(parts):
    made = compared(parts, methods=iter(["direct", "average"]))
    assert names(parts) == {
        "direct.tif", "average.tif", "sheet.png", "zoom.png", "table.md", "table.tex", "table.csv",
        "comparison.json",
    }  # fmt: skip
    assert set(made.files) == names(parts)
    files = [osmofuse.read(path) for path in (parts["foreground"], parts["backgrounds"])]
    alone = osmofuse.fuse(*files, osmofuse.read(parts["alpha"]).pixels, method="direct")
    written = osmofuse.read(made.files["direct.tif"])
    np.testing.assert_array_equal(written.pixels, files[0].with_samples(alone.image)[0].pixels)
    assert written.profile == files[0].profile
    assert made.table.count("\n") >= 3


def test_a_comparison_has_a_record(parts):
    made = compared(parts, methods=["direct", "average"], truth=parts["foreground"])
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
    again = compared(
        parts | {"overwrite": True}, methods=["direct", "average"], truth=parts["foreground"]
    )
    assert again.record.output == record.output
    other = compared(parts | {"overwrite": True}, methods=["average"])
    assert other.record.output["sha256_of_pixels"] != record.output["sha256_of_pixels"]


def test_a_truth_and_a_part_can_be_given(parts):
    box = 3, 2, 9, 7
    made = compared(parts, methods=["direct"], truth=parts["foreground"], zoom=box, metrics="fmi")
    assert "psnr" in made.table
    assert "chromaticity" not in made.table


def test_the_papers_table_has_its_values_in_brackets(parts):
    made = compared(parts, paper=True)
    names = [one.name for one in made.comparisons]
    assert names[-2:] == ["variational-published", "variational-flow"]
    by_paper, by_flow = (line for line in made.table.splitlines() if "| variational" in line)
    assert "(0.0062)" in by_paper
    assert "(" not in by_flow
    assert "not public" in made.table
    assert "published_fmi" in made.files["table.csv"].read_text()


@pytest.mark.parametrize(
    "given", [{"methods": ["direct"]}, {"metrics": "all"}, {"truth": Path("visible.tif")}]
)
def test_the_papers_table_takes_nothing_else(parts, given):
    with pytest.raises(SettingError, match=f"{next(iter(given))}: the paper's Table I"):
        compared(parts, paper=True, **given)


def test_pictures_are_marked_and_have_the_format_of_the_foreground(parts, tmp_path):
    lying = tmp_path / "lying.jpg"
    lying.write_bytes(parts["foreground"].read_bytes())
    made = compared(parts | {"foreground": lying}, methods=["direct"])
    xmp = osmofuse.read(made.files["direct.tif"]).metadata.xmp
    assert b"digitalsourcetype/composite" in xmp
    assert b"DirectMatting" in xmp


def test_settings_of_a_method_are_used_and_recorded(parts):
    settings = {"variational": {"reach": 2.0}}
    made = compared(parts, methods=["direct", "variational"], settings=settings)
    assert made.comparisons[1].fusion.reach == 2.0
    assert made.record.method["settings"]["settings"] == settings
    with pytest.raises(SettingError, match="settings: 'poisson' is not compared"):
        CompareJob(**parts, methods=["direct"], settings={"poisson": {}})


@pytest.mark.parametrize(
    ("given", "match"),
    [
        ({"methods": ()}, "methods: empty"),
        ({"methods": ["poison"]}, r"'poison' is unknown \(did you mean 'poisson'\?\)"),
        ({"zoom": (30, 0, 9, 9)}, "zoom: ends at 39,9, outside"),
    ],
)
def test_what_cannot_be_compared_is_refused(parts, given, match):
    with pytest.raises(SettingError, match=match):
        CompareJob(**parts, **given).check()


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
