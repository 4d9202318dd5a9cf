from __future__ import annotations

import numpy as np
import pytest

from osmofuse.filters import sobel

DOWN = np.array([[-1, -2, -1], [0, 0, 0], [1, 2, 1]])


def by_loops(x, weights):
    framed = np.pad(x, 1, "edge")
    return np.array(
        [
            [np.sum(framed[i : i + 3, j : j + 3] * weights) for j in range(x.shape[1])]
            for i in range(x.shape[0])
        ]
    )


@pytest.mark.parametrize("shape", [(1, 1), (1, 6), (5, 1), (2, 3), (7, 8)])
def test_against_loops(rng, shape):
    x = rng.random(shape)
    down, right = sobel(x)
    np.testing.assert_allclose(down, by_loops(x, DOWN), atol=1e-14)
    np.testing.assert_allclose(right, by_loops(x, DOWN.T), atol=1e-14)


def test_ramps():
    i, j = np.mgrid[:6, :7].astype(float)
    down, right = sobel(3 * i - 2 * j)
    assert (down[1:-1] == 24).all()
    assert (right[:, 1:-1] == -16).all()


def test_whole_numbers_stay_whole(rng):
    x = rng.integers(0, 256, (9, 8)).astype(float)
    assert all(np.array_equal(y, np.rint(y)) for y in sobel(x))


@pytest.mark.parametrize("shape", [(1, 1), (2, 3), (7, 6)])
def test_zeros_may_be_around_the_plane(rng, shape):
    x = rng.random(shape)
    framed = [y[1:-1, 1:-1] for y in sobel(np.pad(x, 1))]
    np.testing.assert_allclose(sobel(x, border="zero"), framed, atol=1e-14)
