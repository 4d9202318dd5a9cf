from __future__ import annotations

import numpy as np
import pytest

from osmofuse import InputError
from osmofuse.metrics import truth_ssim


def ssim_by_loops(x, y):
    """Structural similarity from the definition: a window at each place it fits."""
    t = np.arange(-5, 6)
    line = np.exp(-(t**2) / (2 * 1.5**2))
    window = np.outer(line, line)
    window /= window.sum()
    values = []
    for i in range(x.shape[0] - 10):
        for j in range(x.shape[1] - 10):
            a, b = x[i : i + 11, j : j + 11], y[i : i + 11, j : j + 11]
            mean_a, mean_b = (window * a).sum(), (window * b).sum()
            var_a = (window * (a - mean_a) ** 2).sum()
            var_b = (window * (b - mean_b) ** 2).sum()
            cov = (window * (a - mean_a) * (b - mean_b)).sum()
            luminance = (2 * mean_a * mean_b + 1e-4) / (mean_a**2 + mean_b**2 + 1e-4)
            values.append(luminance * (2 * cov + 9e-4) / (var_a + var_b + 9e-4))
    return np.mean(values)


@pytest.mark.parametrize("shape", [(13, 13), (11, 11), (11, 17)])
def test_against_loops(rng, shape):
    x, y = rng.random((2, *shape))
    assert truth_ssim(x, y) == pytest.approx(ssim_by_loops(x, y), abs=1e-12)


def test_channels_are_averaged(rng):
    x, y = rng.random((2, 13, 13, 3))
    expected = np.mean([ssim_by_loops(x[..., c], y[..., c]) for c in range(3)])
    assert truth_ssim(x, y) == pytest.approx(expected, abs=1e-12)


def test_equal_pictures_are_wholly_alike(rng):
    x = rng.random((14, 12, 3))
    assert truth_ssim(x, x.copy()) == pytest.approx(1.0, abs=1e-12)


def test_constants_by_hand():
    """Without variance only the luminance is left: (2ab + C1) / (a² + b² + C1)."""
    a, b = np.full((12, 12), 0.25), np.full((12, 12), 0.75)
    assert truth_ssim(a, b) == pytest.approx((0.375 + 1e-4) / (0.625 + 1e-4), abs=1e-9)


def test_it_is_symmetric_and_sinks_with_noise(rng):
    x = rng.random((16, 16))
    noise = rng.standard_normal((16, 16))
    values = [truth_ssim(x + size * noise, x) for size in (0.01, 0.1, 0.5)]
    assert 1 > values[0] > values[1] > values[2]
    assert truth_ssim(x, x + noise) == pytest.approx(truth_ssim(x + noise, x), abs=1e-14)


def test_single_precision_is_summed_in_double(rng):
    x, y = rng.random((2, 13, 13)).astype(np.float32)
    assert truth_ssim(x, y) == truth_ssim(x.astype(float), y.astype(float))


@pytest.mark.parametrize("shape", [(10, 40), (40, 10, 3), (1, 1)])
def test_a_window_must_fit(rng, shape):
    with pytest.raises(InputError, match=r"^fused: needs 11 pixels in both directions"):
        truth_ssim(*rng.random((2, *shape)))
