from __future__ import annotations

import numpy as np
import pytest

from osmofuse.gallery.land import AUTUMN, SUMMER, prepare_valley, seen_from_above


@pytest.fixture(scope="module")
def valley():
    return prepare_valley((240, 240), np.random.default_rng(0))


def test_covers_are_shares(valley):
    for cover in (valley.hedge, valley.wood, valley.river, valley.bank, valley.road, valley.town):
        assert cover.shape == (240, 240)
        assert cover.min() >= 0
        assert cover.max() <= 1
        assert cover.max() > 0.5


def test_the_river_crosses_the_whole_valley(valley):
    assert np.all(valley.river.max(axis=1) > 0.9)
    assert valley.river.mean() < 0.1


def test_fields_are_many_and_of_many_crops(valley):
    assert len(np.unique(valley.parcel)) > 30
    assert set(np.unique(valley.crop[np.unique(valley.parcel)])) == set(range(5))


def test_no_town_in_the_river(valley):
    assert np.all((valley.town * valley.river) < 0.3)


def test_seasons_differ_in_colour_and_not_in_place(valley):
    summer, autumn = (seen_from_above(valley, season) for season in (SUMMER, AUTUMN))
    assert np.abs(summer - autumn).mean() > 0.01
    edges = [np.abs(np.diff(picture.mean(axis=2), axis=1)).ravel() for picture in (summer, autumn)]
    assert np.corrcoef(*edges)[0, 1] > 0.9
