"""The table of metrics: names, sets, and values within what the table says."""

from __future__ import annotations

import warnings
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from osmofuse import InputError, score
from osmofuse.metrics.catalogue import METRICS, SETS
from osmofuse.metrics.metric import Pictures

# Noise has a number as good as a photograph's where there is nothing to compare it with.
WITHOUT_REFERENCE = {"brisque", "niqe"}


@pytest.fixture
def pictures(rng):
    shape = (96, 192)  # the least that niqe has a number for
    return Pictures(*rng.random((3, *shape, 3)), rng.random(shape), rng.random((*shape, 3)))


def test_the_sets_name_metrics():
    assert set(SETS["all"]) == set(METRICS)
    assert set(SETS["paper"]) | set(SETS["truth"]) <= set(METRICS)
    assert not set(SETS["paper"]) & set(SETS["truth"])
    assert not set(SETS) & set(METRICS), "score takes either by one argument"


@pytest.mark.parametrize("name", METRICS)
def test_values_lie_in_the_range(pictures, name):
    low, high = METRICS[name].range
    try:
        assert low <= METRICS[name].value(pictures) <= high
    except InputError as reason:
        if "not installed" not in str(reason):
            raise
        pytest.skip(f"needs the models: {reason}")


@pytest.mark.parametrize("name", SETS["truth"])
def test_a_truth_is_needed(pictures, name):
    without = Pictures(
        pictures.fused, pictures.foreground, pictures.background, pictures.alpha, None
    )
    with pytest.raises(InputError, match="no truth was given"):
        METRICS[name].value(without)


@pytest.mark.parametrize("name", METRICS)
def test_metrics_say_what_they_are(name):
    metric = METRICS[name]
    for words in (metric.definition, metric.channels, metric.source, metric.check):
        assert words.strip()
        assert "|" not in words, "it would end a cell of a table"
        assert not words.endswith(".")
    assert metric.range[0] < metric.range[1]


# What is right for a metric: the sources themselves for most, more structure for others.
def right_for(name, p):
    if name in ("entropy", "avg_gradient", "edge_intensity", "spatial_frequency", "variance"):
        return 1.5 * (p.fused - 0.5) + 0.5
    if name in SETS["truth"]:
        return p.truth
    both = {"structure": p.background, "scd": p.foreground + p.background}
    return both.get(name, p.foreground)


@pytest.mark.parametrize("name", sorted(set(METRICS) - WITHOUT_REFERENCE))
def test_better_is_the_better_end(pictures, name):
    """The right answer beats noise, for each metric on the side it says."""
    metric = METRICS[name]
    u = 0.5 * pictures.fused + 0.25
    if name == "cross_entropy":
        # It drops levels that are missing, and needs few of which many pixels are.
        pictures = Pictures(*(np.floor(8.0 * x) / 8.0 for x in vars(pictures).values()))
        u = np.minimum(pictures.fused, pictures.truth)
    alpha = np.zeros(pictures.fused.shape[:2])
    alpha[:, -2:] = 1.0  # some metrics look at the line between
    pictures = replace(pictures, fused=u, alpha=alpha)
    right = replace(pictures, fused=right_for(name, pictures))
    scores = [metric.value(p) for p in (right, pictures)]
    assert (scores[0] > scores[1]) == (metric.better == "high")


def test_the_sets_are_those_of_the_issue():
    assert set(SETS) == {"paper", "vifb", "truth", "all"}
    assert len(SETS["vifb"]) == 13


# Whatever is scored, there is a number within the range or a reason; new metrics are tried, too.


def tried(name, pictures, *, alpha=0.5, bits=8):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = score(*pictures[:3], alpha, truth=pictures[3], metrics=[name], bits=bits)[name]
    assert (found.value is None) != (found.reason is None)
    if found.value is None:
        assert found.reason.strip()
    else:
        assert found.range[0] <= found.value <= found.range[1]
    return found


@pytest.mark.parametrize("name", METRICS)
@pytest.mark.parametrize("bits", [8, None])
@pytest.mark.parametrize("level", [0.0, 0.3, 1.0])
@pytest.mark.parametrize("shape", [(1, 1, 3), (2, 3), (1, 9, 3), (20, 17), (20, 17, 3)])
def test_constants_have_a_value_or_a_reason(name, bits, level, shape):
    x = np.full(shape, level)
    tried(name, [x] * 4, bits=bits)
    tried(name, [x, 1.0 - x, x, 1.0 - x], bits=bits)


@pytest.mark.parametrize("name", METRICS)
@pytest.mark.parametrize("dtype", [np.uint8, np.uint16])
@pytest.mark.parametrize(
    "bands", [(3, 3, 3), (3, 3, 1), (1, 1, 1), (1, 3, 3), (3, 1, 3), (1, 3, 1)]
)
def test_files_of_any_bands_and_depth_have_a_value_or_a_reason(rng, name, dtype, bands):
    top = np.iinfo(dtype).max
    pictures = [rng.integers(0, top, (24, 19, n), dtype, endpoint=True) for n in bands]
    pictures.append(pictures[0])
    for bits in (8, 16, None):
        tried(name, pictures, bits=bits)


@pytest.mark.parametrize("name", METRICS)
@settings(max_examples=15)
@given(data=st.data())
def test_tiny_pictures_have_a_value_or_a_reason(name, data):
    shape = data.draw(st.tuples(st.integers(1, 13), st.integers(1, 13)))
    shape += data.draw(st.sampled_from([(), (1,), (3,)]))
    levels = st.sampled_from([0.0, 1 / 255, 0.25, 0.5, 254 / 255, 1.0])
    pictures = [data.draw(arrays(np.float64, shape, elements=levels)) for _ in range(4)]
    tried(name, pictures, bits=data.draw(st.sampled_from([8, 16, None])))


@pytest.mark.parametrize("name", METRICS)
def test_without_alpha_and_truth_there_is_a_value_or_a_reason(rng, name):
    found = score(*rng.random((3, 13, 14, 3)), metrics=[name])[name]
    assert (found.value is None) != (found.reason is None)


@pytest.mark.parametrize("name", METRICS)
def test_fused_pictures_far_out_of_range_have_a_value_or_a_reason(rng, name):
    u, *others = rng.random((4, 13, 14, 3))
    for factor in (-1.0, 1e9, 1e300):
        tried(name, [factor * u, *others], bits=None)


@pytest.mark.parametrize("name", METRICS)
def test_inputs_are_never_changed(pictures, name):
    before = [x.copy() for x in vars(pictures).values()]
    for x in vars(pictures).values():
        x.flags.writeable = False
    METRICS[name].value(pictures)
    assert all(np.array_equal(x, y) for x, y in zip(vars(pictures).values(), before, strict=True))
