from __future__ import annotations

import numpy as np

from osmofuse.filters import laplacian


def test_an_impulse_becomes_the_stencil():
    x = np.zeros((5, 5))
    x[2, 2] = 1.0
    expected = np.zeros((5, 5))
    expected[1:4, 1:4] = [[0, 1, 0], [1, -4, 1], [0, 1, 0]]
    assert np.array_equal(laplacian(x), expected)


def test_it_sums_to_zero(rng):
    assert abs(laplacian(rng.random((8, 11))).sum()) < 1e-13


def test_a_parabola_has_a_constant_one_inside():
    i, j = np.indices((7, 8))
    assert np.array_equal(laplacian(1.0 * i * i - 3.0 * j * j)[1:-1, 1:-1], np.full((5, 6), -4.0))


def test_flat_is_exactly_zero():
    assert not laplacian(np.full((6, 5), 0.1)).any()
