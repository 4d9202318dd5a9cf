"""Derivatives against plain loops and on simple planes."""

from __future__ import annotations

import numpy as np
import pytest

from osmofuse.filters import derivatives, gaussian, laplacian, sobel
from registry import SHAPES

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
def test_sobel_against_loops(rng, shape):
    x = rng.random(shape)
    down, right = sobel(x)
    np.testing.assert_allclose(down, by_loops(x, DOWN), atol=1e-14)
    np.testing.assert_allclose(right, by_loops(x, DOWN.T), atol=1e-14)


def test_sobel_of_ramps():
    i, j = np.mgrid[:6, :7].astype(float)
    down, right = sobel(3 * i - 2 * j)
    assert (down[1:-1] == 24).all()
    assert (right[:, 1:-1] == -16).all()


def test_sobel_of_integers_is_integer(rng):
    x = rng.integers(0, 256, (9, 8)).astype(float)
    assert all(np.array_equal(y, np.rint(y)) for y in sobel(x))


@pytest.mark.parametrize("shape", [(1, 1), (2, 3), (7, 6)])
def test_zeros_may_be_around_the_plane(rng, shape):
    x = rng.random(shape)
    framed = [y[1:-1, 1:-1] for y in sobel(np.pad(x, 1))]
    np.testing.assert_allclose(sobel(x, border="zero"), framed, atol=1e-14)


def test_laplacian_of_an_impulse_is_the_stencil():
    x = np.zeros((5, 5))
    x[2, 2] = 1.0
    expected = np.zeros((5, 5))
    expected[1:4, 1:4] = [[0, 1, 0], [1, -4, 1], [0, 1, 0]]
    assert np.array_equal(laplacian(x), expected)


def test_the_laplacian_sums_to_zero(rng):
    assert abs(laplacian(rng.random((8, 11))).sum()) < 1e-13


def test_a_parabola_has_a_constant_laplacian_inside():
    i, j = np.indices((7, 8))
    assert np.array_equal(laplacian(1.0 * i * i - 3.0 * j * j)[1:-1, 1:-1], np.full((5, 6), -4.0))


def test_flat_is_exactly_zero():
    assert not laplacian(np.full((6, 5), 0.1)).any()


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_derivatives_are_central_with_replicated_borders(shape, rng):
    x = rng.random(shape)
    wide = np.pad(x, 1, mode="edge")
    down, right = derivatives(x, 0.0)
    for i, j in np.ndindex(shape):
        assert down[i, j] == pytest.approx((wide[i + 2, j + 1] - wide[i, j + 1]) / 2)
        assert right[i, j] == pytest.approx((wide[i + 1, j + 2] - wide[i + 1, j]) / 2)


def test_derivatives_of_a_smoothed_plane(rng):
    x = rng.random((9, 8))
    for one, other in zip(derivatives(x, 1.5), derivatives(gaussian(x, 1.5), 0.0), strict=True):
        np.testing.assert_array_equal(one, other)
