"""Krylov methods around the multigrid cycle, against a sparse direct solve."""

from itertools import cycle

import numpy as np
import pytest
from scipy.sparse import coo_array
from scipy.sparse.linalg import spsolve

from osmofuse.linalg import bicgstab, flexible_cg, inside, padded
from osmofuse.operators import OsmosisEdges
from registry import harmonic_hierarchy


@pytest.mark.parametrize(("offset", "bound"), [(1.0, 0.15), (1 / 255, 0.6)])
@pytest.mark.parametrize("shape", [(128, 128), (101, 151)])
def test_flexible_cg_on_pictures_with_black_lines(shape, offset, bound, rng):
    v = 0.5 + 0.5 * rng.random(shape)
    v[:, ::9] = 0.0
    v[::13] = 0.0
    hierarchy = harmonic_hierarchy(v + offset, 1e-4)
    x = padded(rng.standard_normal(shape), np.float64)
    found = flexible_cg(
        hierarchy.finest, np.zeros_like(x), x,
        precondition=hierarchy.precondition, rtol=0.0, max_iter=10,
    )  # fmt: skip
    assert (found.residuals[-1] / found.residuals[0]) ** 0.1 <= bound


def test_flexible_cg_solves(rng):
    shape = (40, 33)
    hierarchy = harmonic_hierarchy(1 + rng.random(shape), 1e-3)
    truth = padded(rng.standard_normal(shape), np.float64)
    b = hierarchy.finest(truth)
    found = flexible_cg(
        hierarchy.finest, b, np.zeros_like(b), precondition=hierarchy.precondition, rtol=1e-10
    )
    assert found.converged
    np.testing.assert_allclose(inside(found.x, shape), inside(truth, shape), atol=1e-6)


@pytest.mark.parametrize("solver", [flexible_cg, bicgstab])
def test_the_tolerance_is_relative_to_the_right_hand_side(solver, rng):
    """Not to the first residual: neither for a start near the solution nor for one far away."""
    hierarchy = harmonic_hierarchy(1 + rng.random((20, 17)), 1e-3)
    truth, error = (padded(rng.standard_normal((20, 17)), np.float64) for _ in range(2))
    b, options = hierarchy.finest(truth), {"precondition": hierarchy.precondition, "rtol": 1e-2}
    near = solver(hierarchy.finest, b, truth + 1e-4 * error, **options)
    assert near.converged
    assert len(near.residuals) == 1
    far = solver(hierarchy.finest, b, truth + 1e4 * error, **options)
    assert far.converged
    assert far.residuals[-1] <= 1e-2 * np.linalg.norm(b)


def test_flexible_cg_stops_at_an_absolute_tolerance(rng):
    hierarchy = harmonic_hierarchy(1 + rng.random((20, 17)), 1e-3)
    b = padded(rng.standard_normal((20, 17)), np.float64)
    found = flexible_cg(
        hierarchy.finest, b, 0 * b, precondition=hierarchy.precondition, rtol=0.0, atol=1e-3
    )
    assert found.converged
    assert 1e-9 < found.residuals[-1] <= 1e-3


def test_a_zero_right_hand_side_is_solved_at_once():
    hierarchy = harmonic_hierarchy(np.ones((8, 8)), 1.0)
    b = np.zeros((10, 10))
    found = flexible_cg(hierarchy.finest, b, b, precondition=hierarchy.precondition)
    assert found.converged
    assert len(found.residuals) == 1


@pytest.mark.parametrize("solver", [flexible_cg, bicgstab])
def test_with_b_zero_the_tolerance_is_relative_to_the_first_residual(solver, rng):
    hierarchy = harmonic_hierarchy(1 + rng.random((20, 17)), 1e-3)
    x = padded(rng.standard_normal((20, 17)), np.float64)
    found = solver(hierarchy.finest, 0 * x, x, precondition=hierarchy.precondition, rtol=1e-2)
    assert found.converged
    assert 1e-9 < found.residuals[-1] / found.residuals[0] <= 1e-2


