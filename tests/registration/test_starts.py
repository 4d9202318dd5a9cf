"""Starts: negatives are matched by features; similarities are found by the search."""

import numpy as np
import pytest

from osmofuse import gallery
from osmofuse.progress import Guard
from osmofuse.registration.starts import (
    EDGES,
    TONES,
    _ratios,
    _reversed,
    from_features,
    from_search,
)
from osmofuse.registration.transform import carried, corners
from osmofuse.registration.views import View


@pytest.fixture(scope="module")
def grey():
    page = gallery.manuscript((240, 200), seed=2).truth[..., 1]
    return np.ascontiguousarray(page)


@pytest.mark.parametrize("look", [TONES, EDGES])
def test_features_match_a_shifted_negative(grey, look):
    moving, fixed = View(1 - grey[10:, 6:]), View(grey)
    found = from_features(moving.whole(10**6), fixed.whole(10**6), look)
    ends = corners(moving.shape)
    np.testing.assert_allclose(carried(found / found[2, 2], ends), ends + np.array([6, 10]), atol=1)


def test_features_of_noise_give_none(grey, rng):
    noise = View(rng.random((200, 200)))
    assert from_features(noise.whole(10**6), View(grey).whole(10**6), TONES) is None


def test_a_reversed_descriptor_turns_the_grid_and_keeps_the_histograms():
    words = np.arange(128.0)[None]
    turned = _reversed(words).reshape(4, 4, 8)
    cells = words.reshape(4, 4, 8)
    for row in range(4):
        for col in range(4):
            np.testing.assert_array_equal(turned[row, col], cells[3 - row, 3 - col])


def test_pictures_of_other_sizes_are_tried_at_two_scales():
    assert _ratios((100, 100), (110, 100)) == [1.0]
    assert _ratios((100, 100), (200, 200)) == [1.0, 2.0]


def test_the_search_finds_a_shift_first(grey):
    moving = View(grey[30:, 20:])
    (matrix, score), *others = from_search(moving, View(grey), Guard(None), most=3)
    ends = corners(moving.shape)
    np.testing.assert_allclose(carried(matrix, ends), ends + np.array([20, 30]), atol=4)
    assert len(others) == 2
    assert all(other[1] <= score for other in others)
