from __future__ import annotations

import numpy as np
import pytest

from osmofuse import InputError
from osmofuse.maps.shadow_regions import shadow_regions


def scene(level, shape=(60, 70)):
    """A square of another brightness, and a band around its edge."""
    rows, cols = np.indices(shape)
    depth = np.maximum(abs(rows - 30), abs(cols - 35)) - 18
    return np.where(depth < 0, np.log(level), 0.0), abs(depth) <= 2, depth < -2


@pytest.mark.parametrize("level", [0.5, 0.9, 1.4])
def test_the_enclosed_region_is_changed(level):
    logarithms, band, inside = scene(level)
    regions = shadow_regions(logarithms, band)
    assert np.array_equal(regions.changed, inside)
    assert np.array_equal(regions.lit, ~inside & ~band)


def test_what_is_removed_can_be_told():
    logarithms, band, inside = scene(0.5)
    assert np.array_equal(shadow_regions(logarithms, band, remove="shadow").changed, inside)
    assert np.array_equal(shadow_regions(logarithms, band, remove="light").lit, inside)


def test_light_inside_a_shadow_is_lit():
    logarithms, band, inside = scene(0.5)
    rows, cols = np.indices(band.shape)
    hole = np.maximum(abs(rows - 30), abs(cols - 35)) - 6
    logarithms[hole < 0] = 0.0
    regions = shadow_regions(logarithms, band | (abs(hole) <= 1))
    assert regions.lit[30, 35]
    assert np.array_equal(regions.changed, inside & (hole > 1))


def test_ground_far_from_the_boundary_does_not_matter():
    logarithms, band, inside = scene(0.6)
    logarithms += np.where(np.indices(band.shape)[1] < 8, -2.0, 0.0)
    assert np.array_equal(shadow_regions(logarithms, band).changed, inside)


def test_specks_belong_to_the_boundary():
    logarithms, band, inside = scene(0.5)
    speck = np.zeros_like(band)
    speck[2:7, 2:7] = True
    speck[4, 4] = False
    regions = shadow_regions(logarithms, band | speck)
    assert regions.band[4, 4]
    assert np.array_equal(regions.changed, inside)


def test_an_open_boundary_has_no_regions():
    _, band, _ = scene(0.5)
    assert shadow_regions(np.zeros(band.shape), band & (np.indices(band.shape)[0] > 20)) is None


def test_equal_sides_are_refused():
    logarithms, band, _ = scene(1.0)
    with pytest.raises(InputError, match="both sides are equally bright"):
        shadow_regions(logarithms, band)
