"""Noise by band, and the scale of what is missing."""

import numpy as np
import pytest

from osmofuse import Sources, gallery
from osmofuse.filters import smooth
from osmofuse.methods.statistics import Statistics
from osmofuse.methods.union.bands import band_count, noise_slope, structure_of
from osmofuse.methods.union.pair import log_pair
from osmofuse.methods.union.settings import UnionSettings

K = UnionSettings()


def structure(f, b):
    pair = log_pair(Sources(f, b, 0.0), 1, K.offset, Statistics())
    return pair, structure_of(pair, K, Statistics())


def test_structure_is_kept_and_noise_is_not(rng):
    page = gallery.manuscript((240, 180), 1)
    _, clean = structure(page.foreground, page.background)
    grain = 0.1 * rng.standard_normal(page.background.shape)
    noisy_pair, found = structure(page.foreground, np.clip(page.background + grain, 0.01, 1))
    before = np.abs(noisy_pair.b - clean.b).mean()
    assert np.abs(found.b - clean.b).mean() < 0.6 * before
    assert found.noise[0] > 10 * clean.noise[0]


def test_noise_is_measured_where_there_are_data(rng):
    b = np.clip(0.6 + 0.05 * rng.standard_normal((240, 180)), 0.01, 1)
    f = np.full((240, 180), 0.7)
    _, whole = structure(f, b)
    b[:120] = 0.0
    _, half = structure(f, b)
    assert 0.8 < half.noise[0] / whole.noise[0] < 1.25


def test_without_noise_all_of_it_is_kept():
    b = np.full((96, 80), 0.8)
    b[20:70, 30:34] = 0.2
    pair, found = structure(np.full((96, 80), 0.8), b)
    np.testing.assert_allclose(found.b, pair.b, atol=1e-4)


@pytest.mark.parametrize("width", [3, 6, 12])
def test_the_scale_follows_the_width_of_strokes(width):
    b = np.full((240, 240), 0.8)
    for left in range(20, 220, 5 * width):
        b[20:220, left : left + width] = 0.2
    _, found = structure(np.full((240, 240), 0.8), b)
    assert 0.4 * width < K.reach * found.scale < 2.5 * width


def test_small_pictures_have_three_bands():
    assert band_count(1.0) == 3
    assert band_count(1000.0) == 8


def test_noise_of_a_dark_sky_is_removed_and_of_a_bright_ground_not_blurred(rng):
    b = np.full((240, 180), 0.8)
    b[20:110, 20:160] = 0.04  # not at the border, where it would be no data
    b[150:200, 60:64] = 0.5
    b += 0.012 * rng.standard_normal(b.shape)
    pair, found = structure(np.full((240, 180), 0.7), np.clip(b, 0.001, 1))
    sky = np.s_[35:95, 35:145]
    assert found.b[sky].std() < 0.5 * pair.b[sky].std()
    assert np.ptp(found.b[175, 40:80]) > 0.4


@pytest.mark.parametrize(("power", "slope"), [(0.0, 2.0), (0.5, 1.0), (1.0, 0.0)])
def test_the_slope_of_noise_follows_its_kind(rng, power, slope):
    level = np.tile(np.linspace(0.1, 0.9, 300), (300, 1))
    b = level + 0.01 * level**power * rng.standard_normal(level.shape)
    e = np.square(np.log(b) - np.log(level))
    found = noise_slope(smooth(e, 2.0), np.log(level), np.ones(level.shape, bool), K)
    assert abs(found - slope) < 0.35
