"""The matrix of transport against the osmosis matrix, and its symmetric part."""

import numpy as np
import pytest

from osmofuse.linalg import CLOSED, FREE, HELD, Stencil, Transport, inside, padded
from osmofuse.linalg.transport import right_side
from osmofuse.operators import OsmosisEdges
from registry import SHAPES, dense, harmonic_stencil, osmosis_matrix

KINDS = ["free", "mixed"]


def kinds(name, shape, rng):
    if name == "free":
        return np.full(shape, FREE, np.uint8)
    return rng.choice([CLOSED, FREE, HELD], shape).astype(np.uint8)


def matrix_of(drift, w, kind, c, weight=None):
    matrix = Transport.empty(w.shape)
    matrix.fill(drift, padded(w, np.float64), kind, c, weight)
    return matrix


def applied(matrix, shape):
    return lambda r: inside(matrix(padded(r, np.float64)), shape).copy()


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("c", [0.0, 0.3, 1.0])
@pytest.mark.parametrize("name", KINDS)
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_it_is_the_osmosis_matrix_of_the_ratio_on_free_pixels(shape, name, c, weighted, rng):
    drift, w = rng.uniform(-1.99, 1.99, (2, *shape)), rng.uniform(0.1, 1, shape)
    weight = rng.uniform(0, 2, drift.shape) if weighted else None
    kind = kinds(name, shape, rng)
    found = dense(applied(matrix_of(drift, w, kind, c, weight), shape), shape)
    free = kind.ravel() == FREE
    A = osmosis_matrix(drift, kind, weight).toarray()
    expected = (c * np.eye(w.size) - (1 - c) * A) * w.ravel()
    np.testing.assert_allclose(
        found[np.ix_(free, free)], expected[np.ix_(free, free)], rtol=0, atol=1e-14
    )
    assert not found[~free].any()


def test_its_columns_sum_to_the_share_where_nothing_is_held(rng):
    drift, w = rng.uniform(-1.99, 1.99, (2, 5, 7)), rng.uniform(0.1, 1, (5, 7))
    kind = rng.choice([CLOSED, FREE], (5, 7)).astype(np.uint8)
    matrix = dense(applied(matrix_of(drift, w, kind, 0.2), (5, 7)), (5, 7))
    np.testing.assert_allclose(matrix.sum(axis=0), 0.2 * (w * (kind == FREE)).ravel(), atol=1e-14)


def test_it_can_write_into_a_plane(rng):
    matrix = matrix_of(
        rng.uniform(-1, 1, (2, 5, 7)), np.ones((5, 7)), kinds("mixed", (5, 7), rng), 0.5
    )
    r = padded(rng.random((5, 7)), np.float64)
    out = np.zeros_like(r)
    assert matrix(r, out) is out
    np.testing.assert_array_equal(out, matrix(r))


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_with_its_own_structure_it_is_symmetric(shape, rng):
    w = rng.uniform(1, 2, shape)
    drift = OsmosisEdges.canonical(w).drift
    matrix = matrix_of(drift, w, kinds("free", shape, rng), 0.5)
    stencil = Stencil.empty(shape, np.float64)
    matrix.symmetrise(stencil)
    expected = harmonic_stencil(w, 0.0)
    r = padded(rng.standard_normal(shape), np.float64)
    flow = 0.5 * inside(expected(r), shape) + 0.5 * w * inside(r, shape)
    np.testing.assert_allclose(inside(matrix(r), shape), flow, atol=1e-13)
    np.testing.assert_allclose(inside(stencil(r), shape), flow, atol=1e-13)


def test_the_symmetric_part_has_the_mean_of_both_weights(rng):
    shape = (4, 5)
    kind = kinds("mixed", shape, rng)
    matrix = matrix_of(rng.uniform(-1, 1, (2, *shape)), rng.uniform(1, 2, shape), kind, 0.3)
    stencil = Stencil.empty(shape, np.float64)
    matrix.symmetrise(stencil)
    full = dense(applied(matrix, shape), shape)
    half = dense(lambda r: inside(stencil(padded(r, np.float64)), shape).copy(), shape)
    off = ~np.eye(20, dtype=bool)
    np.testing.assert_allclose(half[off], (full + full.T)[off] / 2, atol=1e-14)
    np.testing.assert_allclose(half.sum(axis=0), full.sum(axis=0), atol=1e-13)


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_the_right_side_has_what_flows_in_from_held_pixels(shape, rng):
    drift, u, w = rng.uniform(-1.99, 1.99, (2, *shape)), *rng.uniform(0.1, 1, (2, *shape))
    kind, weight = kinds("mixed", shape, rng), rng.uniform(0, 2, (2, *shape))
    b, r = (padded(np.zeros(shape), np.float64) for _ in range(2))
    right_side(b, r, padded(u, np.float64), padded(w, np.float64), drift, weight, kind, 0.3)
    free, held = kind.ravel() == FREE, kind.ravel() == HELD
    A = osmosis_matrix(drift, kind, weight)
    expected = 0.3 * u.ravel() + 0.7 * (A[:, held] @ u.ravel()[held])
    np.testing.assert_allclose(inside(b, shape).ravel(), expected * free, atol=1e-14)
    np.testing.assert_allclose(inside(r, shape), u / w * (kind == FREE), rtol=1e-15)
