from __future__ import annotations

import numpy as np
import pytest

from osmofuse import InputError
from osmofuse.maps.shadow_band import band_of_mask


def scene(penumbra):
    """Half a picture in shadow, with a linear penumbra of some pixels."""
    depth = np.indices((40, 90))[1] - 44.5
    light = 1.0 - 0.5 * np.clip(depth / penumbra + 0.5, 0, 1)
    return np.log(light)[..., None], depth > 0, depth


@pytest.mark.parametrize("penumbra", [2.0, 8.0, 16.0])
def test_it_covers_the_penumbra_and_little_more(penumbra):
    logarithms, mask, depth = scene(penumbra)
    band = band_of_mask(logarithms, mask) == 1
    assert band[abs(depth) < 0.35 * penumbra].all()
    assert not band[abs(depth) > 0.5 * penumbra + 4].any()


def test_the_width_can_be_given():
    logarithms, mask, depth = scene(4.0)
    band = band_of_mask(logarithms, mask, 6.0) == 1
    assert np.array_equal(band, abs(depth) <= 3)


@pytest.mark.parametrize("full", [False, True])
def test_a_mask_without_an_edge_is_refused(full):
    with pytest.raises(InputError, match="a mask of the shadow"):
        band_of_mask(np.zeros((5, 5, 1)), np.full((5, 5), full))


def test_an_even_picture_has_the_least_band():
    mask = np.zeros((20, 30), bool)
    mask[:, :12] = True
    band = band_of_mask(np.full((20, 30, 1), -1.0), mask) == 1
    assert 0 < np.count_nonzero(band[0]) <= 6


def test_a_ground_that_grows_darker_by_itself_does_not_widen_the_band():
    logarithms, mask, depth = scene(4.0)
    slope = np.log(0.8) * depth / 45.0  # as much as a good part of the shadow
    band = band_of_mask(0.3 * logarithms + slope[..., None], mask) == 1
    assert band[abs(depth) < 1.5].all()
    assert not band[abs(depth) > 7].any()
