"""Local moments about each window's own mean, against plain loops and by their laws."""

from __future__ import annotations

import numpy as np
import pytest

from osmofuse.filters import gaussian_moments, moments

SHAPES = [(7, 9), (1, 1), (1, 6), (8, 1), (40, 3)]


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
def test_against_loops(rng, shape, sigma, radius):
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


def test_strips_change_nothing(rng, monkeypatch):
    x, y = rng.random((2, 23, 9))
    whole = gaussian_moments(x, y, 1.5, radius=4)
    monkeypatch.setattr(moments, "STRIP", 5)
    np.testing.assert_array_equal(gaussian_moments(x, y, 1.5, radius=4), whole)


def test_variances_are_positive_and_bound_the_covariance(rng):
    x, y = 1e6 + rng.random((2, 30, 20))
    found = gaussian_moments(x, y, 1.5, radius=5)
    assert min(found.var_x.min(), found.var_y.min()) > 0
    assert (found.cov**2 <= found.var_x * found.var_y * (1 + 1e-12)).all()
