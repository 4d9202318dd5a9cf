from __future__ import annotations

import numpy as np
import pytest

from osmofuse.linalg.composed_drift import ComposedDrift


def reference(shape, planes, phi):
    """Return the composed drift minus that of phi, edge by edge."""
    found = np.zeros((2, *shape))
    for axis, (di, dj) in enumerate(((1, 0), (0, 1))):
        for i, j in np.ndindex(shape[0] - di, shape[1] - dj):
            total = weights = 0.0
            for (rows, cols), x, w in planes:
                a, b = (i - rows.start, j - cols.start), (i + di - rows.start, j + dj - cols.start)
                if min(a) < 0 or b[0] >= x.shape[0] or b[1] >= x.shape[1]:
                    continue
                mean = np.sqrt(w[a] * w[b])
                total, weights = total + mean * (x[b] - x[a]), weights + mean
            if weights > 0:
                found[axis, i, j] = total / weights - (phi[i + di, j + dj] - phi[i, j])
    return found


@pytest.fixture
def planes(rng):
    boxes = [(slice(0, 5), slice(0, 6)), (slice(2, 8), slice(3, 9)), (slice(7, 8), slice(0, 2))]
    found = []
    for rows, cols in boxes:
        size = rows.stop - rows.start, cols.stop - cols.start
        found.append(((rows, cols), rng.random(size), rng.random(size) * (rng.random(size) > 0.2)))
    return found


def composed(shape, planes, phi):
    drift = ComposedDrift(shape, np.float64)
    for box, x, w in planes:
        drift.add(box, x, w)
    drift.subtract(phi)
    return drift


def test_it_is_the_weighted_mean_edge_by_edge(rng, planes):
    phi = rng.random((8, 9))
    drift = composed((8, 9), planes, phi).drift
    np.testing.assert_allclose(drift, reference((8, 9), planes, phi), atol=1e-12)


def test_constants_added_to_planes_change_nothing(rng, planes):
    phi = rng.random((8, 9))
    moved = [(box, x + k, w) for k, (box, x, w) in enumerate(planes, 1)]
    first, second = (composed((8, 9), some, phi).drift for some in (planes, moved))
    np.testing.assert_allclose(first, second, atol=1e-12)


def test_only_uncovered_edges_are_set_in_either_direction():
    ones, left, right = np.ones((2, 2)), (slice(0, 2), slice(0, 2)), (slice(0, 2), slice(2, 4))
    drift = composed((2, 4), [(left, ones, ones), (right, ones, ones)], np.zeros((2, 4)))
    here = np.array([0, 1, 0]), np.array([1, 2, 0])
    there = np.array([0, 1, 0]), np.array([2, 1, 1])
    drift.set_uncovered(here, there, np.array([0.5, 0.25, 9.0]))
    assert drift.drift[1].tolist() == [[0, 0.5, 0, 0], [0, -0.25, 0, 0]]
    assert not drift.drift[0].any()
