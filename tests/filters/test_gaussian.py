"""Gaussian filter, and local moments about the mean of each window."""

from __future__ import annotations

import math
import sys

import numpy as np
import pytest

from osmofuse.filters import gaussian, gaussian_moments

SHAPES = [(7, 9), (1, 1), (1, 6), (8, 1), (40, 3)]


def weights(sigma, radius):
    t = np.arange(-radius, radius + 1)
    kernel = np.exp(-(t**2) / (2 * sigma**2))
    return kernel / kernel.sum()


@pytest.mark.parametrize(("sigma", "radius"), [(1.5, 5), (0.7, None), (1.1, None), (2.0, 1)])
def test_an_impulse_becomes_the_kernel(sigma, radius):
    x = np.zeros((21, 21))
    x[10, 10] = 1.0
    reach = math.ceil(2 * sigma) if radius is None else radius
    line = np.pad(weights(sigma, reach), 10 - reach)
    np.testing.assert_allclose(
        gaussian(x, sigma, radius=radius), np.outer(line, line), rtol=1e-12, atol=1e-300
    )


def test_borders_are_replicated():
    x = np.array([[1.0, 0.0, 0.0, 0.0, 0.0]])
    a = weights(1.0, 2)
    expected = [a[0] + a[1] + a[2], a[0] + a[1], a[0], 0, 0]
    np.testing.assert_allclose(gaussian(x, 1.0)[0], expected, rtol=1e-13)


def test_channels_are_filtered_alone(rng):
    x = rng.random((9, 8, 3))
    expected = np.stack([gaussian(x[..., c], 1.3) for c in range(3)], axis=2)
    assert np.array_equal(gaussian(x, 1.3), expected)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_type_shape_and_input_stay(rng, dtype):
    x = rng.random((5, 1)).astype(dtype)
    x.flags.writeable = False
    y = gaussian(x, 2.0)
    assert y.dtype == dtype
    assert y.shape == x.shape
    assert not np.shares_memory(x, y)


def test_constants_stay():
    np.testing.assert_allclose(gaussian(np.full((7, 4), 0.3), 3.0), 0.3, rtol=1e-14)


def test_zeros_may_be_around_the_picture(rng):
    x = rng.random((6, 9))
    framed = gaussian(np.pad(x, 4), 1.3, radius=4)[4:-4, 4:-4]
    np.testing.assert_allclose(gaussian(x, 1.3, radius=4, border="zero"), framed, atol=1e-14)


# ---- moments ----


def by_loops(x, y, sigma, radius):
    t = np.arange(-radius, radius + 1)
    window = np.exp(-(t[:, None] ** 2 + t**2) / (2 * sigma**2))
    window /= window.sum()
    found = np.empty((5, *x.shape))
    x, y = (np.pad(z, radius, mode="edge") for z in (x, y))
    for i, j in np.ndindex(found.shape[1:]):
        a, b = (z[i : i + t.size, j : j + t.size] for z in (x, y))
        mean_a, mean_b = (window * a).sum(), (window * b).sum()
        a, b = a - mean_a, b - mean_b
        products = [(window * p).sum() for p in (a * a, b * b, a * b)]
        found[:, i, j] = mean_a, mean_b, *products
    return found


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize(("sigma", "radius"), [(1.5, 3), (0.6, 1), (4.0, 12), (2.0, 0)])
def test_moments_against_loops(rng, shape, sigma, radius):
    x, y = rng.random((2, *shape))
    x.flags.writeable = y.flags.writeable = False
    found = gaussian_moments(x, y, sigma, radius=radius)
    np.testing.assert_allclose(found, by_loops(x, y, sigma, radius), rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize("level", [0.1, 1 / 3, 25.5, 1e9])
def test_flat_planes_do_not_vary_at_all(level):
    flat = np.full((9, 11), level)
    found = gaussian_moments(flat, 3 * flat, 1.5, radius=5)
    assert (found.mean_x == level).all()
    assert not np.any(found[2:])


def test_the_level_costs_no_digits(rng):
    """A difference of squares would leave nothing of a variance of 1e-20 about 1."""
    x, y = 2.0**-40 * np.round(2.0**10 * rng.random((2, 9, 11)))
    raised = gaussian_moments(1.0 + x, 1.0 + y, 2.0, radius=6)
    np.testing.assert_allclose(
        raised[2:], gaussian_moments(x, y, 2.0, radius=6)[2:], rtol=1e-6, atol=1e-26
    )
    assert 0 < raised.var_x.max() < 1e-16


def test_strips_of_moments_change_nothing(rng, monkeypatch):
    x, y = rng.random((2, 23, 9))
    whole = gaussian_moments(x, y, 1.5, radius=4)
    monkeypatch.setattr(sys.modules["osmofuse.filters.gaussian"], "STRIP", 5)
    np.testing.assert_array_equal(gaussian_moments(x, y, 1.5, radius=4), whole)


def test_variances_are_positive_and_bound_the_covariance(rng):
    x, y = 1e6 + rng.random((2, 30, 20))
    found = gaussian_moments(x, y, 1.5, radius=5)
    assert min(found.var_x.min(), found.var_y.min()) > 0
    assert (found.cov**2 <= found.var_x * found.var_y * (1 + 1e-12)).all()
