from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from osmofuse import InputError, SettingError
from osmofuse.preparation import feather, grow, invert

seeds, sides = st.integers(0, 999), st.integers(1, 9)


def largest_within(alpha, reach):
    """Look at every pair of pixels."""
    places = np.indices(alpha.shape).reshape(2, -1).T
    near = np.hypot(*np.moveaxis(places[:, None] - places[None], 2, 0)) <= reach
    return np.where(near, alpha.ravel(), 0.0).max(axis=1).reshape(alpha.shape)


@given(seed=seeds, rows=sides, cols=sides, reach=st.sampled_from([0.0, 0.5, 1.0, 1.5, 2.9, 20.0]))
def test_growing_takes_the_largest_value_within_reach(seed, rows, cols, reach):
    rng = np.random.default_rng(seed)
    for alpha in (rng.random((rows, cols)), (rng.random((rows, cols)) < 0.3).astype(float)):
        assert np.array_equal(grow(alpha, reach), largest_within(alpha, reach))


def test_shrinking_is_growing_of_the_rest(rng):
    kept = rng.random((12, 15)) < 0.7
    np.testing.assert_allclose(grow(kept, -1.5), 1 - grow(~kept, 1.5))
    assert grow(kept, -1.5).sum() < kept.sum() < grow(kept, 1.5).sum()


def test_channels_grow_for_themselves(rng):
    for maps in (rng.random((8, 9, 3)), rng.random((8, 9, 3)) < 0.2):
        grown = grow(maps, 2)
        for c in range(3):
            assert np.array_equal(grown[..., c], grow(maps[..., c], 2))


def test_a_feather_is_a_ramp_of_its_width_across_the_edge():
    kept = np.zeros((5, 40), bool)
    kept[:, 20:] = True
    ramp = feather(kept, 10)[2]
    np.testing.assert_allclose(ramp, np.clip(0.5 + (np.arange(40) - 19.5) / 10, 0, 1))
    assert np.array_equal(feather(kept, 0), kept)


@pytest.mark.parametrize("kept", [np.zeros((3, 4), bool), np.ones((3, 4), bool)])
def test_without_an_edge_there_is_nothing_to_feather(kept):
    assert np.array_equal(feather(kept, 5), kept)


def test_inverting_swaps_the_two(rng):
    alpha = rng.random((4, 5))
    assert np.array_equal(invert(alpha), 1 - alpha)
    assert np.array_equal(invert(np.array([[0, 255]], np.uint8)), [[1, 0]])


@pytest.mark.parametrize("bad", [math.nan, math.inf, "3", None, 10_001, 1e300, 10**400])
def test_bad_distances(bad):
    with pytest.raises(SettingError, match=r"^distance: "):
        grow(np.eye(3), bad)
    with pytest.raises(SettingError, match=r"^width: "):
        feather(np.eye(3), bad)


def test_a_soft_map_grows_a_little_only():
    soft, mask = np.full((3, 3), 0.5), np.eye(3)
    assert np.array_equal(grow(mask, 10_000), np.ones((3, 3)))
    for distance in (101, -101):
        with pytest.raises(SettingError, match="must be from -100 to 100 for a map"):
            grow(soft, distance)


def test_bad_maps():
    with pytest.raises(SettingError, match=r"^width: -1"):
        feather(np.eye(3), -1)
    for made in (lambda x: grow(x, 1), lambda x: feather(x, 1), invert):
        with pytest.raises(InputError, match=r"^alpha: shape"):
            made(np.ones(3))
    with pytest.raises(InputError, match=r"^alpha: shape"):
        feather(np.ones((3, 3, 3)), 1)
