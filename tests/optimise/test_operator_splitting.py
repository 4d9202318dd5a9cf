"""Splittings: their equations, and where they end."""

import numpy as np
import pytest

from osmofuse.linalg import SplitMatrix
from osmofuse.optimise import Evolution, evolve
from osmofuse.optimise.operator_splitting import (
    AdditiveSplitting,
    MultiplicativeSplitting,
    SymmetricSplitting,
)
from registry import dense, stationary_plane


def test_steps_are_what_their_formulas_say(rng):
    A, u, tau = SplitMatrix(rng.uniform(-1, 1, (2, 4, 3))), rng.random((4, 3)), 0.8
    down, across = (dense(lambda u, k=k: A(u, k), (4, 3)) for k in (0, 1))
    one, x = np.eye(12), u.ravel()
    inverse = [np.linalg.inv(one - tau * part) for part in (down, across)]
    double = [np.linalg.inv(one - 2 * tau * part) for part in (down, across)]
    expected = {
        AdditiveSplitting: (double[0] + double[1]) @ x / 2,
        MultiplicativeSplitting: inverse[1] @ inverse[0] @ x,
        SymmetricSplitting: (inverse[1] @ inverse[0] + inverse[0] @ inverse[1]) @ x / 2,
    }
    for scheme, plane in expected.items():
        new = scheme(A, tau)(Evolution(u, 1.0))
        np.testing.assert_allclose(new.u.ravel(), plane, atol=1e-13)
        assert (new.time, new.solved) == (1.8, True)


@pytest.mark.parametrize("scheme", [AdditiveSplitting, MultiplicativeSplitting, SymmetricSplitting])
def test_ends_are_off_by_the_step_where_pictures_meet(rng, scheme):
    drift = rng.uniform(-1, 1, (2, 4, 5))
    end, off = stationary_plane(drift), []
    for tau in (0.04, 0.02, 0.01):
        start = Evolution(np.full((4, 5), 1 / 20))
        found = evolve(scheme(SplitMatrix(drift), tau), start, steps=3000).state.u
        off.append(np.linalg.norm(found - end))
    assert off[-1] > 1e-6
    np.testing.assert_allclose(np.divide(off[:-1], off[1:]), 2.0, atol=0.2)
