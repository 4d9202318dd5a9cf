"""Huber-TV: values, gradient, conjugate."""

import math

import numpy as np
import pytest

from osmofuse.energies import HuberTV
from osmofuse.testing import check_gradient, check_prox
from registry import SHAPES, edges, terraces


def field(v):
    p = np.zeros((2, *v.shape))
    for k, a, b in edges(v.shape):
        p[k][a] = v[b] - v[a]
    return p


def huber(t, epsilon):
    return t * t / (2 * epsilon) if t < epsilon else t - epsilon / 2


def value(term, v):
    """Reference: pixel by pixel."""
    p = field(v)
    return term.eta * sum(
        huber(math.hypot(*p[:, i, j]), term.epsilon) for i, j in np.ndindex(v.shape)
    )


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("epsilon", [0.0, 0.05, 0.5, 10.0])
def test_value(shape, epsilon, rng):
    term, v = HuberTV(0.3, epsilon), rng.uniform(1, 2, shape)
    assert term.value(v) == pytest.approx(value(term, v), rel=1e-13)


def test_without_epsilon_it_is_total_variation(rng):
    v = rng.uniform(1, 2, (4, 5))
    expected = 0.3 * np.sqrt((field(v) ** 2).sum(axis=0)).sum()
    assert HuberTV(0.3, 0.0).value(v) == pytest.approx(expected, rel=1e-13)
    assert HuberTV(0.3, 1e-9).value(v) == pytest.approx(expected, rel=1e-8)


@pytest.mark.parametrize("epsilon", [0.0, 0.05])
def test_constants_cost_nothing(epsilon):
    assert HuberTV(0.3, epsilon).value(np.full((4, 5), 1.7)) == 0.0


def test_value_and_slope_are_continuous_at_epsilon():
    term = HuberTV(1.0, 0.5)
    step = np.array([[0.0, 0.5]])
    below, above = term.value(step * (1 - 1e-7)), term.value(step * (1 + 1e-7))
    assert term.value(step) == pytest.approx(0.25, rel=1e-15)
    assert above - below == pytest.approx(1e-7, rel=1e-5)


@pytest.mark.parametrize("seed", [0, 1, 2])
@pytest.mark.parametrize("shape", [(1, 6), (5, 1), (4, 6)], ids=str)
def test_gradient_by_taylor(shape, seed, rng):
    term = HuberTV(0.3, 0.5)
    check_gradient(term.value, term.gradient, terraces(shape, rng), size=1e-3, seed=seed)


def test_the_data_of_the_taylor_test_reach_both_branches(rng):
    t = np.sqrt((field(terraces((4, 6), rng)) ** 2).sum(axis=0))
    assert (t < 0.3).any()
    assert (t > 1.0).any()
    assert not ((t >= 0.3) & (t <= 1.0)).any()


def test_gradient_of_a_constant_is_zero():
    assert not HuberTV(0.3, 0.05).gradient(np.full((4, 5), 1.7)).any()


@pytest.mark.parametrize("epsilon", [0.0, 0.2])
def test_conjugate_value(epsilon, rng):
    term = HuberTV(0.4, epsilon)
    y = 0.2 * rng.uniform(-1, 1, (2, 3, 4))
    expected = 0.5 * epsilon / 0.4 * sum(t * t for t in y.ravel())
    assert term.conj_value(y) == pytest.approx(expected, rel=1e-13)


def test_conjugate_is_infinite_beyond_eta():
    term = HuberTV(0.4, 0.2)
    y = np.zeros((2, 3, 4))
    y[:, 1, 2] = 0.4 * np.array([0.6, 0.8])
    assert math.isfinite(term.conj_value(y))
    assert term.conj_value(1.001 * y) == math.inf
    # each component is below eta, their norm is not
    y[:, 1, 2] = 0.3
    assert term.conj_value(y) == math.inf


@pytest.mark.parametrize("epsilon", [0.0, 0.05, 0.5])
def test_fenchel_young(epsilon, rng):
    term = HuberTV(0.4, epsilon)
    for _ in range(20):
        v, y = rng.uniform(1, 2, (4, 5)), rng.uniform(-0.28, 0.28, (2, 4, 5))
        assert term.value(v) + term.conj_value(y) >= np.vdot(field(v), y) - 1e-12


@pytest.mark.parametrize("epsilon", [1e-9, 0.05, 0.5])
def test_fenchel_young_is_sharp(epsilon, rng):
    term, v = HuberTV(0.4, epsilon), rng.uniform(1, 2, (4, 5))
    p = field(v)
    y = 0.4 * p / np.maximum(np.sqrt((p**2).sum(axis=0)), epsilon)
    assert term.value(v) + term.conj_value(y) == pytest.approx(np.vdot(p, y), rel=1e-12)


@pytest.mark.parametrize("epsilon", [0.0, 0.05, 2.0])
@pytest.mark.parametrize("sigma", [0.3, 4.0])
def test_conjugate_prox(epsilon, sigma, rng):
    term = HuberTV(0.4, epsilon)
    y = 0.8 * rng.standard_normal((2, 1, 3))
    with np.errstate(invalid="ignore"):  # see test_testing: the minimiser meets infinity
        check_prox(term.conj_value, term.conj_prox, y, sigma)


@pytest.mark.parametrize("epsilon", [0.0, 0.05, 2.0])
@pytest.mark.parametrize("sigma", [0.3, 4.0])
def test_conjugate_prox_on_a_fine_grid(epsilon, sigma, rng):
    """Reference: search each pixel's disc along the ray of y, where the minimum lies."""
    term = HuberTV(0.4, epsilon)
    y = rng.standard_normal((2, 2, 3))
    found = np.hypot(*term.conj_prox(y, sigma))
    t = np.linspace(0, 0.4, 40_001)
    for i, j in np.ndindex(2, 3):
        cost = 0.5 * epsilon / 0.4 * t**2 + (t - math.hypot(*y[:, i, j])) ** 2 / (2 * sigma)
        assert found[i, j] == pytest.approx(t[cost.argmin()], abs=1e-5)


def test_conjugate_prox_is_feasible_and_points_the_same_way(rng):
    y = rng.standard_normal((2, 4, 5))
    p = HuberTV(0.4, 0.05).conj_prox(y, 1.0)
    assert np.hypot(*p).max() <= 0.4 * (1 + 1e-15)
    np.testing.assert_allclose(p[0] * y[1], p[1] * y[0], rtol=0, atol=1e-14)
    assert ((p * y).sum(axis=0) > 0).all()
