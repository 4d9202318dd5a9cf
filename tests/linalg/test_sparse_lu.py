"""Sparse factors solve with the matrix they are made of, on free pixels."""

import numpy as np
import pytest

from osmofuse.linalg import CLOSED, FREE, HELD, Transport, inside, padded
from osmofuse.linalg.sparse_lu import SparseLU
from registry import SHAPES


def transport(shape, c, rng, kinds=(CLOSED, FREE, HELD)):
    matrix = Transport.empty(shape)
    kind = rng.choice(kinds, shape).astype(np.uint8)
    drift, w = rng.uniform(-1.99, 1.99, (2, *shape)), rng.uniform(0.1, 1, shape)
    matrix.fill(drift, padded(w, np.float64), kind, c)
    return matrix, kind


@pytest.mark.parametrize("c", [1e-3, 1.0])
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_they_invert_it(shape, c, rng):
    matrix, kind = transport(shape, c, rng)
    b = padded(rng.random(shape) * (kind == FREE), np.float64)
    x = SparseLU(matrix, np.zeros(shape, bool))(b)
    np.testing.assert_allclose(matrix(x), b, atol=1e-11)
    assert not inside(x, shape)[kind != FREE].any()


def test_an_anchor_fixes_the_level(rng):
    """A x = b leaves a multiple of one plane open; with an anchor, x is 0 there."""
    matrix, _ = transport((5, 6), 0.0, rng, (FREE,))
    anchors = np.zeros((5, 6), bool)
    anchors[2, 3] = True
    b = rng.random((5, 6))
    b = padded(b - b.mean(), np.float64)
    x = SparseLU(matrix, anchors)(b)
    np.testing.assert_allclose(matrix(x), b, atol=1e-12)
    assert inside(x, (5, 6))[2, 3] == pytest.approx(0, abs=1e-12)
