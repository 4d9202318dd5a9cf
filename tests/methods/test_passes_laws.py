"""The laws that guided-filter and structure-aware fusion have in common."""

from __future__ import annotations

from dataclasses import FrozenInstanceError

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import osmofuse
from osmofuse import Status, fuse, gallery
from osmofuse.filters import gaussian
from osmofuse.methods import METHODS, GuidedFilterFusion, StructureAwareFusion
from osmofuse.metrics import truth_psnr
from osmofuse.picture import quantise

CLASSES = {"guided-filter": GuidedFilterFusion, "structure-aware": StructureAwareFusion}
names = st.sampled_from(sorted(CLASSES))
sides = st.integers(1, 20)
seeds = st.integers(0, 2**32 - 1)
every = pytest.mark.parametrize("name", CLASSES)


def noise(seed, *shape):
    return np.random.default_rng(seed).random(shape)


@every
def test_known_by_name(name):
    assert METHODS[name] is CLASSES[name]
    f, b = noise(0, 2, 6, 5)
    fusion = fuse(f, b, method=name)
    assert fusion.method == CLASSES[name]()
    assert fusion.status is Status.direct
    assert (fusion.structure, fusion.energy, fusion.reach, fusion.history) == (None,) * 3 + ((),)


@every
def test_settings_are_frozen(name):
    with pytest.raises(FrozenInstanceError):
        CLASSES[name]().radius = 2


@settings(max_examples=40)
@given(seed=seeds, rows=sides, cols=sides, channels=st.integers(0, 4), name=names)
def test_equal_pictures_give_the_picture(seed, rows, cols, channels, name):
    f = noise(seed, rows, cols, *([channels] if channels else []))
    np.testing.assert_allclose(fuse(f, f, method=name).image, f, atol=1e-14)


@settings(max_examples=40)
@given(
    pair=st.tuples(sides, sides).flatmap(
        lambda s: arrays(np.float64, (2, *s), elements=st.floats(0, 16))
    ),
    name=names,
)
def test_output_is_finite_for_finite_input(pair, name):
    before = pair.copy()
    pair.flags.writeable = False
    image = fuse(*pair, method=name).image
    assert image.shape == pair.shape[1:]
    assert np.isfinite(image).all()
    assert np.array_equal(pair, before)


@settings(max_examples=15)
@given(seed=seeds, rows=sides, cols=sides, name=names, alpha=st.floats(0, 1))
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
@pytest.mark.parametrize("bands", [1, 3])
def test_where_the_background_is_not_valid_the_foreground_is_kept(rng, name, bands):
    f, b = rng.random((30, 25, 3)), rng.random((30, 25, bands))
    valid = rng.random((30, 25)) < 0.8
    hidden = np.where(valid[..., None], b, np.nan)
    fusion = fuse(f, hidden, valid=valid, method=name)
    assert np.array_equal(fusion.image[~valid], f[~valid])
    assert np.isfinite(fusion.image).all()
    other = fuse(f, np.where(valid[..., None], b, 16.0), valid=valid, method=name)
    assert np.array_equal(other.image, fusion.image), "what is not valid has no say"


@every
def test_all_valid_is_no_mask_and_none_valid_the_foreground(rng, name):
    f, b = rng.random((2, 12, 9, 3))
    full, empty = np.ones((12, 9), bool), np.zeros((12, 9), bool)
    expected = fuse(f, b, method=name).image
    assert np.array_equal(fuse(f, b, valid=full, method=name).image, expected)
    assert np.array_equal(fuse(f, b * np.nan, valid=empty, method=name).image, f)


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
    before = max(truth_psnr(x, truth) for x in (f, b))
    assert truth_psnr(fusion.image, truth) > before + 10


@every
def test_cancelled_at_once(rng, name):
    f, b = rng.random((2, 12, 9, 3))
    told = []
    fusion = fuse(f, b, method=name, watch=lambda p: told.append(p) or True)
    assert fusion.status is Status.cancelled
    assert len(told) == 1
    assert np.array_equal(fusion.image, f)


@every
def test_has_no_reach_to_extend(name):
    with pytest.raises(osmofuse.SettingError, match="has no reach"):
        fuse(*noise(0, 2, 5, 5), method=name).extend(10)
