"""Strips and Gaussian windows."""

from __future__ import annotations

import numpy as np
import pytest

from osmofuse.filters import gaussian, gaussian_moments, sobel
from osmofuse.metrics import windows as module
from osmofuse.metrics.windows import local_moments, strips, sum_over_strips, window_mean


@pytest.fixture(params=[1, 40, 10**6])
def pixels(request, monkeypatch):
    monkeypatch.setattr(module, "PIXELS", request.param)


@pytest.mark.usefixtures("pixels")
def test_strips_cover_every_row_once():
    assert [i for a, b in strips(23, 7) for i in range(a, b)] == list(range(23))


@pytest.mark.usefixtures("pixels")
@pytest.mark.parametrize("border", ["replicate", "zero"])
def test_sums_are_those_of_the_whole(rng, border):
    x = rng.random((23, 7))

    def local(x):
        return np.abs(np.stack(sobel(x, border=border)))

    expected = local(x).sum(axis=(1, 2))
    np.testing.assert_allclose(sum_over_strips(local, x, reach=1), expected, rtol=1e-13)


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
