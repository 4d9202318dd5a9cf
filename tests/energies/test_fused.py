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


def measured(shape, u, v, f, a):
    """Return what `measure` finds: u, the pull, the stiffness, and the sums."""
    r, pull, stiffness, found = (zeros(shape, np.float64) for _ in range(4))
    ratio(r, u, v, *shape)
    sums = measure(found, pull, stiffness, r, v, f, a, *shape).sum(axis=1)
    return inside(found, shape), inside(pull, shape), inside(stiffness, shape), sums


def test_energy_rate_and_pull_are_those_of_the_model(shape, planes):
    u, v, f, w, a = planes
    found, pull, _, sums = measured(shape, u, v, f, a)
    u, v, f, w, a = (inside(x, shape).copy() for x in (u, v, f, w, a))
    model = JointModel(Quadratic(1.0, w), Quadratic(a, f), None)
    gu, gv = osmosis_gradients(u, v)
    np.testing.assert_allclose(found, u)
    np.testing.assert_allclose(pull, gv, atol=1e-12)
    assert sums[0] == pytest.approx(osmosis(u, v), abs=1e-12)
    assert sums[1] == pytest.approx(model.fidelity.value(u))
    assert sums[2] == pytest.approx(np.sum((gu + model.fidelity.gradient(u)) ** 2))


def test_the_stiffness_bounds_how_the_pull_changes_with_v(shape, planes):
    """The row sums of the Hessian in v, by finite differences, do not exceed it."""
    u, v, f, _, a = planes
    stiffness = measured(shape, u, v, f, a)[2]
    u, v = inside(u, shape).copy(), inside(v, shape).copy()
    rows = np.zeros(shape)
    for place in np.ndindex(shape):
        up, down = v.copy(), v.copy()
        up[place] += 1e-6
        down[place] -= 1e-6
        rows += np.abs(osmosis_gradients(u, up)[1] - osmosis_gradients(u, down)[1]) / 2e-6
    assert (rows <= stiffness + 1e-6).all()


def test_what_is_held_adds_nothing(planes, shape):
    u, v, f, _, a = planes
    assert not measured(shape, u, v, f, np.full_like(a, HELD))[3][1:].any()


def test_the_lagged_matrix_has_the_gradient_of_huber(shape, planes, rng):
    """(mass + L) v - b is the gradient of the structure's problem at v, whatever the stiffness."""
    _, v, _, w, _ = planes
    term, mu = HuberTV(0.3, 0.2), 5.0
    pull, stiffness = (
        padded(x, np.float64) for x in (rng.standard_normal(shape), rng.random(shape))
    )
    s, b = Stencil.empty(shape, np.float64), zeros(shape, np.float64)
    numbers = (mu, term.eta, term.epsilon)
    rows = lagged_matrix(s.down, s.right, s.mass, b, v, w, pull, stiffness, *numbers, *shape)
    sums = rows.sum(axis=1)
    plain_v, plain_w = inside(v, shape).copy(), inside(w, shape).copy()
    gradient = mu * (plain_v - plain_w) + term.gradient(plain_v) + inside(pull, shape)
    np.testing.assert_allclose(inside(s(v) - b, shape), gradient, atol=1e-12)
    np.testing.assert_allclose(inside(s.mass, shape), mu + inside(stiffness, shape))
    assert sums[0] == pytest.approx(0.5 * np.sum((plain_v - plain_w) ** 2))
    assert term.eta * sums[1] == pytest.approx(term.value(plain_v))


def test_blending_is_linear(shape, planes):
    u, v, f, *_ = planes
    expected = 0.2 * u + 0.3 * v + 0.5 * f
    blend(u, v, f, 0.2, 0.3, 0.5, *shape)
    np.testing.assert_allclose(inside(u, shape), inside(expected, shape))
