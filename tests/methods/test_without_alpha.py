"""The laws of methods that do not look at alpha, and of those that decide by themselves."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from osmofuse import fuse, gallery
from osmofuse.filters import gaussian
from osmofuse.metrics import psnr
from osmofuse.pixels import quantise
from registry import WITHOUT_ALPHA

DECIDING = sorted(WITHOUT_ALPHA - {"average"})  # what to take from which picture
names = st.sampled_from(DECIDING)
sides = st.integers(1, 20)
seeds = st.integers(0, 2**32 - 1)
every = pytest.mark.parametrize("name", DECIDING)


def noise(seed, *shape):
    return np.random.default_rng(seed).random(shape)


@settings(max_examples=40)
@given(seed=seeds, rows=sides, cols=sides, channels=st.integers(0, 4), name=names)
def test_equal_pictures_give_the_picture(seed, rows, cols, channels, name):
    f = noise(seed, rows, cols, *([channels] if channels else []))
    np.testing.assert_allclose(fuse(f, f, method=name).image, f, atol=1e-14)


@settings(max_examples=15)
@given(
    seed=seeds,
    rows=sides,
    cols=sides,
    name=st.sampled_from(sorted(WITHOUT_ALPHA)),
    alpha=st.floats(0, 1),
)
def test_alpha_is_not_used(seed, rows, cols, name, alpha):
    f, b = noise(seed, 2, rows, cols, 3)
    expected = fuse(f, b, method=name).image
    for other in (alpha, noise(seed, rows, cols), np.zeros((rows, cols), bool)):
        assert np.array_equal(fuse(f, b, other, method=name).image, expected)


@settings(max_examples=15)
@given(seed=seeds, rows=sides, cols=sides, name=names)
def test_a_band_is_taken_for_every_channel(seed, rows, cols, name):
    f, b = noise(seed, rows, cols, 3), noise(seed + 1, rows, cols)
    one = fuse(f, b, method=name).image
    assert np.array_equal(fuse(f, b[..., None], method=name).image, one)
    assert np.array_equal(fuse(f, [b], [0.5, 0.5], method=name).image, one)
    three = fuse(f, np.repeat(b[..., None], 3, axis=2), method=name).image
    np.testing.assert_allclose(three, one, atol=1e-9)


@settings(max_examples=15)
@given(seed=seeds, rows=sides, cols=sides, name=names)
def test_grey_pictures_of_three_channels_are_fused_like_one(seed, rows, cols, name):
    f, b = noise(seed, 2, rows, cols)
    three = fuse(*(np.repeat(x[..., None], 3, axis=2) for x in (f, b)), method=name).image
    expected = np.repeat(fuse(f, b, method=name).image[..., None], 3, axis=2)
    np.testing.assert_allclose(three, expected, atol=1e-9)


@every
def test_the_seam_of_a_hole_is_no_structure(rng, name):
    """A flat background beside a hole stays without structure, however unlike the foreground."""
    f, b = 0.5 + 1e-6 * rng.random((60, 60)), np.zeros((60, 60))
    valid = np.zeros((60, 60), bool)
    valid[15:45, 20:40] = True
    fusion = fuse(f, b, valid=valid, method=name)
    np.testing.assert_allclose(fusion.image, f, atol=1e-6)


@every
def test_depths_agree(rng, name):
    f, b = quantise(rng.random((2, 20, 15, 3)), np.uint16)[0]
    deep = fuse(f, b, method=name)
    assert deep.image.dtype == np.float32
    exact = fuse(f / 65535, b / 65535, method=name)
    assert exact.image.dtype == np.float64
    np.testing.assert_allclose(deep.image, exact.image, atol=2e-3)
    single = fuse(*((x / 65535).astype(np.float32) for x in (f, b)), method=name)
    assert single.image.dtype == np.float32
    np.testing.assert_allclose(single.image, exact.image, atol=1e-4)


@every
def test_of_two_pictures_each_half_sharp_comes_one_sharp_picture(name):
    truth = gallery.portrait((120, 100)).truth
    left, soft = (np.arange(100) < 50)[:, None], gaussian(truth, 3.0)
    f, b = np.where(left, truth, soft), np.where(left, soft, truth)
    fusion = fuse(f, b, method=name)
    before = max(psnr(x, truth) for x in (f, b))
    assert psnr(fusion.image, truth) > before + 10
