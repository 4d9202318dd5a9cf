from __future__ import annotations

import numpy as np

from osmofuse.tasks.mosaic.seams import agreed, mismatch

ROWS, COLS = np.arange(300), np.full(300, 7)


def test_a_mismatch_that_varies_slowly_is_found(rng):
    slow = 0.2 + 0.1 * np.sin(ROWS / 60)
    found = mismatch(slow + 0.03 * rng.standard_normal(300), ROWS, COLS)
    assert np.abs(found - slow).max() < 0.05


def test_edges_of_the_scene_and_noise_are_none(rng):
    edges = np.where(rng.random(300) < 0.1, 1.0, 0.0) + 0.03 * rng.standard_normal(300)
    assert np.abs(mismatch(edges, ROWS, COLS)).max() < 0.02


def test_a_seam_of_one_pixel_has_a_mismatch():
    assert mismatch(np.array([0.3]), np.array([5]), np.array([-9])).shape == (1,)


def test_distances_agree_on_the_smaller_or_on_nothing():
    steps = np.array([0.2, -0.2, 0.2, 0.0]), np.array([0.1, -0.3, -0.1, 0.5])
    assert agreed(steps).tolist() == [0.1, -0.2, 0.0, 0.0]
