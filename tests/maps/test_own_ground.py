from __future__ import annotations

import numpy as np
import pytest

from osmofuse.maps.own_ground import continued, opponent, own_ground


def scene(rng, noise=0.04, shape=(90, 100)):
    """Return a red ring with a hole of ground, and a spot of ground's colour in its body."""
    i, j = np.mgrid[: shape[0], : shape[1]]
    away = np.hypot(i - 45, j - 50)
    image = np.array([0.3, 0.5, 0.25]) * (1 + 0.003 * j + rng.normal(0, noise, shape))[..., None]
    part = away < 25
    image[part] = (0.7, 0.2, 0.15)
    return image, part, (away < 36).astype(float), away


def test_an_object_is_told_from_a_ground_with_noise_and_a_slope(rng):
    image, part, mask, _ = scene(rng)
    found = own_ground(image, mask, np.ones(mask.shape, bool))
    assert np.mean((found.opacity > 0.5) != part) < 0.005
    assert found.like_rim > 0.9
    assert found.ground == pytest.approx(1 - part.sum() / mask.sum(), abs=0.02)
    assert found.ground_inside == 0
    assert not found.opacity[mask == 0].any()


def test_a_spot_like_the_ground_stays_part_of_the_object(rng):
    image, _, mask, away = scene(rng)
    image[away < 6] = (0.36, 0.58, 0.3)
    found = own_ground(image, mask, np.ones(mask.shape, bool))
    assert (found.opacity[away < 6] == 1).all()


def test_what_is_all_ground_has_no_object(rng):
    image, part, mask, _ = scene(rng)
    image[part] = image[:1, :1] * (1 + rng.normal(0, 0.04, (part.sum(), 1)))
    assert own_ground(image, mask, np.ones(mask.shape, bool)).ground > 0.9


def test_mixtures_at_the_rim_are_taken_apart():
    i, j = np.mgrid[:60, :60]
    share = np.clip(20.5 - np.hypot(i - 30, j - 30), 0, 1)
    ground, thing = np.array([0.3, 0.5, 0.25]), np.array([0.7, 0.2, 0.15])
    image = share[..., None] * thing + (1 - share[..., None]) * ground
    mask = (np.hypot(i - 30, j - 30) < 26).astype(float)
    found = own_ground(image, mask, np.ones(mask.shape, bool))
    assert np.abs(found.opacity - share).max() < 0.1
    mixed = (share > 0.4) & (share < 1)
    assert np.abs(found.colours[mixed] - thing).max() < 0.05


def test_without_known_ground_there_is_none(rng):
    image, _, mask, _ = scene(rng)
    assert own_ground(image, np.ones_like(mask), np.ones(mask.shape, bool)) is None
    assert own_ground(image, mask, mask > 0) is None


def test_a_picture_around_changes_nothing(rng):
    image, _, mask, _ = scene(rng, shape=(150, 160))
    wide = [np.pad(x, ((50, 90), (70, 60), (0, 0))[: x.ndim], mode="edge") for x in (image, mask)]
    parts = [own_ground(x, m, np.ones(m.shape, bool)).opacity for x, m in ((image, mask), wide)]
    inner = parts[1][50:200, 70:230]
    assert parts[1].sum() == pytest.approx(inner.sum())
    assert np.mean(np.abs(inner - parts[0]) > 0.01) < 1e-3


def test_planes_are_continued_smoothly(rng):
    i, j = np.mgrid[:50, :60] / 50
    plane = np.stack([0.2 + 0.5 * j, 1 - 0.3 * i], axis=-1)
    weight = (np.hypot(i - 0.5, j - 0.6) > 0.3).astype(float)
    assert np.abs(continued(plane, weight, 8.0) - plane).max() < 0.06


def test_opponent_of_grey_is_grey():
    y = np.full((2, 3, 3), 0.4)
    assert opponent(y)[..., 0] == pytest.approx(0.4)
    assert not opponent(y)[..., 1:].any()
    assert opponent(y[..., :1]).shape == (2, 3, 1)


def test_a_mask_that_cuts_a_little_into_the_object_keeps_all_of_it(rng):
    image, part, _, away = scene(rng)
    mask = (away < 23).astype(float)
    assert part[mask > 0].all()
    found = own_ground(image, mask, np.ones(mask.shape, bool))
    assert found.ground < 0.01
    assert (found.opacity[mask > 0] > 0.9).all()


def test_a_narrow_margin_around_the_mask_is_ground_too(rng):
    image, part, mask, _ = scene(rng)
    tight = slice(45 - 37, 45 + 38), slice(50 - 37, 50 + 38)
    mask = np.zeros(part.shape)
    mask[45 - 35 : 45 + 36, 50 - 35 : 50 + 36] = 1.0  # two pixels from the frame
    found = own_ground(image[tight], mask[tight], np.ones((75, 75), bool))
    assert found is not None
    assert np.mean((found.opacity > 0.5) != part[tight]) < 0.02
