from __future__ import annotations

import numpy as np
import pytest

from osmofuse.metrics.local_moments import local_moments


@pytest.mark.parametrize(("shape", "sigma", "radius"), [((7, 9), 1.5, 3), ((3, 3), 0.6, 1)])
def test_against_loops(rng, shape, sigma, radius):
    x, y = 255 * rng.random((2, *shape))
    t = np.arange(-radius, radius + 1)
    window = np.exp(-(t[:, None] ** 2 + t**2) / (2 * sigma**2))
    window /= window.sum()
    side = 2 * radius + 1
    found = local_moments(x, y, sigma, radius)
    for i, j in np.ndindex(shape[0] - side + 1, shape[1] - side + 1):
        a, b = (z[i : i + side, j : j + side] for z in (x, y))
        mean_a, mean_b = (window * a).sum(), (window * b).sum()
        expected = [
            mean_a,
            mean_b,
            (window * (a - mean_a) ** 2).sum(),
            (window * (b - mean_b) ** 2).sum(),
            (window * (a - mean_a) * (b - mean_b)).sum(),
        ]
        np.testing.assert_allclose([z[i, j] for z in found], expected, rtol=1e-10, atol=1e-9)


def test_flat_planes_do_not_vary():
    x = np.full((9, 9), 25.5)
    _, _, var_x, var_y, cov = local_moments(x, 3 * x, 1.5, 3)
    assert max(var_x.max(), var_y.max(), np.abs(cov).max()) < 1e-20
    assert min(var_x.min(), var_y.min()) >= 0
