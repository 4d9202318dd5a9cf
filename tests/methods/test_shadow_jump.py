from __future__ import annotations

import numpy as np

from osmofuse.maps.shadow_regions import ShadowRegions
from osmofuse.methods.shadow_jump import facing, location
from osmofuse.methods.shadow_profile import shadow_profile


def test_ends_are_means_of_their_own_side():
    column = np.indices((20, 30))[1]
    regions = ShadowRegions(column < 12, column > 16, (column >= 12) & (column <= 16))
    x = np.where(regions.lit, 0.0, np.where(regions.changed, -0.7, 9.0))[..., None]
    row = np.indices((20, 30))[0]
    lit, changed = (np.stack([row, np.full_like(row, j)]) for j in (11, 17))
    pairs = facing(x, regions, lit, changed, regions.band)
    assert pairs.rise.shape == (100, 1)
    np.testing.assert_allclose(pairs.rise, -0.7, atol=1e-12)


def test_pairs_with_a_step_between_them_count_less(rng):
    # In 90 of 200 rows another ground begins under the boundary; all rows differ a little.
    row, column = np.indices((200, 60))
    step = np.where(row < 90, 0.2, 0.0)
    ground = np.where(column > 30, step, 0.02 * rng.normal(size=(200, 1)) * (column - 30))
    regions = ShadowRegions(column < 24, column > 36, (column >= 24) & (column <= 36))
    x = (ground - 0.8 * np.clip((column - 25) / 10, 0, 1))[..., None]
    lit, changed = (np.stack([row, np.full_like(row, j)]) for j in (23, 37))
    pairs = facing(x, regions, lit, changed, regions.band)
    steepness = np.where(column == 30, step, 0.02)
    errors = [abs(float(pairs.jump(s)[0]) + 0.8) for s in (None, steepness)]
    assert errors[1] < 0.04 < errors[0]
    assert abs(shadow_profile(x, regions).jump[0] + 0.8) < errors[0]


def test_the_location_ignores_a_minority(rng):
    x = np.append(rng.normal(1.0, 0.01, (70, 3)), rng.normal(4.0, 0.01, (30, 3)), axis=0)
    np.testing.assert_allclose(location(x), 1.0, atol=0.01)
