from __future__ import annotations

import math

import numpy as np
import pytest

from osmofuse.metrics import psnr, rmse


def test_it_is_made_of_the_error_of_a_channel(rng):
    u, f, b = rng.random((3, 6, 5))
    expected = 20 * math.log10(255 / math.sqrt(rmse(u, f, b)))
    assert psnr(u, f, b) == pytest.approx(expected, rel=1e-14)


def test_equal_pictures_are_infinitely_alike(rng):
    u = rng.random((6, 5, 3))
    assert psnr(u, u, u) == math.inf


def test_decibels_are_averaged_not_errors():
    u = np.zeros((4, 4, 2))
    f = u + np.array([1.0, 0.01])
    each = [psnr(u[..., c], f[..., c], f[..., c]) for c in range(2)]
    assert psnr(u, f, f) == pytest.approx(np.mean(each))
