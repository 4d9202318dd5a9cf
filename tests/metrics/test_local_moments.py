from __future__ import annotations

import numpy as np
import pytest

from osmofuse.filters import gaussian, gaussian_moments
from osmofuse.metrics.local_moments import local_moments, window_mean


@pytest.mark.parametrize(("shape", "sigma", "radius"), [((7, 9), 1.5, 3), ((3, 3), 0.6, 1)])
def test_only_windows_inside_count(rng, shape, sigma, radius):
    x, y = rng.random((2, *shape))
    inside = (slice(radius, -radius),) * 2
    whole = gaussian_moments(x, y, sigma, radius=radius)
    for found, plane in zip(local_moments(x, y, sigma, radius), whole, strict=True):
        np.testing.assert_array_equal(found, plane[inside])
    mean = window_mean(x, sigma, radius)
    np.testing.assert_array_equal(mean, gaussian(x, sigma, radius=radius)[inside])
    np.testing.assert_allclose(mean, whole.mean_x[inside], rtol=1e-12)
