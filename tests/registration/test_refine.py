"""What tiles agree on, and how well they fix it."""

import numpy as np
import pytest

from osmofuse.registration.local_shifts import Shifts
from osmofuse.registration.refine import agreed_change
from osmofuse.registration.transform import carried, corners

SHAPE = (300, 400)


def shifts(rng, noise, truth):
    across, down = np.meshgrid(np.arange(20, 400, 40.0), np.arange(20, 300, 40.0))
    centres = np.column_stack([across.ravel(), down.ravel()])
    # A tile lies where the change takes it to its centre.
    moved = carried(np.linalg.inv(truth), centres) - centres + rng.normal(0, noise, centres.shape)
    count = len(centres)
    return Shifts(centres, moved, np.ones(count), np.tile(np.eye(2), (count, 1, 1)), 8)


def test_the_change_is_found_and_its_error_is_small_without_noise(rng):
    truth = np.array([[1.01, 0.004, -2], [-0.003, 0.99, 1.5], [1e-5, -8e-6, 1]])
    found = agreed_change(shifts(rng, 0, truth), "homography")
    np.testing.assert_allclose(found.matrix / found.matrix[2, 2], truth, atol=2e-2)
    assert found.error(corners(SHAPE)) < 0.05


@pytest.mark.parametrize("kind", ["translation", "affine", "homography"])
def test_the_error_at_the_corners_is_about_what_repetition_gives(kind):
    ends, off, said = corners(SHAPE), [], []
    for seed in range(60):
        found = agreed_change(shifts(np.random.default_rng(seed), 0.4, np.eye(3)), kind)
        off.append(carried(found.matrix, ends) - ends)
        said.append(found.error(ends))
    spread = np.sqrt((np.array(off) ** 2).sum(axis=2).mean(axis=0)).mean()
    # These tiles do not overlap, so the error that is said is twice that of independent ones.
    assert 0.5 < np.mean(said) / 2 / spread < 1.1
