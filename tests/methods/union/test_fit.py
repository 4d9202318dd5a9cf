"""Whether two pictures share structure, and whether one is shifted."""

import numpy as np
import pytest

from osmofuse.filters import smooth
from osmofuse.methods.statistics import Statistics
from osmofuse.methods.union.fit import Fit, strips


@pytest.fixture
def plane(rng):
    return smooth(rng.standard_normal((160, 140)).astype(np.float32), 1.5)


def fit(b, y):
    return Fit.of(b, y, 1.0, 0.0, Statistics())


def test_a_picture_agrees_with_itself_at_any_contrast(plane):
    assert fit(0.2 * plane, plane).agreement > 2
    assert not fit(0.2 * plane, plane).shifted


def test_strangers_agree_by_chance_alone(plane, rng):
    other = smooth(rng.standard_normal((160, 140)).astype(np.float32), 1.5)
    assert fit(other, plane).agreement < 1.3


@pytest.mark.parametrize("shift", [(1, 0), (0, -2), (2, 0)])
def test_a_shift_of_a_pixel_is_noticed(plane, shift):
    assert fit(np.roll(plane, shift, (0, 1)), plane).shifted


def test_large_planes_are_seen_in_strips():
    assert strips(np.zeros((5000, 1000))).size <= 310_000
    assert strips(np.zeros((50, 60))).shape == (50, 60)
