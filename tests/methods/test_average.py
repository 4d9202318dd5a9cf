"""The average: plain, weighted, of several pictures."""

from __future__ import annotations

import math

import numpy as np
import pytest

import osmofuse
from osmofuse import SettingError, Sources, Status
from osmofuse.methods import Average


@pytest.fixture
def pair(rng):
    return rng.random((2, 6, 5, 3))


def test_it_is_the_mean_whatever_alpha_says(pair, rng):
    for alpha in (0.0, 1.0, rng.random((6, 5))):
        fusion = Average()(Sources(*pair, alpha))
        np.testing.assert_allclose(fusion.image, pair.mean(axis=0), atol=1e-15)
        assert fusion.status is Status.direct


def test_several_pictures_count_alike(rng):
    f, *b = rng.random((4, 6, 5))
    u = Average()(Sources(f, b, [0.7, 0.1, 0.1, 0.1])).image
    np.testing.assert_allclose(u, (f + sum(b)) / 4, atol=1e-15)


def test_only_ratios_of_weights_matter(pair):
    f, b = pair
    images = [Average(weights=w)(Sources(f, b)).image for w in ((3, 1), [0.75, 0.25], (300.0, 100))]
    for image in images:
        np.testing.assert_allclose(image, 0.75 * f + 0.25 * b, atol=1e-15)
    assert np.array_equal(Average(weights=(1, 0))(Sources(f, b)).image, f)
    assert np.array_equal(Average(weights=(0, 1))(Sources(f, b)).image, b)


def test_lists_and_tuples_are_the_same_settings():
    assert Average(weights=[1, 2]) == Average(weights=(1, 2))
    assert hash(Average(weights=[1, 2])) == hash(Average(weights=(1, 2)))


def test_where_the_background_is_not_valid_the_foreground_stands_in(pair, rng):
    f, b = pair
    valid = rng.random((6, 5)) < 0.5
    u = Average(weights=(1, 2))(Sources(f, b, 0.5, valid)).image
    np.testing.assert_allclose(u[~valid], f[~valid], atol=1e-15)
    np.testing.assert_allclose(u[valid], (f + 2 * b)[valid] / 3, atol=1e-15)


@pytest.mark.parametrize(
    "weights", [1.0, "12", (), (0, 0), (1, -1), (1, math.nan), (1, math.inf), (1, "1"), {1: 2}]
)
def test_bad_weights_are_refused(weights):
    with pytest.raises(SettingError, match=r"^weights: "):
        Average(weights=weights)


@pytest.mark.parametrize("weights", [(1,), (1, 1, 1)])
def test_there_is_one_weight_for_each_picture(pair, weights):
    with pytest.raises(SettingError, match=rf"^weights: {len(weights)} for 2 pictures; give the"):
        osmofuse.fuse(*pair, method="average", weights=weights)
