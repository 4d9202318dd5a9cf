from __future__ import annotations

import math

import numpy as np
import pytest

from osmofuse.filters import DomainTransform


def test_along_a_flat_line_it_fades_as_its_deviation_says():
    x = np.zeros((1, 41))
    x[0, 20] = 1.0
    y = DomainTransform.of(0 * x, sigma_space=5.0, sigma_range=1.0)(x)[0]
    a = math.exp(-math.sqrt(2) / 5.0)
    np.testing.assert_allclose(y[11:21] / y[10:20], 1 / a, rtol=1e-12)
    assert y[20] == pytest.approx((1 - a) / (1 + a), rel=1e-3)


@pytest.mark.parametrize("axis", [0, 1])
def test_nothing_crosses_an_edge(axis):
    z = np.indices((10, 10))[axis] // 5 * 1e3
    x = np.where(z > 0, 1.0, 0.0)
    y = DomainTransform.of(z, sigma_space=10.0, sigma_range=0.2)(x)
    assert np.array_equal(y, x)


def test_a_step_counts_as_the_way_it_stands_for():
    """Across a step of sigma_range the weight is that of 1 + sigma_space pixels."""
    m = DomainTransform.of(np.array([[0.0, 0.2]]), sigma_space=10.0, sigma_range=0.2).across
    assert m[0, 0] == pytest.approx(math.exp(-math.sqrt(2) / 10.0) ** 11)


def test_values_stay_in_their_range(rng):
    x, z = rng.random((2, 20, 15))
    y = DomainTransform.of(z, sigma_space=4.0, sigma_range=0.5)(x)
    assert x.min() <= y.min()
    assert y.max() <= x.max()
    assert y.std() < x.std()


def test_ones_stay_to_the_last_bit(rng):
    y = DomainTransform.of(rng.random((9, 9)), sigma_space=4.0, sigma_range=0.5)(np.ones((9, 9)))
    assert (y == 1.0).all()
