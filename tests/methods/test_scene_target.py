"""The target for scenes of a visible and a thermal camera, on a drawn yard by night."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy import ndimage

import osmofuse
from osmofuse import InputError, gallery
from osmofuse.methods import Sources
from osmofuse.methods.scene_target import (
    GROUND,
    SceneTarget,
    dark_frame,
    detail,
    energy,
    heat,
    scene_layer,
    thermal,
    with_headroom,
)
from osmofuse.methods.statistics import Statistics
from osmofuse.metrics import psnr

SETTINGS = {
    "target": "scene",
    "start": "target",
    "mu": 100.0,
    "offset": 1.0,
    "gamma": 0.0,
    "eta": 0.0,
    "reach": 1.0,
}


@pytest.fixture(scope="module")
def scene():
    return gallery.night((160, 200), 3)


@pytest.fixture(scope="module")
def layer(scene):
    return layer_of(scene.foreground, scene.background)


def layer_of(foreground, background, valid=None, **settings):
    sources = Sources(foreground, background, 0.0, valid)
    return scene_layer(sources, SceneTarget(**settings), Statistics())


def people_and_ground(scene):
    people = scene.alpha == 0
    return people, ~people & (scene.background < 0.5)


def test_people_stand_out(scene, layer):
    people, ground = people_and_ground(scene)
    assert layer[people].mean() > 0.05
    assert abs(layer[ground].mean()) < 0.03
    image = osmofuse.fuse(scene.foreground, scene.background, 0.0, **SETTINGS).image
    assert psnr(image, scene.truth) > psnr(scene.foreground, scene.truth) + 2.0


def test_the_flow_keeps_the_target(scene, layer):
    image = osmofuse.fuse(scene.foreground, scene.background, 0.0, **SETTINGS).image
    assert image == pytest.approx(scene.foreground + layer[..., None], abs=1e-5)


@pytest.mark.parametrize("gain", [0.2, 0.5, 2.0])
def test_the_gain_of_the_thermal_picture_does_not_matter(scene, layer, gain):
    other = layer_of(scene.foreground, (gain * scene.background).astype(np.float32))
    assert np.sqrt(np.mean((other - layer) ** 2)) < 1e-4


def test_a_darker_foreground_gets_a_weaker_layer(scene, layer):
    other = layer_of(np.float32(0.5) * scene.foreground, scene.background)
    assert other == pytest.approx(0.5 * layer, abs=1e-3)


def test_differences_of_colour_stay(scene):
    image = osmofuse.fuse(scene.foreground, scene.background, 0.0, **SETTINGS).image
    differences = (np.diff(x, axis=2) for x in (image, scene.foreground))
    assert next(differences) == pytest.approx(next(differences), abs=1e-5)


def test_the_same_bits_again(scene, layer):
    assert np.array_equal(layer_of(scene.foreground, scene.background), layer)


def test_three_equal_bands_are_one(scene, layer):
    other = layer_of(scene.foreground, np.repeat(scene.background[..., None], 3, axis=2))
    assert other == pytest.approx(layer, abs=1e-5)


def test_a_grey_foreground(scene):
    grey = scene.foreground.mean(axis=2)
    image = osmofuse.fuse(grey, scene.background, 0.0, **SETTINGS).image
    people, _ = people_and_ground(scene)
    assert image.shape == grey.shape
    assert (image - grey)[people].mean() > 0.05


def test_alpha_keeps_the_foreground(scene):
    kept = np.zeros(scene.alpha.shape)
    kept[:, :100] = 1.0
    image = osmofuse.fuse(scene.foreground, scene.background, kept, **SETTINGS).image
    assert image[:, :100] == pytest.approx(scene.foreground[:, :100], abs=1e-6)
    assert np.abs(image - scene.foreground)[:, 100:].max() > 0.01


def test_where_the_thermal_picture_has_no_data_the_foreground_stays(scene):
    valid = np.ones(scene.alpha.shape, bool)
    valid[:, :60] = False
    image = osmofuse.fuse(scene.foreground, scene.background, 0.0, valid=valid, **SETTINGS).image
    assert image[:, :60] == pytest.approx(scene.foreground[:, :60], abs=1e-6)


def test_a_black_rim_is_no_heat_and_no_edge(scene):
    background = scene.background.copy()
    background[:, :8] = 0.0
    calm = layer_of(scene.foreground, np.full_like(background, 0.4))
    rim = layer_of(scene.foreground, background)[:, :10]
    assert rim == pytest.approx(calm[:, :10], abs=0.02)


def test_nothing_hot_adds_no_brightness():
    noise = 0.4 + 0.01 * np.random.default_rng(0).standard_normal((120, 160)).astype(np.float32)
    none = np.ones(noise.shape, np.float32)
    u = 0.1 * none
    assert np.abs(heat(noise, u, none, SceneTarget(), Statistics())).max() == 0.0
    assert np.abs(heat(np.full_like(noise, 0.4), u, none, SceneTarget(), Statistics())).max() == 0.0
    assert np.abs(heat(noise, u, 0.0 * none, SceneTarget(), Statistics())).max() == 0.0


def test_heat_grows_with_the_setting(scene):
    trust = np.ones(scene.alpha.shape, np.float32)
    weak, strong = (
        heat(
            scene.background,
            0.0 * trust,
            trust,
            replace(SceneTarget(), heat=h, glow=0.0),
            Statistics(),
        )
        for h in (0.1, 0.3)
    )
    assert strong.max() > 0.1
    assert strong == pytest.approx(3.0 * weak, abs=1e-6)


def test_what_is_hot_moves_towards_its_thermal_brightness_or_glows(scene):
    people, _ = people_and_ground(scene)
    trust = np.ones(scene.alpha.shape, np.float32)
    dark, like_it, bright = (
        heat(scene.background, u, trust, SceneTarget(), Statistics())
        for u in (0.0 * trust, scene.background, trust)
    )
    inside = ndimage.binary_erosion(people, iterations=2)
    expected = SceneTarget().heat * scene.background[inside]
    assert np.median(dark[inside] / expected) == pytest.approx(1.0, abs=0.02)
    assert np.quantile(dark[inside] / expected, 0.1) > 0.9
    assert bright == pytest.approx(like_it, abs=1e-6)
    assert 0.0 < bright.max() <= 1.5 * SceneTarget().glow


def test_the_ground_has_one_level_whatever_the_range_is():
    rng = np.random.default_rng(0)
    ground = rng.uniform(0.3, 0.5, (60, 80)).astype(np.float32)
    grey = np.full_like(ground, 0.2)
    hot = ground.copy()
    hot[20:30, 20:30] = 0.9
    for b in (ground, hot, 0.2 * hot):
        found, there = thermal(b, grey, None, Statistics())
        assert there.all()
        assert np.median(found) == pytest.approx(GROUND, abs=0.01)
    cold = np.full_like(ground, 0.05)
    cold[20:30, 20:30] = 0.9
    assert thermal(cold, grey, None, Statistics())[0].max() == pytest.approx(1.0, abs=1e-5)


def test_brightness_moves_towards_that_of_the_thermal_picture(scene):
    plain, moved = (layer_of(scene.foreground, scene.background, level=x) for x in (0.0, 0.1))
    change = moved - plain
    assert change.min() > 0.0
    assert change[10:-10, 10:-10].std() < 0.2 * change.mean()


def test_detail_of_both_pictures_gains_contrast():
    wave = np.tile(0.1 * np.sin(np.arange(96) / 2.0), (64, 1)).astype(np.float32)
    wave[:, 40:] = 0.0  # more than half of a picture is quiet
    flat, trust, inside = np.full_like(wave, 0.4), np.ones_like(wave), np.s_[20:-20, 10:30]
    for y, b in ((flat, flat + wave), (flat + wave, flat)):
        u = y + detail(y, b, trust, SceneTarget(), Statistics())
        assert 1.05 < u[inside].std() / wave[inside].std() < 1.25


def test_hidden_structure_enters_where_the_foreground_is_flat():
    stripes = np.tile(np.where(np.arange(96) % 48 < 24, 0.3, 0.5), (64, 1)).astype(np.float32)
    layer = layer_of(np.full((64, 96, 3), 0.4, np.float32), stripes)
    edge = np.abs(np.diff(layer, axis=1))
    assert edge[:, 23::24].mean() > 0.05
    assert edge[:, 11::24].mean() < 0.01


def test_energy_is_that_of_the_differences():
    ramp = np.tile(np.arange(40, dtype=np.float32), (30, 1))
    assert energy(ramp, 1.5)[10:20, 10:30] == pytest.approx(1.0, abs=1e-4)


def test_headroom_keeps_what_would_be_clipped():
    u = np.ones((40, 40), np.float32)
    u[18:22, 18:22] = 1.3
    shown = with_headroom(u, 1.0, 2.0)
    assert shown[19:21, 19:21].mean() > shown[16:17, 16:24].mean() + 0.1
    assert shown.max() < 1.3
    assert np.array_equal(shown[:5], u[:5])
    inside = np.full((8, 8), 0.5, np.float32)
    assert with_headroom(inside, 1.0, 2.0) is inside


def test_several_backgrounds_are_refused(scene):
    with pytest.raises(InputError, match="2 pictures; the target 'scene' takes one"):
        osmofuse.fuse(scene.foreground, [scene.background] * 2, [0.0, 0.5, 0.5], **SETTINGS)


def test_pictures_of_a_few_pixels():
    for shape in ((1, 1), (1, 9), (3, 2)):
        layer = layer_of(np.full((*shape, 3), 0.5, np.float32), np.full(shape, 0.5, np.float32))
        assert np.isfinite(layer).all()


def test_black_pictures():
    for level in (0.0, 1.0):
        layer = layer_of(np.full((20, 20, 3), level, np.float32), np.zeros((20, 20), np.float32))
        assert np.isfinite(layer).all()


def test_dark_lines_at_the_border_are_no_data():
    b = np.full((60, 80), 0.4, np.float32)
    assert not dark_frame(b).any()
    b[0], b[:, -1] = 0.1, 0.15
    expected = np.zeros(b.shape, bool)
    expected[0] = expected[:, -1] = True
    assert np.array_equal(dark_frame(b), expected)


def test_dark_lines_leave_no_rim(scene, layer):
    background = scene.background.copy()
    background[0], background[:, 0] = 0.03, 0.05
    other = layer_of(scene.foreground, background)
    assert other[:3] == pytest.approx(layer[:3], abs=0.02)
    assert other[:, :3] == pytest.approx(layer[:, :3], abs=0.02)


def test_a_foreground_brighter_than_white_keeps_its_contrast(scene):
    bright = 4.0 * scene.foreground
    recipe = osmofuse.recipe("scene")
    one = recipe.fuse(scene.foreground, scene.background).image
    other = recipe.fuse(bright, scene.background).image
    assert np.sqrt(np.mean(np.square(other / 4.0 - one))) < 0.02


def test_a_bright_strip_leaves_no_rim(scene, layer):
    b = np.array(scene.background)
    b[:6] = 1.0
    found = layer_of(scene.foreground, b)
    assert abs(found[:6].mean()) < 4.0 / 255.0
    assert np.abs(found - layer)[40:].max() < 0.02
