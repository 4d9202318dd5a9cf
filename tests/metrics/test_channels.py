"""The channel rule that the measures of fusion share."""

from __future__ import annotations

import numpy as np
import pytest

from osmofuse import InputError, MismatchError
from osmofuse.metrics.channels import channel_mean, levels


def test_planes_are_grey_levels_in_double(rng):
    seen = []
    u, f = (rng.integers(0, 256, (3, 4, 2)) / 255 for _ in range(2))
    value = channel_mean(lambda *p: seen.append(p) or float(len(seen)), u, f, f[..., 0])
    assert value == 1.5
    assert all(plane.dtype == np.float64 for planes in seen for plane in planes)
    np.testing.assert_array_equal(seen[1][0], 255 * u[..., 1])
    np.testing.assert_array_equal(seen[1][1], 255 * f[..., 1])
    np.testing.assert_array_equal(seen[1][2], 255 * f[..., 0])


def test_levels_of_8_bits_are_whole():
    x = np.arange(256.0).reshape(16, 16) / 255
    np.testing.assert_array_equal(levels(x, 0), np.arange(256).reshape(16, 16))
    single = levels(x.astype(np.float32), 0)
    assert single.dtype == np.float64
    np.testing.assert_array_equal(single, levels(x, 0))


def test_what_does_not_fit(rng):
    u = rng.random((5, 4, 3))
    for wrong in (u[1:], u[..., :2]):
        with pytest.raises(MismatchError, match=r"^background: shape"):
            channel_mean(lambda *p: 0.0, u, u, wrong)
    with pytest.raises(InputError, match=r"^fused: 5 × 4 pixels; .* needs 5 pixels"):
        channel_mean(lambda *p: 0.0, u, u, u, side=5)
