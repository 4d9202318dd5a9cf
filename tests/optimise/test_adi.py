"""Alternating directions: their equations, and what long steps do."""

import numpy as np
import pytest

from osmofuse.linalg import SplitMatrix
from osmofuse.operators import OsmosisEdges
from osmofuse.optimise import Evolution, evolve
from osmofuse.optimise.adi import Douglas, PeacemanRachford
from registry import dense

both = pytest.mark.parametrize("scheme", [PeacemanRachford, Douglas])


def followed(scheme, drift, u, tau, steps):
    return evolve(scheme(SplitMatrix(drift), tau), Evolution(u), steps=steps).state.u


def parts(A, shape):
    return [dense(lambda u, k=k: A(u, k), shape) for k in (0, 1)]


def test_a_step_of_peaceman_and_rachford(rng):
    A, u, tau = SplitMatrix(rng.uniform(-1, 1, (2, 4, 3))), rng.random((4, 3)), 0.8
    down, across = parts(A, (4, 3))
    one, h = np.eye(12), tau / 2
    expected = np.linalg.solve(
        (one - h * down) @ (one - h * across), (one + h * down) @ (one + h * across) @ u.ravel()
    )
    new = PeacemanRachford(A, tau)(Evolution(u, 1.0))
    np.testing.assert_allclose(new.u.ravel(), expected, atol=1e-13)
    assert (new.time, new.solved) == (1.8, True)


def test_a_step_of_douglas_and_rachford(rng):
    A, u, tau = SplitMatrix(rng.uniform(-1, 1, (2, 4, 3))), rng.random((4, 3)), 0.8
    down, across = parts(A, (4, 3))
    one = np.eye(12)
    expected = np.linalg.solve(
        (one - tau * down) @ (one - tau * across), (one + tau**2 * down @ across) @ u.ravel()
    )
    np.testing.assert_allclose(Douglas(A, tau)(Evolution(u)).u.ravel(), expected, atol=1e-13)


def test_positivity_of_peaceman_and_rachford_up_to_half(rng):
    drift = rng.uniform(-1.999, 1.999, (2, 6, 5))
    for place in range(30):
        u = np.zeros(30)
        u[place] = 1.0
        assert followed(PeacemanRachford, drift, u.reshape(6, 5), 0.5, 1).min() >= -1e-17


@both
def test_long_steps_are_stable_but_not_positive(rng, scheme):
    v, u = rng.uniform(1, 2, (6, 5)), np.zeros((6, 5))
    u[3, 2] = 1.0
    drift = OsmosisEdges.canonical(v).drift
    assert min(followed(scheme, drift, u, tau, 1).min() for tau in (1.0, 10.0, 100.0)) < 0.0
    first, end = (followed(scheme, drift, u, 100.0, steps) for steps in (1, 2000))
    assert np.abs(first).max() > 1.0
    np.testing.assert_allclose(end, v / v.sum(), rtol=1e-3)


def test_long_steps_may_grow_where_pictures_meet(rng):
    u = np.zeros((6, 5))
    u[3, 2] = 1.0
    drift = rng.uniform(-1, 1, (2, 6, 5))
    assert np.abs(followed(PeacemanRachford, drift, u, 100.0, 5)).max() > 10.0
