"""Ground of a picture: its level under strokes, at any cover and of either sign."""

from __future__ import annotations

import numpy as np
import pytest

from osmofuse.methods.ground import (
    STROKE_PARTS,
    CoarseGround,
    filled,
    ground_of,
    halved,
    strength,
)
from osmofuse.methods.statistics import Statistics


def page(rng, share=0.2, height=-1.0):
    """Return a sloping ground with vertical strokes, and the ground itself."""
    ground = np.tile(np.linspace(0.0, 0.3, 96, dtype=np.float32), (96, 1))
    strokes = (np.arange(96) % 10 < 10 * share).astype(np.float32)
    grain = 0.01 * rng.standard_normal((96, 96)).astype(np.float32)
    return ground + height * strokes + grain, ground, strokes


@pytest.mark.parametrize("share", [0.1, 0.3, 0.5])
@pytest.mark.parametrize("height", [-1.0, 1.0])
def test_the_level_is_that_of_the_ground_under_strokes_of_either_sign(rng, share, height):
    x, ground, _ = page(rng, share, height)
    found = ground_of(x, 6.0, STROKE_PARTS, Statistics(), one_sided=share == 0.1)
    inner = np.s_[8:-8, 16:-16]
    if share < 0.5:
        assert np.abs(found.level - ground)[inner].max() < 0.1
    assert found.strokes[inner].max() > 0.99
    if share == 0.1:
        assert found.sign == np.sign(height)


def test_strength_does_not_depend_on_the_cover():
    few, many = np.zeros(1000), np.zeros(1000)
    few[:10], many[:400] = 0.7, 0.7
    assert strength(few) == pytest.approx(strength(many)) == pytest.approx(0.7)


def test_values_are_filled_in_from_the_ground_nearby():
    x = np.where(np.arange(64) < 32, 0.2, 0.8).astype(np.float32) * np.ones((64, 1), np.float32)
    ink = np.zeros_like(x)
    ink[20:30, 10:20] = ink[20:30, 44:54] = 1.0
    found = filled(np.where(ink == 1.0, 5.0, x).astype(np.float32), ink, halved(8.0, 2.0))
    assert np.abs(found - x)[20:30, 10:20].max() < 0.05
    assert np.abs(found - x)[20:30, 44:54].max() < 0.05


@pytest.mark.parametrize("factor", [1, 2, 3])
def test_a_coarse_ground_has_the_values_around_what_is_gone(factor):
    shape = (63, 50)
    x = np.tile(np.linspace(0.2, 0.4, 50, dtype=np.float32), (63, 1))
    gone = np.zeros((-(-63 // factor), -(-50 // factor)), np.float32)
    gone[18 // factor : 33 // factor, 15 // factor : 30 // factor] = 1.0
    ground = CoarseGround(gone, shape, factor, halved(8.0 / factor, 2.0 / factor))
    assert ground.ink.shape == shape
    stained = np.where(ground.ink > 0.5, np.float32(5.0), x)
    found = ground.fill(stained)
    assert found.shape == shape
    assert np.abs(found - x)[ground.ink == 1.0].max() < 0.05


def test_channels_that_sum_to_zero_still_do_so(rng):
    """The filling is linear, so that chromaticities stay chromaticities."""
    x, _, _ = page(rng)
    ground = ground_of(x, 6.0, STROKE_PARTS, Statistics())
    planes = rng.standard_normal((3, 96, 96)).astype(np.float32)
    planes -= planes.mean(axis=0)
    assert np.abs(sum(ground.fill(plane) for plane in planes)).max() < 1e-5


def test_a_flat_picture_is_all_ground():
    found = ground_of(np.full((32, 32), 0.4, np.float32), 4.0, STROKE_PARTS, Statistics())
    assert found.ink.max() == 0.0
    np.testing.assert_allclose(found.level, 0.4, atol=1e-5)