def test_bicgstab_solves_an_incompatible_osmosis_step(rng):
    """The drift of two pictures joined at a seam has no structure: the matrix is unsymmetric."""
    shape, tau = (48, 40), 1000.0
    v1, v2 = 1 + rng.random(shape), 1 + rng.random(shape)
    d1, d2 = (OsmosisEdges.canonical(v).drift for v in (v1, v2))
    drift = np.where(np.arange(shape[1]) < shape[1] // 2, d1, d2)
    osmosis = OsmosisEdges(drift)
    v = np.where(np.arange(shape[1]) < shape[1] // 2, v1, v2)
    hierarchy = harmonic_hierarchy(v, 1 / tau)

    def matrix(x):
        return padded(inside(x, shape) / tau - osmosis(inside(x, shape)), np.float64)

    def precondition(r):  # in the ratio, and symmetric: v (c v² + L_m)⁻¹ v r
        scaled = padded(inside(r, shape) * v, np.float64)
        return padded(inside(hierarchy.precondition(scaled), shape) * v, np.float64)

    u0 = 1 + rng.random(shape)
    b = padded(u0 / tau, np.float64)
    found = bicgstab(matrix, b, padded(u0, np.float64), precondition=precondition, rtol=1e-10)
    assert found.converged
    assert len(found.residuals) <= 40
    size = shape[0] * shape[1]
    columns = [matrix(padded(e.reshape(shape), np.float64)) for e in np.eye(size)]
    dense = np.stack([inside(c, shape).ravel() for c in columns], axis=1)
    exact = spsolve(coo_array(dense).tocsc(), (u0 / tau).ravel()).reshape(shape)
    np.testing.assert_allclose(inside(found.x, shape), exact, rtol=1e-5)
    assert inside(found.x, shape).sum() == pytest.approx(u0.sum(), rel=1e-7)


def skewed(shape, rng):
    """A five-point matrix with an unsymmetric part, its hierarchy and a right side."""
    hierarchy = harmonic_hierarchy(1 + rng.random(shape), 0.01)
    drift = OsmosisEdges(rng.uniform(-0.3, 0.3, (2, *shape)))

    def matrix(x):
        return hierarchy.finest(x) - 0.1 * padded(drift(inside(x, shape)), np.float64)

    return matrix, hierarchy, padded(rng.standard_normal(shape), np.float64)


def test_bicgstab_leaves_its_arguments_alone(rng):
    matrix, hierarchy, b = skewed((20, 17), rng)
    x, before = np.ones_like(b), b.copy()
    found = bicgstab(matrix, b, x, precondition=hierarchy.precondition)
    assert found.converged
    assert (x == 1).all()
    np.testing.assert_array_equal(b, before)


def test_bicgstab_tells_the_residual_it_leaves(rng):
    matrix, hierarchy, b = skewed((20, 17), rng)
    for rtol in (1e-2, 1e-5, 1e-9):
        found = bicgstab(
            matrix, b, np.zeros_like(b), precondition=hierarchy.precondition, rtol=rtol
        )
        true = np.linalg.norm(b - matrix(found.x))
        assert found.residuals[-1] == pytest.approx(true, rel=1e-3, abs=1e-13)
        assert true <= rtol * np.linalg.norm(b)


def test_bicgstab_may_be_given_two_planes_in_turn(rng):
    matrix, hierarchy, b = skewed((20, 17), rng)

    def in_turn(function):
        planes = cycle([np.zeros_like(b), np.zeros_like(b)])

        def into(x):
            plane = next(planes)
            plane[...] = function(x)
            return plane

        return into

    once = bicgstab(matrix, b, 0 * b, precondition=hierarchy.precondition, rtol=1e-10)
    again = bicgstab(
        in_turn(matrix), b, 0 * b, precondition=in_turn(hierarchy.precondition), rtol=1e-10
    )
    np.testing.assert_array_equal(once.x, again.x)
    assert len(once.residuals) > 3


def test_bicgstab_stops_at_an_absolute_tolerance(rng):
    matrix, hierarchy, b = skewed((20, 17), rng)
    found = bicgstab(
        matrix, b, 0 * b, precondition=hierarchy.precondition, rtol=0.0, atol=1e-3, max_iter=50
    )
    assert found.converged
    assert 1e-9 < found.residuals[-1] <= 1e-3


def test_bicgstab_stops_where_it_is_told_to(rng):
    matrix, hierarchy, b = skewed((20, 17), rng)
    answers = iter([True, True, False])
    found = bicgstab(
        matrix, b, 0 * b, precondition=hierarchy.precondition, rtol=1e-12,
        go_on=lambda: next(answers),
    )  # fmt: skip
    assert not found.converged
    assert len(found.residuals) == 3
    assert np.linalg.norm(b - matrix(found.x)) == pytest.approx(found.residuals[-1])


def test_bicgstab_survives_a_matrix_that_turns_every_plane():
    """<r, A r> = 0 for every r: there is no way on, and no NaN either."""

    def quarter_turn(x):
        return np.stack([x[1], -x[0]])

    b = np.arange(8.0).reshape(2, 4)
    found = bicgstab(quarter_turn, b, 0 * b, precondition=np.copy, max_iter=20)
    assert not found.converged
    assert np.isfinite(found.x).all()


def test_bicgstab_ends_where_numbers_do():
    b = np.ones((2, 2))
    found = bicgstab(lambda x: x * np.nan, b, 0 * b, precondition=np.copy, max_iter=10**9)
    assert not found.converged
