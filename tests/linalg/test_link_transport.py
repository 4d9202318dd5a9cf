"""Links of a transport matrix against the anisotropic osmosis matrix."""

import numpy as np
import pytest

from osmofuse.linalg import CLOSED, FREE, HELD, Transport, inside, padded
from osmofuse.linalg.components import Components
from osmofuse.linalg.link_transport import LinkTransport
from osmofuse.linalg.sparse_lu import SparseLU
from osmofuse.operators import LatticeOsmosis
from registry import SHAPES, dense, tensors


def system(shape, kind, rng, c=0.3):
    """A matrix with links, that of the flow, and the structure."""
    w = rng.uniform(0.1, 1, shape)
    A = LatticeOsmosis.canonical(rng.uniform(0.1, 1, shape), tensors(shape, rng))
    links = LinkTransport(A.links, kind, Components(kind).labels)
    matrix = Transport.empty(shape, links)
    matrix.fill(A.edges.drift, padded(w, np.float64), kind, c, A.edges.weight)
    return matrix, A, w


def applied(matrix, shape):
    return lambda r: inside(matrix(padded(r, np.float64)), shape).copy()


@pytest.mark.parametrize("kinds", [(FREE,), (FREE, HELD)], ids=["free", "held"])
@pytest.mark.parametrize("shape", [*SHAPES, (9, 8)], ids=str)
def test_the_matrix_is_that_of_the_flow(shape, kinds, rng):
    kind = rng.choice(kinds, shape).astype(np.uint8)
    kind[0, 0] = FREE
    matrix, A, w = system(shape, kind, rng)
    free = kind.ravel() == FREE
    expected = (0.3 * np.eye(w.size) - 0.7 * dense(A, shape)) * w.ravel()
    found = dense(applied(matrix, shape), shape)
    np.testing.assert_allclose(found[np.ix_(free, free)], expected[np.ix_(free, free)], atol=1e-14)


def test_inflow_from_held_pixels(rng):
    shape = (9, 8)
    kind = rng.choice([FREE, HELD], shape).astype(np.uint8)
    matrix, A, _ = system(shape, kind, rng)
    u, b = rng.random(shape), padded(np.zeros(shape), np.float64)
    matrix.links.add_held(b, padded(u, np.float64), 0.3)
    links, free = A.links, kind.ravel() == FREE
    expected = np.zeros(u.size)
    for p, q, m, d in zip(links.here, links.there, links.weight, links.drift, strict=True):
        if free[p] and not free[q]:
            expected[p] += 0.7 * m * (1 - d / 2) * u.ravel()[q]
    np.testing.assert_allclose(inside(b, shape).ravel(), expected, atol=1e-14)


def test_links_to_closed_pixels_and_between_pieces_are_dropped(rng):
    shape = (9, 10)
    kind = np.full(shape, FREE, np.uint8)
    kind[:, 5] = CLOSED
    kind[2, 2] = CLOSED
    matrix, A, w = system(shape, kind, rng, 0.2)
    found = dense(applied(matrix, shape), shape)
    left, right = (
        np.flatnonzero(x.ravel()) for x in (np.indices(shape)[1] < 5, np.indices(shape)[1] > 5)
    )
    assert dense(A, shape)[np.ix_(left, right)].any()
    assert not found[np.ix_(left, right)].any()
    np.testing.assert_allclose(found.sum(axis=0), 0.2 * (w * (kind == FREE)).ravel(), atol=1e-14)


def test_sparse_factors_contain_links_and_may_be_those_of_a_block(rng):
    shape = (9, 8)
    matrix, _, _ = system(shape, np.full(shape, FREE, np.uint8), rng)
    b, nowhere = padded(rng.random(shape), np.float64), np.zeros(shape, bool)
    np.testing.assert_allclose(matrix(SparseLU(matrix, nowhere)(b)), b, atol=1e-11)
    block = rng.random(shape) < 0.5
    x = SparseLU(matrix, nowhere, block)(b)
    assert not inside(x, shape)[~block].any()
    np.testing.assert_allclose(inside(matrix(x), shape)[block], inside(b, shape)[block], atol=1e-11)
