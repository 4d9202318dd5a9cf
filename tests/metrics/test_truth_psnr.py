from __future__ import annotations

import math

import numpy as np
import pytest

from osmofuse.metrics import truth_psnr


def test_equal_pictures_are_infinitely_alike(rng):
    x = rng.random((4, 5, 3))
    assert truth_psnr(x, x.copy()) == math.inf


@pytest.mark.parametrize(("error", "decibels"), [(1.0, 0.0), (0.1, 20.0), (0.01, 40.0), (10, -20)])
def test_a_constant_error(error, decibels):
    truth = np.full((4, 5, 3), 0.5)
    assert truth_psnr(truth + error, truth) == pytest.approx(decibels)
    assert truth_psnr(truth - error, truth) == pytest.approx(decibels)


def test_the_mean_is_over_pixels_and_channels_together():
    """One sample of four is off by 0.2: the mean square is 0.01."""
    truth = np.zeros((1, 2, 2))
    fused = truth.copy()
    fused[0, 1, 0] = 0.2
    assert truth_psnr(fused, truth) == pytest.approx(20.0)


def test_it_is_computed_in_double(rng):
    x = rng.random((50, 40)).astype(np.float32)
    y = x + np.float32(1e-3)
    expected = -10 * np.log10(np.mean((y.astype(float) - x) ** 2))
    assert truth_psnr(y, x) == pytest.approx(expected, rel=1e-12)
