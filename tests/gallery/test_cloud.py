from __future__ import annotations

import math

import numpy as np
import pytest

from osmofuse import fuse, gallery
from osmofuse.gallery.cloud import AUTUMN, SUMMER, prepare_valley, seen_from_above
from osmofuse.metrics import psnr


@pytest.fixture(scope="module")
def valley():
    return gallery.cloud((200, 200), seed=0)


def changes(scene):
    return scene.foreground - scene.truth


def test_truth_is_the_foreground_bit_for_bit_under_a_clear_sky(valley):
    clear = valley.alpha == 1
    assert 0.5 < clear.mean() < 0.9
    assert np.array_equal(valley.foreground[clear], valley.truth[clear])


@pytest.mark.parametrize("seed", range(5))
def test_every_sky_has_clouds_and_shadows_and_the_map_covers_both(seed):
    scene = gallery.cloud((120, 120), seed)
    lighter, darker = (changes(scene).mean(axis=2) * sign > 0.05 for sign in (1, -1))
    assert lighter.mean() > 0.05
    assert darker.mean() > 0.02
    assert scene.alpha[lighter | darker].max() < 0.8
    assert scene.alpha[np.abs(changes(scene)).max(axis=2) > 0.2].mean() < 0.1


def test_clouds_are_white_and_hide_the_land(valley):
    thick = (valley.foreground.min(axis=2) > 0.7) & (changes(valley).min(axis=2) > 0.2)
    assert thick.mean() > 0.04
    assert np.ptp(valley.foreground[thick].mean(axis=0)) < 0.06
    assert np.all(valley.alpha[thick] == 0)


def test_the_second_date_has_the_same_places_in_other_colours(valley):
    first, second = valley.truth.mean(axis=2), valley.background.mean(axis=2)
    assert np.corrcoef(first.ravel(), second.ravel())[0, 1] > 0.85
    shift = (valley.background - valley.truth).mean(axis=(0, 1))
    assert shift[0] > shift[1] > shift[2]
    assert psnr(valley.background, valley.truth) < 27


def test_a_fusion_clears_the_sky(valley):
    pictures = valley.foreground, valley.background, valley.alpha
    gain = psnr(fuse(*pictures).image, valley.truth)
    gain -= psnr(valley.foreground, valley.truth)
    assert gain > 5
    # Large clouds need all the way.
    far = psnr(fuse(*pictures, reach=math.inf).image, valley.truth)
    assert far > psnr(valley.background, valley.truth) + 3


@pytest.fixture(scope="module")
def land():
    return prepare_valley((240, 240), np.random.default_rng(0))


def test_covers_are_shares(land):
    for cover in (land.hedge, land.wood, land.river, land.bank, land.road, land.town):
        assert cover.shape == (240, 240)
        assert cover.min() >= 0
        assert cover.max() <= 1
        assert cover.max() > 0.5


def test_the_river_crosses_the_whole_valley(land):
    assert np.all(land.river.max(axis=1) > 0.9)
    assert land.river.mean() < 0.1


def test_fields_are_many_and_of_many_crops(land):
    assert len(np.unique(land.parcel)) > 30
    assert set(np.unique(land.crop[np.unique(land.parcel)])) == set(range(5))


def test_no_town_in_the_river(land):
    assert np.all((land.town * land.river) < 0.3)


def test_seasons_differ_in_colour_and_not_in_place(land):
    summer, autumn = (seen_from_above(land, season) for season in (SUMMER, AUTUMN))
    assert np.abs(summer - autumn).mean() > 0.01
    edges = [np.abs(np.diff(picture.mean(axis=2), axis=1)).ravel() for picture in (summer, autumn)]
    assert np.corrcoef(*edges)[0, 1] > 0.9
