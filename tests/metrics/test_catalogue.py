"""The table of metrics: names, sets, and values within what the table says."""

from __future__ import annotations

import numpy as np
import pytest

from osmofuse import InputError
from osmofuse.metrics.catalogue import METRICS, SETS
from osmofuse.metrics.metric import Pictures


@pytest.fixture
def pictures(rng):
    return Pictures(*rng.random((3, 13, 14, 3)), rng.random((13, 14)), rng.random((13, 14, 3)))


def test_the_sets_name_metrics():
    assert set(SETS["all"]) == set(METRICS)
    assert set(SETS["paper"]) | set(SETS["truth"]) <= set(METRICS)
    assert not set(SETS["paper"]) & set(SETS["truth"])
    assert not set(SETS) & set(METRICS), "score takes either by one argument"


@pytest.mark.parametrize("name", METRICS)
def test_values_lie_in_the_range(pictures, name):
    low, high = METRICS[name].range
    assert low <= METRICS[name].value(pictures) <= high


@pytest.mark.parametrize("name", SETS["truth"])
def test_a_truth_is_needed(pictures, name):
    without = Pictures(
        pictures.fused, pictures.foreground, pictures.background, pictures.alpha, None
    )
    with pytest.raises(InputError, match="no truth was given"):
        METRICS[name].value(without)


@pytest.mark.parametrize("name", METRICS)
def test_better_is_the_better_end(pictures, name):
    """The right answer beats noise, for each metric on the side it says."""
    metric = METRICS[name]
    f, b = pictures.foreground, pictures.background
    alpha = np.zeros((13, 14))
    alpha[:, 12:] = 1.0
    good = {"structure": b}.get(name, pictures.truth if name in SETS["truth"] else f)
    scores = [
        metric.value(Pictures(u, f, b, alpha, pictures.truth)) for u in (good, pictures.fused)
    ]
    assert (scores[0] > scores[1]) == (metric.better == "high")
