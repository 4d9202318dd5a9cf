"""Smoothing terms: values, gradients, proximal maps, and the edges of their majorisers."""

import math

import numpy as np
import pytest

from osmofuse.energies import HuberTV, Regulariser, Tikhonov
from osmofuse.energies.regularisers import LEAST_EPSILON
from osmofuse.linalg import Stencil, inside, padded
from osmofuse.operators import ForwardDifference
from osmofuse.testing import check_gradient, check_prox
from registry import SHAPES, dense, edges, terraces


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


def laplacian(shape):
    D = dense(ForwardDifference(shape), shape)
    return D.T @ D


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_tikhonov_value(shape, rng):
    v = rng.uniform(1, 2, shape)
    expected = 0.35 * sum((v[b] - v[a]) ** 2 for _, a, b in edges(shape))
    assert Tikhonov(0.7).value(v) == pytest.approx(expected, rel=1e-13)


@pytest.mark.parametrize("shape", [(1, 6), (5, 1), (4, 5)], ids=str)
def test_tikhonov_gradient(shape, rng):
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


TERMS = [HuberTV(0.3, 0.2), HuberTV(0.3, 10.0), Tikhonov(0.7), Tikhonov(0.0)]
each_term = pytest.mark.parametrize("term", TERMS, ids=str)


def majoriser(term, planes, channel=0, dtype=np.float64):
    """Return the matrix whose edges a term sets in a channel, and the value it gives."""
    shape = planes[0].shape
    s = Stencil.empty(shape, dtype)
    value = term.set_edges(s.down, s.right, [padded(v, dtype) for v in planes], channel, shape)
    return s, value


@each_term
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_edges_give_the_gradient_and_the_value(term, shape, rng):
    """L v is the gradient at v, and the weights stay below their bound."""
    planes = rng.uniform(1, 2, (2, *shape))
    for channel, v in enumerate(planes):
        s, value = majoriser(term, planes, channel)
        np.testing.assert_allclose(
            inside(s(padded(v, np.float64)), shape), term.gradient(v), atol=1e-12
        )
        assert value == pytest.approx(term.value(v), abs=1e-12)
        largest = max(s.down.max(), s.right.max())
        assert largest <= term.largest_edge * (1 + 1e-12)


@each_term
def test_edges_majorise_the_term(term, rng):
    """The quadratic form of the edges, shifted to touch at v, lies above the term elsewhere."""
    v = rng.uniform(1, 2, (5, 6))
    s, value = majoriser(term, [v])

    def quadratic(x):
        return 0.5 * float(np.vdot(x, inside(s(padded(x, np.float64)), x.shape)))

    for _ in range(20):
        x = v + rng.normal(0, 0.3, v.shape)
        assert term.value(x) <= value + quadratic(x) - quadratic(v) + 1e-9


@pytest.mark.parametrize("shape", [(4, 5), (5, 7), (1, 1), (1, 6), (6, 1)], ids=str)
@each_term
def test_edges_into_the_frame_are_zero(term, shape, rng):
    s, _ = majoriser(term, [rng.uniform(1, 2, shape)])
    rows, cols = shape
    assert not s.down[rows:].any()
    assert not s.down[:, cols + 1 :].any()
    assert not s.right[:, cols:].any()
    assert not s.right[rows + 1 :].any()


def test_total_variation_has_finite_edges_and_its_own_value(rng):
    term, v = HuberTV(0.3, 0.0), rng.uniform(1, 2, (4, 5))
    v[:, 2:] = 1.5
    s, value = majoriser(term, [v])
    assert s.down.max() == pytest.approx(0.3 / LEAST_EPSILON)
    assert term.largest_edge == pytest.approx(0.3 / LEAST_EPSILON)
    assert value == pytest.approx(term.value(v))
    assert term.converges_slowly
    assert HuberTV(0.3, 0.005).converges_slowly
    assert not HuberTV(0.3, 0.05).converges_slowly


@each_term
def test_single_precision_is_near(term, rng):
    v = rng.uniform(1, 2, (8, 9))
    single, _ = majoriser(term, [v], dtype=np.float32)
    double, value = majoriser(term, [v])
    np.testing.assert_allclose(single.down, double.down, rtol=1e-4)
    assert isinstance(term, Regulariser)
    assert value == pytest.approx(term.value(v))
