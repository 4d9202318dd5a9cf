from __future__ import annotations

import numpy as np

from osmofuse.filters import box_mean, lee


def test_flat_windows_become_their_mean_and_edges_stay(rng):
    x = 1e-3 * rng.random((20, 20))
    np.testing.assert_allclose(lee(x, radius=3, epsilon=0.01), box_mean(x, 3), atol=1e-7)
    x = 1e3 * rng.random((20, 20))
    np.testing.assert_allclose(lee(x, radius=3, epsilon=0.01), x, rtol=1e-4, atol=1e-3)


def test_between_the_mean_and_the_value(rng):
    x = rng.random((15, 13))
    y, mean = lee(x, radius=2, epsilon=0.05), box_mean(x, 2)
    assert (np.minimum(x, mean) - 1e-15 <= y).all()
    assert (y <= np.maximum(x, mean) + 1e-15).all()


def test_scaling_law(rng):
    x = rng.random((9, 9))
    scaled = lee(4 * x, radius=2, epsilon=16 * 0.01)
    np.testing.assert_allclose(scaled, 4 * lee(x, radius=2, epsilon=0.01), rtol=1e-12)
