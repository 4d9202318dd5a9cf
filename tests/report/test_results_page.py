"""The page of several results."""

from __future__ import annotations

import json
import re

import numpy as np
import pytest

import osmofuse
from osmofuse.errors import InputError, OutputError
from osmofuse.metrics import Score
from osmofuse.report import Provenance, results_page, write_results
from osmofuse.tasks import Comparison
from pairs import a_record

RNG = np.random.default_rng(0)
PICTURES = {"foreground": RNG.random((12, 16, 3)), "alpha": np.full((12, 16), 0.5)}
RESULTS = {name: RNG.random((12, 16, 3)) for name in ("one <1>", "two", "three")}
MADE = Provenance(a_record())
FUSION = osmofuse.fuse(PICTURES["foreground"], PICTURES["foreground"], method="direct")


def compared(name, value, better="high"):
    return Comparison(name, FUSION, {"fmi": Score(value, better, (0, 1))})


def written(folder, **changes):
    parts = {"pictures": PICTURES, "results": RESULTS, "provenance": MADE} | changes
    return write_results(folder, **parts).read_text(encoding="utf-8")


def test_every_result_is_a_layer_once_and_has_its_map(tmp_path):
    text = written(tmp_path / "report")
    names = [path.name for path in (tmp_path / "report" / "pictures").iterdir()]
    assert {"one-1.png", "two.png", "map_two-colour-difference-e.png"} <= set(names)
    assert text.count('class="layer"') == 2 + 3 + 3
    assert text.count("data-rank=") == 3
    beside = re.findall(r'data-show="map_[^"]*" data-beside="([^"]*)"', text)
    assert beside == ["one-1", "two", "three"]
    assert "<1>" not in text.replace("<h1>", "")
    highest = set(re.findall(r"<span>([\d.e+]+) and more</span>", text))
    assert len(highest) == 1, "one scale of colours for all"


def test_the_ranking_is_of_the_layers_in_their_order(tmp_path):
    text = written(tmp_path / "report")
    data = json.loads(re.search(r'id="ranking">(.*?)</script>', text)[1])
    assert len(data["names"]) == 3
    ranked = re.findall(r'data-name="([^"]*)"><img src="[^"]*" [^>]*data-rank="(\d)"', text)
    assert ranked == [("one-1", "0"), ("two", "1"), ("three", "2")]


def test_the_best_of_a_column_is_marked_and_what_is_missing_is_said(tmp_path):
    rows = [compared("one <1>", 0.25), compared("two", 0.75), compared("three", None)]
    rows.append(Comparison("four", None, {}, "cannot"))
    text = written(tmp_path / "report", comparisons=rows)
    assert "<strong>0.750</strong>" in text
    assert "<strong>0.250</strong>" not in text
    assert "made no picture" in text
    assert "four: cannot" in text
    low = [compared("one <1>", 0.25, "low"), compared("two", 0.75, "low")]
    assert "<strong>0.250</strong>" in written(tmp_path / "low", comparisons=low)


@pytest.mark.parametrize("count", [1, 9])
def test_too_few_or_too_many_are_not_ranked(tmp_path, count):
    results = {f"r{k}": PICTURES["foreground"] for k in range(count)}
    text = written(tmp_path / "report", results=results)
    assert "data-rank=" not in text
    assert ("Up to 8 results can be ranked" in text) == (count == 9)


def test_many_pixels_are_reduced_to_what_a_browser_can_carry(tmp_path, monkeypatch):
    monkeypatch.setattr(results_page, "_BUDGET", 5 * 12 * 16 / 4)
    text = written(tmp_path / "report")
    assert "shown here at most 8 pixels wide or high; the files have them all" in text
    assert osmofuse.read(tmp_path / "report" / "pictures" / "two.png").shape == (12, 16)


def test_without_a_foreground_results_are_beside_each_other(tmp_path):
    text = written(tmp_path / "report", pictures={})
    assert 'data-left="one-1" data-right="three"' in text
    assert "What changed" not in text


def test_what_cannot_be_shown_is_refused(tmp_path):
    with pytest.raises(InputError, match="results: none"):
        written(tmp_path / "report", results={})
    with pytest.raises(InputError, match="'alpha' is the name of a picture"):
        written(tmp_path / "report", results={"alpha": PICTURES["foreground"]})
    written(tmp_path / "report")
    with pytest.raises(OutputError, match="exists already"):
        written(tmp_path / "report")
