"""Functions as metrics: what they are given, and what becomes of their answer."""

from __future__ import annotations

import math
from functools import partial

import numpy as np
import pytest

import osmofuse
from osmofuse import InputError, SettingError, score


@pytest.fixture
def pictures(rng):
    return rng.integers(0, 256, (3, 13, 12, 3), np.uint8)


def contrast(fused):
    """Standard deviation of all samples.

    More words.
    """
    return fused.std()


contrast.better, contrast.range = "high", (0.0, 0.5)


def test_a_function_is_scored_by_its_name_beside_others(pictures):
    found = score(*pictures, 0.5, metrics=["fmi", contrast])
    assert list(found) == ["fmi", "contrast"]
    assert found["contrast"].value == pytest.approx((pictures[0] / 255).std())
    assert (found["contrast"].better, found["contrast"].range) == ("high", (0.0, 0.5))
    assert score(*pictures, metrics=contrast).keys() == {"contrast"}


def test_it_gets_what_it_names_as_the_metrics_get_it(pictures):
    seen = {}

    def look(truth, alpha, fused, *, foreground, background, power=2, **_):
        seen.update(truth=truth, alpha=alpha, fused=fused, foreground=foreground, power=power)
        assert background.shape == fused.shape
        return 1

    found = score(*pictures[:2], pictures[2, ..., 0], 0.25, truth=pictures[1], metrics=[look])
    assert found["look"].value == 1.0
    assert found["look"].better is None
    assert found["look"].range == (-math.inf, math.inf)
    assert seen["power"] == 2
    assert seen["alpha"] == 0.25
    np.testing.assert_array_equal(seen["truth"], seen["foreground"])
    np.testing.assert_allclose(seen["fused"], pictures[0] / 255)


def test_what_is_missing_is_the_reason_unless_it_has_a_default(pictures):
    def needs(alpha, truth):
        pytest.fail("there is none")

    def can_do_without(fused, alpha=None, truth=None):
        return float(alpha is None and truth is None)

    found = score(*pictures, metrics=[needs, can_do_without])
    assert found["needs"].reason == "no alpha was given"
    assert found["can_do_without"].value == 1.0


def test_what_it_raises_or_cannot_compute_is_the_reason_but_bugs_are_not_hidden(pictures):
    def small(fused):
        raise InputError("fused: too small")

    def nothing(fused):
        return math.nan

    def divided(fused):
        return 1 / np.float64(0)

    def buggy(fused):
        raise ZeroDivisionError

    found = score(*pictures, metrics=[small, nothing, divided])
    assert found["small"].reason == "fused: too small"
    assert found["nothing"].reason == "not defined for these pictures"
    assert found["divided"].reason.startswith("cannot be computed")
    with pytest.raises(ZeroDivisionError):
        score(*pictures, metrics=[buggy])


def test_no_function_changes_the_pictures_of_the_others(pictures):
    def vandal(fused):
        fused[...] = 0.0

    with pytest.raises(ValueError, match="read-only"):
        score(*pictures, metrics=[vandal])


def wrong(name, function, **attributes):
    function.__name__ = name
    vars(function).update(attributes)
    return function


@pytest.mark.parametrize(
    ("metrics", "message"),
    [
        ([wrong("odd", lambda fused: np.ones(3))], "odd returned a ndarray; must return a number"),
        ([wrong("odd", lambda fused: "x")], "odd returned a str"),
        ([wrong("odd", lambda picture: 1)], "odd takes picture; must take some of fused, "),
        ([wrong("odd", lambda fused, other: 1)], "odd takes fused, other; must"),
        ([wrong("odd", lambda fused, /: 1)], "odd takes fused; must take .* by these names"),
        ([wrong("odd", lambda: 1)], "odd takes nothing"),
        ([wrong("odd", lambda fused: 1, better="most")], "better of odd: 'most'; must be one of"),
        ([wrong("fmi", lambda fused: 1)], "there is another 'fmi'"),
        ([contrast, contrast], "there is another 'contrast'"),
        ([partial(contrast)], "must be a name, or a function with a __name__"),
        ([3], "must be a name, or a function"),
    ],
)
def test_what_is_no_metric_is_refused(pictures, metrics, message):
    with pytest.raises(SettingError, match=f"^metrics: .*{message}"):
        score(*pictures, metrics=metrics)


def test_compare_sweep_and_reports_take_them(pictures, tmp_path):
    pair = pictures[:2]
    found = osmofuse.compare(*pair, 0.5, methods=["direct", "average"], metrics=[contrast, "fmi"])
    assert [one.scores["contrast"].better for one in found] == ["high", "high"]

    def plain(fused):
        return 0.5

    (trial,) = osmofuse.sweep(
        *pair, 0.5, start="foreground", mu=10, eta=0.1, gamma=1, reach=2, metrics=[plain]
    )
    assert trial.scores["plain"].value == 0.5
    assert "plain |" in osmofuse.report.study_table([trial])
    found = osmofuse.compare(*pair, 0.5, methods=["direct", "average"], metrics=plain)
    assert "| plain |" in osmofuse.report.markdown_table(found)
    page = osmofuse.report.write_results(
        tmp_path / "page",
        pictures={"foreground": pictures[0]},
        results={one.name: one.fusion.image for one in found},
        comparisons=found,
    )
    assert "<strong>0.5" not in page.read_text("utf-8"), "neither is better"
