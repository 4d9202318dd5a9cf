from __future__ import annotations

import numpy as np
import pytest

from osmofuse.tasks.patch import ALIKE, RAMP, patch_of
from osmofuse.tasks.placing import Turned


def laid(mask, image=None):
    image = np.full((*mask.shape, 1), 0.5) if image is None else image
    return Turned(image, mask.astype(np.float64), np.ones(mask.shape, bool))


def square(size=60, inner=30):
    mask = np.zeros((size, size))
    a = (size - inner) // 2
    mask[a : a + inner, a : a + inner] = 1
    return mask


def test_the_box_has_a_pixel_of_margin():
    patch = patch_of(np.full((100, 110, 1), 0.4), laid(square()), (10, 20), matte=False)
    assert patch.box == (slice(24, 56), slice(34, 66))
    assert patch.into.shape == patch.image.shape == (32, 32, 1)
    assert patch.framed.all()


def test_a_hard_mask_is_softened_inside_and_a_soft_one_is_not():
    f = np.full((100, 110, 1), 0.4)
    patch = patch_of(f, laid(square()), (10, 20), matte=False)
    soft = patch.softened(RAMP)
    assert patch.hard
    assert not soft[patch.mask == 0].any()
    assert soft[16, 1:12].tolist() == pytest.approx(np.clip((np.arange(11) + 0.5) / RAMP, 0, 1))
    ramp = np.clip((30 - np.hypot(*np.mgrid[-30:30, -30:30])) / 12, 0, 1)
    patch = patch_of(f, laid(ramp), (10, 20), matte=False)
    assert not patch.hard
    assert patch.softened(RAMP) is patch.mask


def test_light_is_the_difference_of_the_grounds_up_to_what_light_can_be():
    f = np.full((100, 110, 1), 0.4)
    lights = []
    for level in (0.4, 0.35, 0.05):
        image = np.full((60, 60, 1), level)
        image[22:38, 22:38] = 0.9
        grounds = patch_of(f, laid(square(), image), (10, 20), matte=False).grounds
        lights.append((grounds.light, float(grounds.differs[0])))
    assert lights[0] == pytest.approx((0, 0))
    assert lights[1][0] == pytest.approx(np.log(0.5 / 0.45), rel=0.05)
    assert lights[2][0] < 0.55 * lights[2][1]


def test_an_object_that_runs_out_of_its_picture_fades_into_the_place():
    f, image = np.full((100, 110, 1), 0.8), np.full((60, 60, 1), 0.5)
    image[10:, 20:40] = 0.1  # down to the last row
    mask = np.zeros((60, 60))
    mask[4:, 14:46] = 1
    patch = patch_of(f, laid(mask, image), (10, 20), matte=False)
    u, _share = patch.cut(0.0)
    column = u[:, u.shape[1] // 2, 0]
    bottom = np.flatnonzero(patch.framed[:, 0])[-1]
    assert patch.separable
    assert column[bottom] == pytest.approx(0.8, abs=0.1)
    assert column[bottom - 20] == pytest.approx(0.1, abs=0.05)
    assert (np.diff(column[bottom - 20 : bottom]) > -1e-3).all()


@pytest.mark.parametrize(("there", "alike"), [((0.42, 0.4, 0.3), True), ((0.52, 0.3, 0.3), False)])
def test_grounds_of_clearly_different_colours_are_not_alike(there, alike):
    """Light changes colours less than a change from grass to brick."""
    image = np.full((60, 60, 3), (0.3, 0.45, 0.25))
    image[22:38, 22:38] = 0.9
    f = np.full((100, 110, 3), there)
    grounds = patch_of(f, laid(square(), image), (10, 20), matte=False).grounds
    assert np.sqrt(np.mean(grounds.differs**2)) < ALIKE
    assert grounds.alike is alike


@pytest.mark.parametrize(("factor", "alike"), [(1.2, True), (2.2, False)])
def test_grounds_of_clearly_different_textures_are_not_alike(rng, factor, alike):
    noise = rng.normal(0, 0.03, (100, 110, 1))
    image = 0.4 + noise[10:70, 20:80]
    image[22:38, 22:38] = 0.9
    patch = patch_of(0.4 + factor * noise, laid(square(), image), (10, 20), matte=False)
    assert patch.grounds.alike is alike


def test_an_object_that_fades_into_a_bright_place_does_not_burn():
    f, image = np.full((100, 110, 1), 0.95), np.full((60, 60, 1), 0.3)
    image[10:, 20:40] = 0.1
    image[40:58, 24:36] = 0.8  # with the correction of its dark ends, above white
    mask = np.zeros((60, 60))
    mask[4:, 14:46] = 1
    u, share = patch_of(f, laid(mask, image), (10, 20), matte=False).cut(1.0)
    assert u[share > 0].max() < 254.5 / 255
