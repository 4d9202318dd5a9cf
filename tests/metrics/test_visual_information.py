from __future__ import annotations

import math

import numpy as np
import pytest

from osmofuse.metrics.visual_information import SIDE, scales
from plain_information import windows


@pytest.fixture
def planes(rng):
    x = 255 * rng.random((SIDE, SIDE + 2))
    return x, 0.6 * x + 80 * rng.random(x.shape)


def test_against_loops(planes):
    x, y = planes
    for found, expected in zip(scales(x, y, 2.0), windows(x, y, 2.0), strict=True):
        gain, kept, whole = np.array(expected).T
        np.testing.assert_allclose(found.gain.ravel(), gain, atol=1e-9)
        np.testing.assert_allclose(found.kept.ravel(), math.log(10) * kept, atol=1e-8)
        np.testing.assert_allclose(found.whole.ravel(), math.log(10) * whole, atol=1e-8)


def test_nothing_is_kept_of_the_inverse(planes):
    for scale in scales(planes[0], 255 - planes[0], 2.0):
        assert not scale.gain.any()
        assert not scale.kept.any()


def test_flat_planes_have_no_information(planes):
    flat = np.full_like(planes[0], 0.1 * 255)
    assert not any(scale.whole.any() for scale in scales(flat, planes[0], 2.0))
    assert not any(scale.kept.any() for scale in scales(planes[0], flat, 2.0))


def test_the_side_is_the_least(planes):
    assert [scale.gain.shape[0] for scale in scales(*planes, 2.0)] == [25, 9, 3, 1]
