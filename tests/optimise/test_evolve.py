"""Steps of equal length: counted, recorded, stopped."""

import math

import numpy as np
import pytest

from osmofuse.optimise import Evolution, evolve
from osmofuse.progress import Guard, Status


def double(s):
    return Evolution(2 * s.u, s.time + 0.5, inner=3)


def test_it_takes_so_many_steps():
    seen = []
    found = evolve(
        double, Evolution(np.ones(2), 1.0), steps=4, record=lambda k, s: seen.append((k, s.time))
    )
    assert found.status is Status.reached
    assert found.iterations == 4
    assert found.state.time == 3.0
    assert (found.state.u == 16).all()
    assert seen == [(1, 1.5), (2, 2.0), (3, 2.5), (4, 3.0)]


def test_an_infinite_step_ends_at_the_stationary_state():
    found = evolve(lambda s: Evolution(s.u + 1, math.inf), Evolution(np.ones(2)), steps=1)
    assert found.status is Status.stationary


def test_a_step_that_is_not_solved_is_the_last():
    found = evolve(
        lambda s: Evolution(s.u, s.time + 1, solved=s.time < 1), Evolution(np.ones(2)), steps=5
    )
    assert found.status is Status.max_iter
    assert found.iterations == 2


def test_a_picture_that_overflows_is_not_taken():
    found = evolve(
        lambda s: Evolution(np.full(2, math.inf if s.time else 3.0), s.time + 1),
        Evolution(np.ones(2)),
        steps=5,
    )
    assert found.status is Status.nonfinite
    assert found.state.u.tolist() == [3.0, 3.0]


def test_a_step_without_numbers_is_not_taken():
    found = evolve(
        lambda s: Evolution(np.nan * s.u, 1.0, residual=math.nan), Evolution(np.ones(2)), steps=5
    )
    assert found.status is Status.nonfinite
    assert (found.state.u == 1).all()


def test_a_guard_ends_it():
    guard = Guard(lambda p: True)
    found = evolve(double, Evolution(np.ones(2)), steps=5, guard=guard)
    assert found.status is Status.cancelled
    assert found.iterations == 1


@pytest.mark.parametrize("steps", [1, 7])
def test_the_start_is_not_changed(steps):
    first = Evolution(np.ones(3))
    evolve(double, first, steps=steps)
    assert (first.u == 1).all()
    assert first.time == 0
