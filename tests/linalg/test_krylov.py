"""Krylov methods around the multigrid cycle, against a sparse direct solve."""

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


def test_a_zero_right_side_is_solved_at_once():
    hierarchy = harmonic_hierarchy(np.ones((8, 8)), 1.0)
    b = np.zeros((10, 10))
    found = flexible_cg(hierarchy.finest, b, b, precondition=hierarchy.precondition)
    assert found.converged
    assert len(found.residuals) == 1


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
