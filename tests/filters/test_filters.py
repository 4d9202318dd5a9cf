"""What all filters of planes have in common."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import plain_filters as plain
from osmofuse.filters import DomainTransform, box_mean, guided, laplacian, lee

sides = st.integers(1, 12)
radii = st.integers(0, 6)
seeds = st.integers(0, 2**32 - 1)


def guided_here(x):
    return guided(x, np.hypot(*np.indices(x.shape)) / 9, radius=2, epsilon=0.01)


def transformed_here(x):
    guide = np.hypot(*np.indices(x.shape)) / 9
    return DomainTransform.of(guide, sigma_space=3.0, sigma_range=0.5)(x)


FILTERS = {
    "box_mean": lambda x: box_mean(x, 2),
    "box_mean replicated": lambda x: box_mean(x, 2, border="replicate"),
    "guided": guided_here,
    "lee": lambda x: lee(x, radius=2, epsilon=0.01),
    "laplacian": laplacian,
    "domain transform": transformed_here,
}
SMOOTHERS = {name: f for name, f in FILTERS.items() if name != "laplacian"}


def named(filters):
    return pytest.mark.parametrize("filtered", filters.values(), ids=filters)


@named(FILTERS)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("shape", [(1, 1), (1, 6), (5, 1), (7, 4)])
def test_type_shape_and_input_stay(rng, filtered, dtype, shape):
    x = rng.random(shape).astype(dtype)
    before = x.copy()
    x.flags.writeable = False
    y = filtered(x)
    assert y.dtype == dtype
    assert y.shape == shape
    assert not np.shares_memory(x, y)
    assert np.array_equal(x, before)


@named(SMOOTHERS)
@pytest.mark.parametrize("shape", [(1, 1), (1, 6), (9, 8)])
def test_constants_stay(filtered, shape):
    np.testing.assert_allclose(filtered(np.full(shape, 0.3)), 0.3, rtol=1e-13)


@named(FILTERS)
def test_single_precision_is_double_precision_rounded(rng, filtered):
    x = rng.random((9, 8)).astype(np.float32)
    np.testing.assert_allclose(filtered(x), filtered(x.astype(np.float64)), atol=1e-6)


@named(FILTERS)
def test_views_are_filtered_like_their_copies(rng, filtered):
    x = rng.random((8, 9, 3))[::2, ::-1, 1]
    assert np.array_equal(filtered(x), filtered(x.copy()))


@given(seed=seeds, rows=sides, cols=sides, radius=radii)
def test_of_windows_as_the_formulas_say(seed, rows, cols, radius):
    x, z = np.random.default_rng(seed).random((2, rows, cols))
    found = {
        "shrink": box_mean(x, radius),
        "replicate": box_mean(x, radius, border="replicate"),
        "guided": guided(x, z, radius=radius, epsilon=1e-3),
        "lee": lee(x, radius=radius, epsilon=1e-3),
    }
    expected = {
        "shrink": plain.box_mean(x, radius),
        "replicate": plain.box_mean(x, radius, "replicate"),
        "guided": plain.guided(x, z, radius, 1e-3),
        "lee": plain.lee(x, radius, 1e-3),
    }
    for name, plane in found.items():
        np.testing.assert_allclose(plane, expected[name], atol=1e-10, err_msg=name)


@given(seed=seeds, rows=sides, cols=sides)
def test_of_neighbours_as_the_formulas_say(seed, rows, cols):
    x, z = np.random.default_rng(seed).random((2, rows, cols))
    np.testing.assert_allclose(laplacian(x), plain.laplacian(x), atol=1e-14)
    smooth = DomainTransform.of(z, sigma_space=4.0, sigma_range=0.7)
    np.testing.assert_allclose(smooth(x), plain.domain_transform(x, z, 4.0, 0.7), atol=1e-14)
