"""The laws of linear osmosis on pictures of every kind."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse.linalg import expm_multiply

from osmofuse import fuse
from osmofuse.methods.fusion_drift import RULES, fusion_drift
from registry import osmosis_matrix

STARTS = ("pasted", "foreground", "composite")
sides = st.integers(1, 11)
seeds = st.integers(0, 2**32 - 1)
times = st.sampled_from([1e-6, 0.5, 30.0, 1e4, 1e9, math.inf])


def osmosis(*pictures, **settings):
    return fuse(*pictures, method="linear-osmosis", **settings)


def scene(seed, rows, cols, low=0.0):
    """Two pictures of noise with black and white pixels, and a map of three values."""
    rng = np.random.default_rng(seed)
    f, b = np.clip(rng.uniform(-0.3, 1.3, (2, rows, cols)), low, 1.0)
    return f, b, rng.choice([0.0, 0.5, 1.0], (rows, cols))


def start_of(f, b, alpha, start):
    return {
        "pasted": np.where(alpha == 1, f, b),
        "foreground": f,
        "composite": alpha * f + (1 - alpha) * b,
    }[start]


@settings(max_examples=40)
@given(
    seed=seeds,
    rows=sides,
    cols=sides,
    time=times,
    drift=st.sampled_from(RULES),
    start=st.sampled_from(STARTS),
    offset=st.sampled_from([1.0, 1 / 255, 1e-6]),
)
def test_mass_and_positivity_are_kept(seed, rows, cols, time, drift, start, offset):
    f, b, alpha = scene(seed, rows, cols)
    fusion = osmosis(f, b, alpha, time=time, steps=3, drift=drift, start=start, offset=offset)
    u0 = start_of(f, b, alpha, start) + offset
    u = fusion.image + offset
    assert u.sum() == pytest.approx(u0.sum(), rel=1e-10)
    assert (u > 0).all()
    assert fusion.status.is_success


@settings(max_examples=20)
@given(seed=seeds, rows=sides, cols=sides, time=times, drift=st.sampled_from(RULES))
def test_a_picture_osmoses_into_itself(seed, rows, cols, time, drift):
    v, _, alpha = scene(seed, rows, cols)
    np.testing.assert_allclose(osmosis(v, v, alpha, time=time, drift=drift).image, v, atol=1e-11)


@settings(max_examples=20)
@given(seed=seeds, rows=sides, cols=sides)
def test_the_flow_ends_at_the_structure_with_the_mass_of_the_start(seed, rows, cols):
    f, v, _ = scene(seed, rows, cols)
    fusion = osmosis(f, v, 0.0, start="foreground", time=math.inf)
    expected = (f + 1).sum() / (v + 1).sum() * (v + 1) - 1
    np.testing.assert_allclose(fusion.image, expected, atol=1e-11)


@settings(max_examples=20)
@given(
    seed=seeds,
    rows=sides,
    cols=sides,
    c=st.sampled_from([0.25, 3.0, 7.3]),
    time=times,
    extent=st.sampled_from(["global", "local"]),
)
def test_only_ratios_of_the_background_count(seed, rows, cols, c, time, extent):
    f, b, alpha = scene(seed, rows, cols, low=0.01)
    both = {"start": "foreground", "offset": 0.0, "time": time, "extent": extent}
    plain, brighter = (osmosis(f, x, alpha, **both).image for x in (b, c * b))
    np.testing.assert_allclose(brighter, plain, rtol=1e-5)


@settings(max_examples=20)
@given(seed=seeds, rows=sides, cols=sides, time=times, start=st.sampled_from(STARTS))
def test_it_is_as_bright_as_the_pictures(seed, rows, cols, time, start):
    f, b, alpha = scene(seed, rows, cols, low=0.01)
    both = {"start": start, "offset": 0.0, "time": time}
    plain, brighter = (osmosis(c * f, c * b, alpha, **both).image for c in (1.0, 4.0))
    np.testing.assert_allclose(brighter, 4.0 * plain, rtol=1e-5)


@settings(max_examples=15)
@given(seed=seeds, rows=sides, cols=sides, c=st.sampled_from([0.5, 3.0]))
def test_where_the_foreground_is_a_multiple_of_the_background_a_clone_is_too(seed, rows, cols, c):
    _, b, alpha = scene(seed, rows, cols, low=0.01)
    fusion = osmosis(c * b, b, alpha, offset=0.0, extent="local", time=math.inf)
    if (alpha > 0).any():
        np.testing.assert_allclose(fusion.image, c * b, rtol=1e-9)


def test_implicit_steps_are_of_first_order(rng):
    f, b = rng.random((2, 9, 10))
    alpha = rng.choice([0.0, 1.0], (9, 10))
    drift = fusion_drift([f + 1, b + 1], [alpha, 1 - alpha], "averaged")
    u0 = np.where(alpha == 1, f, b) + 1
    exact = expm_multiply(4.0 * osmosis_matrix(drift), u0.ravel()).reshape(u0.shape) - 1
    errors = [
        np.linalg.norm(osmosis(f, b, alpha, time=4.0, steps=n, rtol=1e-12).image - exact)
        for n in (40, 80, 160)
    ]
    np.testing.assert_allclose(np.divide(errors[:-1], errors[1:]), 2.0, atol=0.1)


def test_a_long_time_comes_to_the_end_of_the_flow(rng):
    f, b = rng.random((2, 12, 13))
    alpha = np.where(np.arange(13) < 6, 1.0, 0.0) * np.ones((12, 13))
    for extent in ("global", "local"):
        long = osmosis(f, b, alpha, time=1e6, steps=20, extent=extent)
        end = osmosis(f, b, alpha, time=math.inf, extent=extent)
        np.testing.assert_allclose(long.image, end.image, atol=1e-8)


def test_channels_are_independent(rng):
    f, b = rng.random((2, 9, 8, 3))
    alpha = rng.random((9, 8))
    together = osmosis(f, b, alpha).image
    for c in range(3):
        alone = osmosis(f[..., c], b[..., c], alpha).image
        np.testing.assert_array_equal(together[..., c], alone)
