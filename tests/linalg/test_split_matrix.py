"""The split osmosis matrix: its parts, and solves along lines."""

import numpy as np
import pytest

from osmofuse.linalg import CLOSED, FREE, HELD, SplitMatrix
from registry import dense, osmosis_matrix, solved_directly

SHAPES = [(1, 1), (1, 5), (4, 1), (3, 4), (6, 5)]


def drift_of(rng, shape):
    return rng.uniform(-1.9, 1.9, (2, *shape))


def kinds(rng, shape):
    return rng.choice(np.array([FREE, FREE, HELD, CLOSED], np.uint8), shape)


@pytest.mark.parametrize("shape", SHAPES)
def test_its_parts_sum_to_the_osmosis_matrix(rng, shape):
    drift, u = drift_of(rng, shape), rng.random(shape)
    A = SplitMatrix(drift)
    expected = (osmosis_matrix(drift) @ u.ravel()).reshape(shape)
    np.testing.assert_allclose(A(u), expected, atol=1e-14)
    np.testing.assert_allclose(A(u, 0) + A(u, 1), expected, atol=1e-14)
    assert np.array_equal(A(np.asfortranarray(u)), A(u))


def test_a_part_knows_its_own_lines_only(rng):
    drift = drift_of(rng, (3, 4))
    A = SplitMatrix(drift)
    for axis in (0, 1):
        only = np.zeros((3, 4, 3, 4), bool)
        i, j = np.indices((3, 4))
        for a, b in zip(i.ravel(), j.ravel(), strict=True):
            only[a, b] = (j == b) if axis == 0 else (i == a)
        matrix = dense(lambda u, k=axis: A(u, k), (3, 4))
        assert not matrix[~only.reshape(12, 12)].any()


@pytest.mark.parametrize("shape", SHAPES)
def test_kinds_of_pixels_are_respected(rng, shape):
    drift, kind, u = drift_of(rng, shape), kinds(rng, shape), rng.random(shape)
    expected = (osmosis_matrix(drift, kind) @ u.ravel()).reshape(shape)
    np.testing.assert_allclose(SplitMatrix(drift, kind)(u), expected * (kind == FREE), atol=1e-14)


@pytest.mark.parametrize("tau", [0.1, 3.0, 1e3])
@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("shape", SHAPES)
def test_lines_are_solved(rng, shape, axis, tau):
    drift, kind, u = drift_of(rng, shape), kinds(rng, shape), rng.random(shape)
    A = SplitMatrix(drift, kind)
    x = A.solve(u, tau, axis)
    np.testing.assert_allclose(x - tau * A(x, axis), u, atol=1e-12 * (1 + tau))
    if shape[1 - axis] == 1:  # all there is
        np.testing.assert_allclose(x, solved_directly(drift, kind, u, tau), rtol=1e-9)


@pytest.mark.parametrize("tau", [0.1, 1e3, 1e8])
@pytest.mark.parametrize("axis", [0, 1])
def test_solves_keep_mass_and_positivity_for_any_step(rng, axis, tau):
    A = SplitMatrix(drift_of(rng, (40, 50)))
    u = np.zeros((40, 50))
    u[7, 9] = 1.0
    x = A.solve(u, tau, axis)
    assert x.min() >= 0.0
    assert x.sum() == pytest.approx(1.0, rel=1e-12)


@pytest.mark.parametrize("shape", SHAPES)
def test_its_rate_is_the_largest_entry_of_the_diagonal(rng, shape):
    drift = drift_of(rng, shape)
    diagonal = osmosis_matrix(drift).diagonal()
    assert SplitMatrix(drift).rate == pytest.approx(np.abs(diagonal).max(), abs=1e-15)
    assert SplitMatrix(drift).rate <= 8.0
