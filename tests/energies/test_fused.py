"""The fused passes against the terms of the model, one by one."""

import numpy as np
import pytest

from osmofuse.energies import HuberTV, JointModel, Quadratic, osmosis, osmosis_gradients
from osmofuse.energies.fused import (
    HELD,
    blend,
    first_stage,
    implicit_matrix,
    lagged_matrix,
    measure,
    ratio,
    second_stage,
)
from osmofuse.linalg import Stencil, inside, padded
from osmofuse.linalg.stencil import zeros
from registry import harmonic_stencil

SHAPES = [(1, 1), (1, 6), (7, 1), (4, 6), (5, 7)]


@pytest.fixture(params=SHAPES, ids=str)
def shape(request):
    return request.param


@pytest.fixture
def planes(shape, rng):
    """Padded u, v, f, w and a of a random model."""
    u, v, f, w = (padded(1 + rng.random(shape), np.float64) for _ in range(4))
    return u, v, f, w, padded(rng.random(shape), np.float64)


def test_the_matrix_of_an_implicit_step(shape, planes):
    _, v, _, _, a = planes
    s = Stencil.empty(shape, np.float64)
    implicit_matrix(s.down, s.right, s.mass, s.inverse, v, a, 0.7, *shape)
    plain = inside(v, shape)
    expected = harmonic_stencil(plain, mass=0.7 + inside(a, shape))
    expected.invert_diagonal()
    for name in ("down", "right", "mass", "inverse"):
        np.testing.assert_allclose(getattr(s, name), getattr(expected, name), rtol=1e-13)


def test_the_right_sides_of_both_stages(shape, planes, rng):
    u, v, f, _, a = planes
    r, b, u1 = zeros(shape, np.float64), zeros(shape, np.float64), zeros(shape, np.float64)
    first_stage(r, b, u, v, a, f, 0.7, *shape)
    np.testing.assert_allclose(inside(r, shape), inside(u, shape) / inside(v, shape))
    np.testing.assert_allclose(b, v * (0.7 * u + a * f))
    first = padded(1 + rng.random(shape), np.float64)
    r, side = first.copy(), b.copy()
    second_stage(r, side, u1, u, v, 1.9, *shape)
    np.testing.assert_allclose(u1, first * v)
    np.testing.assert_allclose(side - b, 1.9 * v * (u1 - u), atol=1e-14)
    guess = 2 * inside(first, shape) - inside(u, shape) / inside(v, shape)
    np.testing.assert_allclose(inside(r, shape), guess)


def test_energy_rate_and_pull_are_those_of_the_model(shape, planes):
    u, v, f, w, a = planes
    r, pull, found = zeros(shape, np.float64), zeros(shape, np.float64), zeros(shape, np.float64)
    ratio(r, u, v, *shape)
    sums = measure(found, pull, r, v, f, a, *shape).sum(axis=1)
    u, v, f, w, a = (inside(x, shape).copy() for x in (u, v, f, w, a))
    model = JointModel(Quadratic(1.0, w), Quadratic(a, f), None)
    gu, gv = osmosis_gradients(u, v)
    np.testing.assert_allclose(inside(found, shape), u)
    np.testing.assert_allclose(inside(pull, shape), gv, atol=1e-12)
    assert sums[0] == pytest.approx(osmosis(u, v), abs=1e-12)
    assert sums[1] == pytest.approx(model.fidelity.value(u))
    assert sums[2] == pytest.approx(np.sum((gu + model.fidelity.gradient(u)) ** 2))


def test_what_is_held_adds_nothing(planes, shape):
    u, v, f, _, a = planes
    r, pull, found = zeros(shape, np.float64), zeros(shape, np.float64), zeros(shape, np.float64)
    ratio(r, u, v, *shape)
    held = np.full_like(a, HELD)
    assert not measure(found, pull, r, v, f, held, *shape)[1:].any()


def test_the_lagged_matrix_has_the_gradient_of_huber(shape, planes, rng):
    """b - (mu + L) v is minus the gradient of the structure's problem, at v itself."""
    _, v, _, w, _ = planes
    term, mu = HuberTV(0.3, 0.2), 5.0
    pull = padded(rng.standard_normal(shape), np.float64)
    s, b = Stencil.empty(shape, np.float64), zeros(shape, np.float64)
    sums = lagged_matrix(
        s.down, s.right, b, v, w, pull, mu, term.eta, term.epsilon, *shape
    ).sum(axis=1)  # fmt: skip
    inside(s.mass, shape)[...] = mu
    plain_v, plain_w = inside(v, shape).copy(), inside(w, shape).copy()
    gradient = mu * (plain_v - plain_w) + term.gradient(plain_v) + inside(pull, shape)
    np.testing.assert_allclose(inside(s(v) - b, shape), gradient, atol=1e-12)
    assert sums[0] == pytest.approx(0.5 * np.sum((plain_v - plain_w) ** 2))
    assert term.eta * sums[1] == pytest.approx(term.value(plain_v))


def test_blending_is_linear(shape, planes):
    u, v, f, *_ = planes
    expected = 0.2 * u + 0.3 * v + 0.5 * f
    blend(u, v, f, 0.2, 0.3, 0.5, *shape)
    np.testing.assert_allclose(inside(u, shape), inside(expected, shape))
