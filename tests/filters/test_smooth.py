"""Gaussians of any width."""

import numpy as np
import pytest
from scipy.ndimage import gaussian_filter

from osmofuse.filters import smooth


@pytest.mark.parametrize("sigma", [0.6, 1.5, 3.0, 5.0, 9.7, 20.0])
def test_it_is_nearly_the_gaussian_of_scipy(rng, sigma):
    x = gaussian_filter(rng.standard_normal((190, 180)), 1.0).astype(np.float32)
    x /= x.std()
    expected = gaussian_filter(x, sigma, mode="nearest", truncate=4.0)
    found = smooth(x, sigma)
    assert found.dtype == np.float32
    away = slice(75, -75)  # from borders, where means of blocks are replicated
    assert np.abs(found - expected)[away, away].max() < 0.02


@pytest.mark.parametrize("shape", [(1, 1), (1, 9), (7, 2), (40, 3)])
def test_a_flat_plane_stays_flat(shape):
    for sigma in (0.0, 0.5, 4.0, 50.0):
        np.testing.assert_allclose(smooth(np.full(shape, 0.7), sigma), 0.7, rtol=1e-12)
