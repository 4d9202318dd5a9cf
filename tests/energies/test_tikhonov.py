"""Quadratic smoothing: value, gradient, and the proximal map by cosines."""

import numpy as np
import pytest

from osmofuse.energies import Tikhonov
from osmofuse.operators import ForwardDifference
from osmofuse.testing import check_gradient, check_prox
from registry import SHAPES, dense, edges


def laplacian(shape):
    D = dense(ForwardDifference(shape), shape)
    return D.T @ D


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_value(shape, rng):
    v = rng.uniform(1, 2, shape)
    expected = 0.35 * sum((v[b] - v[a]) ** 2 for _, a, b in edges(shape))
    assert Tikhonov(0.7).value(v) == pytest.approx(expected, rel=1e-13)


@pytest.mark.parametrize("shape", [(1, 6), (5, 1), (4, 5)], ids=str)
def test_gradient(shape, rng):
    v, term = rng.uniform(1, 2, shape), Tikhonov(0.7)
    check_gradient(term.value, term.gradient, v)
    expected = 0.7 * (laplacian(shape) @ v.ravel()).reshape(shape)
    np.testing.assert_allclose(term.gradient(v), expected, rtol=0, atol=1e-13)


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("tau", [0.1, 10.0])
def test_prox_is_the_dense_solve(shape, tau, rng):
    v = rng.uniform(1, 2, shape)
    system = np.eye(v.size) + tau * 0.7 * laplacian(shape)
    expected = np.linalg.solve(system, v.ravel()).reshape(shape)
    np.testing.assert_allclose(Tikhonov(0.7).prox(v, tau), expected, rtol=0, atol=1e-13)


@pytest.mark.parametrize("tau", [0.1, 10.0])
def test_prox_by_brute_force(tau, rng):
    term = Tikhonov(0.7)
    check_prox(term.value, term.prox, rng.uniform(1, 2, (2, 3)), tau)


def test_prox_keeps_the_mean_and_ends_there(rng):
    v = rng.uniform(1, 2, (4, 5))
    assert Tikhonov(0.7).prox(v, 2.0).mean() == pytest.approx(v.mean(), rel=1e-13)
    np.testing.assert_allclose(Tikhonov(0.7).prox(v, 1e12), v.mean(), rtol=1e-10)


def test_no_weight_is_no_smoothing(rng):
    v = rng.uniform(1, 2, (4, 5))
    assert Tikhonov(0.0).value(v) == 0
    assert not Tikhonov(0.0).gradient(v).any()
    np.testing.assert_allclose(Tikhonov(0.0).prox(v, 3.0), v, rtol=1e-14)
