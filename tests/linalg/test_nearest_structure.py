"""The structure nearest to a drift: exact where there is one, least squares where there is none."""

import numpy as np
import pytest

from osmofuse.linalg import FREE, HELD, Hierarchy, inside, padded
from osmofuse.linalg.nearest_structure import nearest_structure
from osmofuse.operators import OsmosisEdges
from registry import SHAPES, edges


def nearest(drift, w, kind=None):
    kind = np.full(w.shape, FREE, np.uint8) if kind is None else kind
    plane = nearest_structure(drift, padded(w, np.float64), kind, Hierarchy(w.shape))
    return inside(plane, w.shape)


def misfits(drift, w, kind=None):
    """How far log w falls short of the drift, on every edge between free pixels."""
    return np.array(
        [
            np.log((2 + drift[k][a]) / (2 - drift[k][a])) - np.log(w[b] / w[a])
            for k, a, b in edges(w.shape)
            if kind is None or kind[a] == kind[b] == FREE
        ]
    )


def least_squares(drift, shape):
    """The structure by a dense solver."""
    pairs = list(edges(shape))
    D = np.zeros((len(pairs), shape[0] * shape[1]))
    for row, (_, a, b) in enumerate(pairs):
        D[row, np.ravel_multi_index(a, shape)] = -1
        D[row, np.ravel_multi_index(b, shape)] = 1
    goal = np.array([np.log((2 + drift[k][a]) / (2 - drift[k][a])) for k, a, _ in pairs])
    return np.exp(np.linalg.lstsq(D, goal)[0]).reshape(shape)


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_a_structure_that_is_compatible_already_is_kept(shape, rng):
    w = rng.uniform(0.01, 3, shape)
    found = nearest(OsmosisEdges.canonical(w).drift, w)
    np.testing.assert_array_equal(found, w / w.max())


@pytest.mark.parametrize("shape", [(1, 6), (5, 7), (33, 20), (5, 200)], ids=str)
def test_the_structure_of_a_compatible_drift_is_found(shape, rng):
    v = rng.uniform(1, 2, shape)
    drift = OsmosisEdges.canonical(v).drift
    found = nearest(drift, np.ones(shape))
    assert np.abs(misfits(drift, found)).max() <= 0.05 * np.abs(misfits(drift, 0 * v + 1)).max()


def test_of_an_incompatible_drift_it_is_the_least_squares_fit(rng):
    shape = (12, 9)
    drift = rng.uniform(-1, 1, (2, *shape))
    found, best = nearest(drift, np.ones(shape)), least_squares(drift, shape)
    off, least = (np.sum(misfits(drift, w) ** 2) for w in (found, best))
    assert least <= off <= 1.001 * least
    assert least < 0.7 * np.sum(misfits(drift, np.ones(shape)) ** 2)


def test_a_seam_is_spread(rng):
    """Two flat pictures, one twice as bright: the jump is gone, not moved."""
    f, b = np.full((40, 40), 1.0), np.full((40, 40), 2.0)
    found = nearest(np.zeros((2, 40, 40)), np.where(np.arange(40) < 20, f, b))
    assert found.max() / found.min() < 1.02


def test_only_edges_between_free_pixels_count(rng):
    kind = np.full((9, 9), FREE, np.uint8)
    kind[3] = HELD
    w = rng.uniform(1, 2, (9, 9))
    drift = OsmosisEdges.canonical(w).drift
    drift[0, 2:4], drift[1, 3] = 1.9, -1.9
    np.testing.assert_array_equal(nearest(drift, w, kind), w / w.max())


@pytest.mark.parametrize("d", [2.0, -2.0])
def test_a_drift_without_return_gives_a_finite_structure(d):
    found = nearest(np.full((2, 8, 8), d), np.ones((8, 8)))
    assert np.isfinite(found).all()
    assert found.min() >= 1e-12
    assert found.max() == 1
