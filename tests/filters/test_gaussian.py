from __future__ import annotations

import math

import numpy as np
import pytest

from osmofuse.filters import gaussian


def weights(sigma, radius):
    t = np.arange(-radius, radius + 1)
    kernel = np.exp(-(t**2) / (2 * sigma**2))
    return kernel / kernel.sum()


@pytest.mark.parametrize(("sigma", "radius"), [(1.5, 5), (0.7, None), (1.1, None), (2.0, 1)])
def test_an_impulse_becomes_the_kernel(sigma, radius):
    x = np.zeros((21, 21))
    x[10, 10] = 1.0
    reach = math.ceil(2 * sigma) if radius is None else radius
    line = np.pad(weights(sigma, reach), 10 - reach)
    np.testing.assert_allclose(
        gaussian(x, sigma, radius=radius), np.outer(line, line), rtol=1e-12, atol=1e-300
    )


def test_borders_are_replicated():
    x = np.array([[1.0, 0.0, 0.0, 0.0, 0.0]])
    a = weights(1.0, 2)
    expected = [a[0] + a[1] + a[2], a[0] + a[1], a[0], 0, 0]
    np.testing.assert_allclose(gaussian(x, 1.0)[0], expected, rtol=1e-13)


def test_channels_are_filtered_alone(rng):
    x = rng.random((9, 8, 3))
    expected = np.stack([gaussian(x[..., c], 1.3) for c in range(3)], axis=2)
    assert np.array_equal(gaussian(x, 1.3), expected)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_type_shape_and_input_stay(rng, dtype):
    x = rng.random((5, 1)).astype(dtype)
    x.flags.writeable = False
    y = gaussian(x, 2.0)
    assert y.dtype == dtype
    assert y.shape == x.shape
    assert not np.shares_memory(x, y)


def test_constants_stay():
    np.testing.assert_allclose(gaussian(np.full((7, 4), 0.3), 3.0), 0.3, rtol=1e-14)


def test_zeros_may_be_around_the_picture(rng):
    x = rng.random((6, 9))
    framed = gaussian(np.pad(x, 4), 1.3, radius=4)[4:-4, 4:-4]
    np.testing.assert_allclose(gaussian(x, 1.3, radius=4, border="zero"), framed, atol=1e-14)
