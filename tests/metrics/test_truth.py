"""PSNR and SSIM against scikit-image, against loops and by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest
from skimage.metrics import peak_signal_noise_ratio, structural_similarity

import osmofuse
from osmofuse import InputError
from osmofuse.metrics import psnr, ssim, windows
from osmofuse.metrics.truth import mean_similarities


@pytest.fixture(params=["noise", "portrait", "grey"])
def pair(request, rng):
    """Pictures and a truth: noise, a gallery scene, one channel of it."""
    if request.param == "noise":
        return rng.random((2, 23, 31, 3))
    scene = osmofuse.gallery.portrait(shape=(60, 50))
    fused = 0.6 * scene.foreground + 0.4 * scene.truth + 0.02 * rng.standard_normal((60, 50, 3))
    pictures = np.asarray(fused, np.float64), np.asarray(scene.truth, np.float64)
    return [x[..., 1] for x in pictures] if request.param == "grey" else pictures


def test_psnr_is_that_of_scikit_image(pair):
    fused, truth = pair
    expected = peak_signal_noise_ratio(truth, fused, data_range=1.0)
    assert psnr(fused, truth) == pytest.approx(expected, rel=1e-12)


def test_ssim_is_that_of_scikit_image(pair):
    """Its settings of Wang et al.; its mean leaves out the same border of 5 pixels."""
    fused, truth = pair
    expected = structural_similarity(
        truth,
        fused,
        data_range=1.0,
        channel_axis=-1 if truth.ndim == 3 else None,
        gaussian_weights=True,
        sigma=1.5,
        use_sample_covariance=False,
    )
    assert ssim(fused, truth) == pytest.approx(expected, rel=1e-9)


def test_psnr_equal_pictures_are_infinitely_alike(rng):
    x = rng.random((4, 5, 3))
    assert psnr(x, x.copy()) == math.inf


@pytest.mark.parametrize(("error", "decibels"), [(1.0, 0.0), (0.1, 20.0), (0.01, 40.0), (10, -20)])
def test_psnr_a_constant_error(error, decibels):
    truth = np.full((4, 5, 3), 0.5)
    assert psnr(truth + error, truth) == pytest.approx(decibels)
    assert psnr(truth - error, truth) == pytest.approx(decibels)


def test_psnr_the_mean_is_over_pixels_and_channels_together():
    """One sample of four is off by 0.2: the mean square is 0.01."""
    truth = np.zeros((1, 2, 2))
    fused = truth.copy()
    fused[0, 1, 0] = 0.2
    assert psnr(fused, truth) == pytest.approx(20.0)


def test_psnr_is_computed_in_double(rng):
    x = rng.random((50, 40)).astype(np.float32)
    y = x + np.float32(1e-3)
    expected = -10 * np.log10(np.mean((y.astype(float) - x) ** 2))
    assert psnr(y, x) == pytest.approx(expected, rel=1e-12)


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
def test_ssim_against_loops(rng, shape):
    x, y = rng.random((2, *shape))
    assert ssim(x, y) == pytest.approx(ssim_by_loops(x, y), abs=1e-12)


def test_ssim_channels_are_averaged(rng):
    x, y = rng.random((2, 13, 13, 3))
    expected = np.mean([ssim_by_loops(x[..., c], y[..., c]) for c in range(3)])
    assert ssim(x, y) == pytest.approx(expected, abs=1e-12)


def test_ssim_equal_pictures_are_wholly_alike(rng):
    x = rng.random((14, 12, 3))
    assert ssim(x, x.copy()) == pytest.approx(1.0, abs=1e-12)


def test_ssim_constants_by_hand():
    """Without variance only the luminance is left: (2ab + C1) / (a² + b² + C1)."""
    a, b = np.full((12, 12), 0.25), np.full((12, 12), 0.75)
    assert ssim(a, b) == pytest.approx((0.375 + 1e-4) / (0.625 + 1e-4), abs=1e-9)


def test_ssim_is_symmetric_and_sinks_with_noise(rng):
    x = rng.random((16, 16))
    noise = rng.standard_normal((16, 16))
    values = [ssim(x + size * noise, x) for size in (0.01, 0.1, 0.5)]
    assert 1 > values[0] > values[1] > values[2]
    assert ssim(x, x + noise) == pytest.approx(ssim(x + noise, x), abs=1e-14)


def test_ssim_single_precision_is_summed_in_double(rng):
    x, y = rng.random((2, 13, 13)).astype(np.float32)
    assert ssim(x, y) == ssim(x.astype(float), y.astype(float))


@pytest.mark.parametrize("shape", [(10, 40), (40, 10, 3), (1, 1)])
def test_ssim_a_window_must_fit(rng, shape):
    with pytest.raises(InputError, match=r"^fused: shape .* needs 11 pixels in both directions"):
        ssim(*rng.random((2, *shape)))


@pytest.mark.parametrize("pixels", [1, 50, 10**6])
def test_planes_strips_do_not_count(rng, monkeypatch, pixels):
    x, y, z = rng.random((3, 31, 17))
    expected = [ssim(x, y), ssim(x, z)]
    monkeypatch.setattr(windows, "PIXELS", pixels)
    assert mean_similarities(x, y, z, white=1.0) == pytest.approx(expected, rel=1e-13)


def test_planes_white_is_the_scale(rng):
    x, y = rng.random((2, 14, 15))
    found = mean_similarities(255 * x, 255 * y, white=255.0)
    assert found == pytest.approx(mean_similarities(x, y, white=1.0), rel=1e-12)


def test_planes_a_window_must_fit(rng):
    with pytest.raises(InputError, match="needs 11 pixels"):
        mean_similarities(*rng.random((2, 10, 30)), white=1.0)
