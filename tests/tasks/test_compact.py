from __future__ import annotations

import numpy as np
import pytest

from osmofuse import InputError, SettingError, Status, compact


def patches(rng, shape=(90, 110), slope=0.0):
    """Return patches of one colour each, or with a slope, bounded by straight lines."""
    i, j = np.mgrid[: shape[0], : shape[1]] / shape[0]
    seeds = rng.random((8, 2)) * [0.9, 1.1]
    which = np.argmin([(i - a) ** 2 + (j - b) ** 2 for a, b in seeds], axis=0)
    colours, slopes = rng.uniform(0.15, 0.85, (8, 3)), rng.normal(0, slope, (8, 2))
    light = 1 + slopes[which, 0] * (i - seeds[which, 0]) + slopes[which, 1] * (j - seeds[which, 1])
    return colours[which] * light[..., None]


def test_patches_of_one_colour_are_found_again_from_their_edges():
    v = patches(np.random.default_rng(1))
    made = compact(v, share=0.15)
    assert made.psnr > 60
    assert made.share <= 0.15
    assert made.status is Status.converged


def test_piecewise_smooth_patches_too():
    v = patches(np.random.default_rng(2), slope=0.08)
    made = compact(v, share=0.15)
    assert made.psnr > 35
    assert made.psnr == pytest.approx(-10 * np.log10(np.mean((made.image - v) ** 2)))


def test_the_mean_is_kept_and_more_edges_hold_more(rng):
    v = np.clip(patches(rng) + rng.normal(0, 0.05, (90, 110, 1)), 0, 1)
    few, many = compact(v, share=0.05), compact(v, share=0.4)
    assert few.image.mean(axis=(0, 1)) == pytest.approx(v.mean(axis=(0, 1)), rel=1e-6)
    assert few.share <= 0.05 < many.share <= 0.4
    assert few.psnr < many.psnr
    assert few.bits < many.bits


def test_all_edges_are_the_picture_and_none_its_mean(rng):
    v = rng.uniform(0.2, 0.8, (20, 24))
    assert np.abs(compact(v, share=1.0).image - v).max() < 1e-5
    flat = compact(np.full((20, 24), 0.4))
    assert flat.share == 0
    assert np.allclose(flat.image, 0.4)
    assert flat.bits == pytest.approx(64)  # the mean alone, of float64


def test_the_size_is_the_entropy_of_the_map_and_the_samples():
    made = compact(np.repeat([[0, 200]], 16, axis=1).repeat(32, 0).astype(np.uint8), share=0.3)
    p = made.share
    entropy = -p * np.log2(p) - (1 - p) * np.log2(1 - p)
    rows, cols = made.edges.shape
    touched = made.edges.copy()
    touched[:, 1:] |= made.edges[:, :-1]
    touched[:, :-1] |= made.edges[:, 1:]
    assert made.bits == pytest.approx(entropy * rows * cols + 8 * (touched.sum() + 1))


def test_the_depth_is_kept():
    pixels = (patches(np.random.default_rng(3)) * 65535).astype(np.uint16)
    picture, _ = compact(pixels).picture()
    assert picture.pixels.dtype == np.uint16
    assert picture.pixels.shape == pixels.shape


def test_bad_settings_and_pictures_are_refused():
    v = np.full((8, 8), 0.5)
    for changes, words in (({"share": 0}, "share"), ({"width": 1.5}, "width")):
        with pytest.raises(SettingError, match=f"^{words}"):
            compact(v, **changes)
    with pytest.raises(InputError, match=r"^picture: "):
        compact(v * np.nan)
    assert compact(v + np.eye(8) / 9, watch=lambda _: True).status is Status.cancelled
