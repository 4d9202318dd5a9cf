"""The exact step: against the exponential of a matrix, and the weights of its powers."""

import math

import numpy as np
import pytest
from scipy.linalg import expm

from osmofuse.linalg import CLOSED, SplitMatrix
from osmofuse.optimise import Evolution
from osmofuse.optimise.exponential import Exponential, poisson
from registry import osmosis_matrix


@pytest.mark.parametrize("tau", [1e-6, 1e-3, 1.0, 3.5, 100.0])
def test_it_is_the_exponential(rng, tau):
    drift, u = rng.uniform(-1, 1, (2, 4, 5)), rng.random((4, 5))
    exact = (expm(tau * osmosis_matrix(drift).toarray()) @ u.ravel()).reshape(4, 5)
    new = Exponential(SplitMatrix(drift), tau)(Evolution(u, 1.0))
    np.testing.assert_allclose(new.u, exact, rtol=1e-11)
    assert new.time == 1.0 + tau


def test_where_nothing_flows_nothing_changes(rng):
    A = SplitMatrix(np.zeros((2, 3, 3)), np.full((3, 3), CLOSED, np.uint8))
    u = rng.random((3, 3))
    assert np.array_equal(Exponential(A, 5.0)(Evolution(u)).u, u)


@pytest.mark.parametrize("mean", [1e-9, 0.3, 8.0, 8e3])
def test_weights_are_those_of_a_poisson_distribution(mean):
    weights = poisson(mean)
    assert weights.sum() == pytest.approx(1.0, abs=1e-12)
    for k in {0, 1, round(mean), round(mean + math.sqrt(mean))}:
        expected = math.exp(k * math.log(mean) - mean - math.lgamma(k + 1))
        assert weights[k] == pytest.approx(expected, rel=1e-9, abs=1e-300)
