"""Scores and records in words."""

from __future__ import annotations

import math

from osmofuse.metrics import Score
from osmofuse.metrics.catalogue import METRICS
from osmofuse.report.facts import definitions, facts_of, results_table, scores_table
from osmofuse.tasks import Comparison
from pairs import a_record


def test_a_score_comes_with_its_digits_and_what_it_measures():
    table = scores_table({"chromaticity": Score(0.012345, "low", (0.0, math.inf))})
    assert ">0.0123<" in table
    assert ">lower<" in table
    assert METRICS["chromaticity"].source in table


def test_a_score_that_is_none_says_why():
    table = scores_table({"new_one": Score(None, "high", (0, 1), "no truth & no luck")})
    assert "new one" in table
    assert ">–<" in table
    assert "Not available: no truth &amp; no luck" in table


def test_a_record_in_words():
    facts = facts_of(a_record())
    assert facts["Foreground"].startswith("in/visible.tif; named .png, but a TIFF (SHA-256 aaaa")
    assert "levels match" in facts["Background"]
    assert facts["Alpha"] == "0.5 everywhere"
    assert facts["Settings"] == "gamma ∞, reach by the paper's rule"
    assert facts["Ended"] == "converged (energy rate), reach 12.2 pixels, 0.50 s"
    assert facts["Clipped"] == "3 samples"
    assert "osmofuse" in facts["Made with"]


def test_the_recipe_is_named():
    assert "Recipe" not in facts_of(a_record())
    facts = facts_of(a_record(recipe={"name": "text", "sha256": "ab" * 32}))
    assert facts["Recipe"] == "text (SHA-256 abababababababab…)"


def test_what_a_record_does_not_know_is_left_out():
    record = a_record(result={"status": "direct"}, alpha={"value": None, "soften": 5.0})
    facts = facts_of(record)
    assert facts["Ended"] == "computed directly"
    assert facts["Alpha softened"] == "by 5 pixels"
    assert "Clipped" not in facts
    assert "<dt>Ended</dt><dd>computed directly</dd>" in definitions(facts_of(record))


def test_a_map_made_from_the_pictures_is_told():
    made = {"value": "auto", "soften": 2.0, "made": "alpha was made from the two pictures"}
    facts = facts_of(a_record(alpha=made))
    assert facts["Alpha"] == "made from the two pictures"
    assert facts["Alpha softened"] == "by 2 pixels"


def test_a_record_of_what_is_no_fusion():
    settings = {"method": "knn", "band": None, "deformation": False, "eta": [0.0, 0.5]}
    facts = facts_of(a_record(alpha={}, method={"name": "matte", "settings": settings}))
    assert facts["Settings"] == "method knn, band none, deformation no, eta 0, 0.5"
    assert "Working space" not in facts
    assert "Alpha" not in facts


def test_several_maps_are_told_in_one_line():
    several = {"value": [0.25, None, "auto", None], "made": "alpha was made from the two pictures"}
    told = "0.25 everywhere; made from the two pictures; 2 from files"
    assert facts_of(a_record(alpha=several))["Alpha"] == told
    assert "Alpha" not in facts_of(a_record(alpha={"value": [None, None, None]}))
    one_file = facts_of(a_record(alpha={"value": [0.25, None]}))
    assert one_file["Alpha"] == "0.25 everywhere; 1 from a file"


def test_the_best_of_a_column_is_marked_if_there_is_a_choice():
    results = [
        Comparison(name, None, {"chromaticity": Score(value, "low", (0.0, math.inf))})
        for name, value in (("one", 0.3), ("two", 0.2))
    ]
    assert "<strong>" not in results_table(results[:1])
    table = results_table(results)
    assert table.count("<strong>") == 1
    assert "<strong>0.2" in table


def test_a_column_with_no_or_one_value_marks_nothing():
    missing = Score(None, "high", (0.0, 1.0), "no truth")
    for first in (missing, Score(0.5, "high", (0.0, 1.0))):
        results = [Comparison("a", None, {"ssim": first}), Comparison("b", None, {"ssim": missing})]
        assert "<strong>" not in results_table(results)
