"""The implicit Euler step: its equation, its order, its laws."""

import math

import numpy as np
import pytest
from scipy.linalg import expm

from osmofuse.linalg import Solution
from osmofuse.optimise import Evolution, Implicit, evolve
from registry import osmosis_matrix


def stepper(A, tau):
    def solve(u):
        x = np.linalg.solve(np.eye(len(A)) - tau * A, u)
        return Solution(x, (1.0, 0.25), True)

    return Implicit(solve, tau)


@pytest.fixture
def matrix(rng):
    return osmosis_matrix(rng.uniform(-1, 1, (2, 3, 4))).toarray()


def test_it_solves_for_the_end_of_the_step(matrix, rng):
    u = rng.random(12)
    new = stepper(matrix, 0.7)(Evolution(u, 2.0))
    np.testing.assert_allclose(new.u - 0.7 * matrix @ new.u, u, atol=1e-13)
    assert (new.time, new.inner, new.residual, new.solved) == (2.7, 1, 0.25, True)


def test_it_tells_when_it_was_not_solved():
    new = Implicit(lambda u: Solution(u, (1.0,), False), 1.0)(Evolution(np.ones(2)))
    assert not new.solved
    assert new.inner == 0


def test_an_infinite_step_takes_infinite_time():
    new = Implicit(lambda u: Solution(u, (0.0,), True), math.inf)(Evolution(np.ones(2)))
    assert new.time == math.inf


def test_it_is_of_first_order(matrix, rng):
    u, errors = rng.random(12), []
    for steps in (50, 100, 200):
        end = evolve(stepper(matrix, 1.0 / steps), Evolution(u), steps=steps).state.u
        errors.append(np.linalg.norm(end - expm(matrix) @ u))
    ratios = np.divide(errors[:-1], errors[1:])
    np.testing.assert_allclose(ratios, 2.0, atol=0.05)


@pytest.mark.parametrize("tau", [0.1, 10.0, 1e5])
def test_it_keeps_mass_and_positivity(matrix, tau):
    u = np.eye(12)[3]
    end = evolve(stepper(matrix, tau), Evolution(u), steps=3).state.u
    assert end.sum() == pytest.approx(1, rel=1e-9)
    assert end.min() > 0
