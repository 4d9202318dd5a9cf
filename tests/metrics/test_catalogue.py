"""The catalogue of metrics: names, sets, and for each metric a value in its range or a reason."""

from __future__ import annotations

import warnings
from dataclasses import replace
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import osmofuse
from osmofuse import InputError, score
from osmofuse.metrics.catalogue import FAMILIES, METRICS, SETS
from osmofuse.metrics.metric import Pictures

# Noise has a number as good as a photograph's where there is nothing to compare it with.
WITHOUT_REFERENCE = {"brisque", "niqe"}

# Conditions for a value. A metric that is in none of these has one for all pictures.
LEAST_SIDE = {
    "fmi": 3, "brisque": 13, "vifb_ssim": 11, "ssim": 11, "avg_gradient": 2, "niqe": 192,
    "vif": 41, "viff": 41, "qy": 7, "stroke_contrast": 16,
}  # fmt: skip
NEEDS_COLOURS = {"chromaticity", "natural_chromaticity"}
NEEDS_VARIATION = {
    "structure",
    "brisque",
    "qcv",
    "nmi",
    "vif",
    "niqe",
    "legibility",
    "stroke_contrast",
}
NEEDS_VARIATION_ITSELF = {"legibility", "stroke_contrast"}
NEEDS_ALPHA = {"structure", "seam_visibility", "natural_chromaticity"}
NEEDS_A_BOUNDARY = {"seam_visibility", "natural_chromaticity"}


def has_value(name, fused, *sources, alpha=0.5, known=True):
    """Return True if a metric must have a value for these pictures, False if it must not.

    `known` says whether there are a truth and a map of the ink.
    """
    missing = (alpha is None and name in NEEDS_ALPHA) or (
        not known and name in (*SETS["truth"], *SETS["ink"])
    )
    flat = all(np.ptp(x) == 0 for x in (fused, *sources))
    return not (
        missing
        or min(fused.shape[:2]) < LEAST_SIDE.get(name, 1)
        or (name in NEEDS_COLOURS and (fused.ndim == 2 or fused.shape[2] == 1))
        or (name in NEEDS_VARIATION and flat)
        or (name in NEEDS_VARIATION_ITSELF and np.ptp(stored(fused)) == 0)
        or (name in SETS["ink"] and fused.shape[0] * fused.shape[1] == 1)
        or (name in NEEDS_A_BOUNDARY and np.ndim(alpha) == 0)
        or (name == "qabf" and (fused.size <= 3 or not any(x.any() for x in sources)))
    )


def stored(fused):
    return fused if fused.dtype.kind == "u" else fused.clip(0, 1)


def ink_of(shape):
    """Return a map of ink in every other pixel."""
    return np.arange(shape[0] * shape[1]).reshape(shape[:2]) % 2 * 1.0


@pytest.fixture
def pictures(rng):
    shape = (96, 192)  # the least that niqe has a number for
    three, truth = rng.random((3, *shape, 3)), rng.random((*shape, 3))
    return Pictures(*three, rng.random(shape), truth, ink_of(shape))


def test_every_metric_of_every_family_is_in_the_catalogue():
    folder = Path(osmofuse.metrics.__file__).parent
    families = [p.stem for p in folder.glob("*.py") if "\nMETRICS = {\n" in p.read_text("utf-8")]
    assert sorted(families) == sorted(FAMILIES)
    defined = [
        name for one in families for name in import_module(f"osmofuse.metrics.{one}").METRICS
    ]
    assert sorted(defined) == sorted(METRICS), "named twice, or not in the order of the catalogue"


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
    if name in {"entropy", "avg_gradient", "edge_intensity", "spatial_frequency", "vifb_variance"}:
        return 1.5 * (p.fused - 0.5) + 0.5
    if name in SETS["truth"]:
        return p.truth
    if name in SETS["ink"]:
        return np.repeat(p.ink[..., None], 3, axis=2)
    if name == "stroke_contrast":
        strokes = (np.arange(p.fused.shape[1]) % 16 < 4)[:, None]
        return 0.9 - 0.7 * strokes + 0.02 * p.fused
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
    assert set(SETS) == {"paper", "vifb", "truth", "ink", "all"}
    assert len(SETS["vifb"]) == 13


# Whatever is scored, there is a number within the range or a reason; new metrics are tried, too.


def tried(name, pictures, *, alpha=0.5, bits=8):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        known = {"truth": pictures[3], "ink": ink_of(pictures[0].shape)}
        found = score(*pictures[:3], alpha, **known, metrics=[name], bits=bits)[name]
    assert (found.value is None) != (found.reason is None)
    if found.value is None:
        assert found.reason.strip()
    else:
        assert found.range[0] <= found.value <= found.range[1]
    return found


def check_value(name, pictures, *, alpha=0.5, bits=8):
    """Check that there is a value if there must be one, and a reason if there must not."""
    found = tried(name, pictures, alpha=alpha, bits=bits)
    if "not installed" not in str(found.reason):
        expected = has_value(name, *pictures[:3], alpha=alpha)
        assert (found.value is not None) == expected, found.reason


@pytest.mark.parametrize("name", METRICS)
@pytest.mark.parametrize("bits", [8, None])
@pytest.mark.parametrize("level", [0.0, 0.3, 1.0])
@pytest.mark.parametrize("shape", [(1, 1, 3), (2, 3), (1, 9, 3), (20, 17), (43, 42, 3)])
def test_constants_have_a_value_if_the_metric_allows_them(name, bits, level, shape):
    x = np.full(shape, level)
    check_value(name, [x] * 4, bits=bits)
    check_value(name, [x, 1.0 - x, x, 1.0 - x], bits=bits)


@pytest.mark.parametrize("name", METRICS)
@pytest.mark.parametrize("dtype", [np.uint8, np.uint16])
@pytest.mark.parametrize(
    "bands", [(3, 3, 3), (3, 3, 1), (1, 1, 1), (1, 3, 3), (3, 1, 3), (1, 3, 1)]
)
def test_files_of_any_bands_and_depth_have_a_value(rng, name, dtype, bands):
    top = np.iinfo(dtype).max
    pictures = [rng.integers(0, top, (44, 42, n), dtype, endpoint=True) for n in bands]
    pictures.append(pictures[0])
    alpha = np.broadcast_to(np.arange(42) > 20, (44, 42))
    for bits in (8, 16, None):
        check_value(name, pictures, alpha=alpha, bits=bits)


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
def test_only_metrics_that_need_alpha_truth_or_ink_lack_a_value_without_them(rng, name):
    pictures = rng.random((3, 44, 42, 3))
    found = score(*pictures, metrics=[name])[name]
    assert (found.value is None) != (found.reason is None)
    if "not installed" not in str(found.reason):
        expected = has_value(name, *pictures, alpha=None, known=False)
        assert (found.value is not None) == expected, found.reason


@pytest.mark.parametrize("name", METRICS)
def test_fused_pictures_far_out_of_range_have_a_value_or_a_reason(rng, name):
    u, *others = rng.random((4, 13, 14, 3))
    for factor in (-1.0, 1e9):
        check_value(name, [factor * u, *others], bits=None)
    tried(name, [1e300 * u, *others], bits=None)


@pytest.mark.parametrize("name", METRICS)
def test_inputs_are_never_changed(pictures, name):
    before = [x.copy() for x in vars(pictures).values()]
    for x in vars(pictures).values():
        x.flags.writeable = False
    METRICS[name].value(pictures)
    assert all(np.array_equal(x, y) for x, y in zip(vars(pictures).values(), before, strict=True))
