"""Forward differences: values, borders, and the norm."""

import math

import numpy as np
import pytest

from osmofuse.operators import ForwardDifference
from registry import SHAPES, dense, edges


def difference(u):
    """NumPy reference of D."""
    p = np.zeros((2, *u.shape))
    p[0, :-1] = u[1:] - u[:-1]
    p[1, :, :-1] = u[:, 1:] - u[:, :-1]
    return p


def adjoint(p):
    """NumPy reference of D*: each edge gives to its head and takes from its foot."""
    u = np.zeros(p.shape[1:])
    for k, a, b in edges(u.shape):
        u[b] += p[k][a]
        u[a] -= p[k][a]
    return u


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_agrees_with_reference(shape, rng):
    u = rng.standard_normal(shape)
    np.testing.assert_array_equal(ForwardDifference(shape)(u), difference(u))


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_adjoint_agrees_with_reference(shape, rng):
    p = rng.standard_normal((2, *shape))
    found = ForwardDifference(shape).adjoint(p)
    np.testing.assert_allclose(found, adjoint(p), rtol=0, atol=1e-14)


def test_matrix():
    matrix = np.zeros((2, 3, 4, 3, 4))
    for k, a, b in edges((3, 4)):
        matrix[k][a][b] = 1.0
        matrix[k][a][a] = -1.0
    found = dense(ForwardDifference((3, 4)), (3, 4))
    np.testing.assert_array_equal(found, matrix.reshape(24, 12))


def test_constants_have_no_difference():
    assert not ForwardDifference((4, 5))(np.full((4, 5), 3.7)).any()


def test_adjoint_does_not_look_beyond_the_border(rng):
    p = rng.standard_normal((2, 4, 5))
    q = p.copy()
    q[0, -1] = np.nan
    q[1, :, -1] = np.nan
    D = ForwardDifference((4, 5))
    np.testing.assert_array_equal(D.adjoint(q), D.adjoint(p))


def test_adjoint_keeps_no_mass(rng):
    assert abs(ForwardDifference((4, 5)).adjoint(rng.standard_normal((2, 4, 5))).sum()) < 1e-13


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_norm_bound_is_the_norm(shape):
    D = ForwardDifference(shape)
    norm = np.linalg.svd(dense(D, shape), compute_uv=False)[0]
    assert D.norm_bound == pytest.approx(norm, rel=1e-12, abs=1e-15)


@pytest.mark.parametrize("shape", [*SHAPES, (1, 10_000), (1000, 1000)], ids=str)
def test_norm_is_below_root_eight(shape):
    assert ForwardDifference(shape).norm_bound < math.sqrt(8)


def test_single_precision_stays_single(rng):
    u = rng.standard_normal((4, 5)).astype(np.float32)
    D = ForwardDifference((4, 5))
    assert D(u).dtype == D.adjoint(D(u)).dtype == np.float32
