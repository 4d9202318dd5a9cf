from __future__ import annotations

import numpy as np
import pytest

import osmofuse
from osmofuse import InputError, Picture, SettingError, Status, gallery


@pytest.fixture(scope="module")
def scene():
    return gallery.shadow((200, 260), 1)


def parts(scene):
    dark = (scene.foreground / scene.truth).mean(axis=2) < 0.99
    return dark, dark & (scene.alpha == 1)


def psnr(one, other, where):
    return osmofuse.metrics.psnr(one[where], other[where])


@pytest.mark.parametrize("model", ["linear", "nonlinear"])
def test_a_local_removal_keeps_lit_pixels_and_recovers_the_shadow(scene, model):
    dark, core = parts(scene)
    result = osmofuse.remove_shadow(scene.foreground, scene.alpha, model=model, extent="local")
    assert result.status is Status.stationary
    lit = ~dark & (scene.alpha == 1)
    assert np.array_equal(result.image[lit].astype(np.float32), scene.foreground[lit])
    assert psnr(result.image, scene.truth, core) > 33
    assert psnr(result.image, scene.truth, dark) > psnr(scene.foreground, scene.truth, dark) + 15
    np.testing.assert_allclose(result.jump, (0.40, 0.45, 0.53), atol=0.04)


def test_the_anisotropic_model_blurs_the_band_less(scene):
    band = scene.alpha < 1
    linear, anisotropic = (
        osmofuse.remove_shadow(
            scene.foreground, scene.alpha, model=model, extent="local", texture=False
        )
        for model in ("linear", "anisotropic")
    )
    truth = scene.truth
    assert psnr(anisotropic.image, truth, band) > psnr(linear.image, truth, band) + 0.2


def test_texture_is_kept_on_the_boundary(scene):
    band = scene.alpha < 1
    plain, kept = (
        osmofuse.remove_shadow(scene.foreground, scene.alpha, extent="local", texture=texture).image
        for texture in (False, True)
    )
    assert psnr(kept, scene.truth, band) > psnr(plain, scene.truth, band) + 6


@pytest.mark.parametrize("level", ["lit", "exposure", "mean"])
def test_the_level_is_as_chosen(scene, level):
    result = osmofuse.remove_shadow(scene.foreground, scene.alpha, level=level).image
    lit = ~parts(scene)[0] & (scene.alpha == 1)
    ratio = np.median(((result + 0.01) / (scene.foreground + 0.01))[lit], axis=0)
    if level == "lit":
        np.testing.assert_allclose(ratio, 1.0, atol=0.01)
    elif level == "mean":
        np.testing.assert_allclose(result.mean((0, 1)), scene.foreground.mean((0, 1)), rtol=1e-4)
    else:
        assert (ratio < 0.97).all()
        assert np.ptp(ratio) < 0.01


def test_a_spot_of_light_is_removed_as_well(scene):
    lit = np.where(parts(scene)[0][..., None], scene.truth, scene.foreground)
    spot = np.minimum(scene.truth**2 / scene.foreground, 4.0)
    assert (spot >= lit - 1e-6).all()
    result = osmofuse.remove_shadow(spot, scene.alpha, extent="local")
    assert min(result.jump) > 1.5
    assert psnr(result.image, scene.truth, parts(scene)[1]) > 30


def test_maps_of_any_kind_are_read_alike(scene):
    expected = osmofuse.remove_shadow(scene.foreground, scene.alpha, extent="local").image
    eight = (scene.alpha * 255).astype(np.uint8)
    opaque = np.full_like(eight, 255)
    for boundary in (
        scene.alpha == 1,
        eight,
        np.stack([eight] * 3, -1),
        Picture(np.stack([eight, eight, eight, opaque], -1), transparency=True),
    ):
        found = osmofuse.remove_shadow(scene.foreground, boundary, extent="local")
        assert np.array_equal(found.image, expected)


def test_a_mask_of_the_shadow_will_do(scene):
    core = parts(scene)[1]
    mask = (scene.foreground / scene.truth).mean(axis=2) > 0.75
    result = osmofuse.remove_shadow(scene.foreground, mask, mask=True, extent="local")
    assert psnr(result.image, scene.truth, core) > 30
    assert set(np.unique(result.boundary)) == {0.0, 1.0}


def test_the_shadow_is_found():
    scene = gallery.shadow((300, 390), 2)
    result = osmofuse.remove_shadow(scene.foreground, extent="local")
    core = parts(scene)[1]
    assert psnr(result.image, scene.truth, core) > psnr(scene.foreground, scene.truth, core) + 12
    assert "found a shadow" in result.notes[0]


def test_an_open_boundary_works_globally_without_texture(scene):
    boundary = scene.alpha.copy()
    boundary[:80] = 1
    result = osmofuse.remove_shadow(scene.foreground, boundary)
    assert "encloses no region" in result.notes[0]
    assert result.jump == ()
    with pytest.raises(InputError, match=r"^boundary: encloses no region"):
        osmofuse.remove_shadow(scene.foreground, boundary, extent="local")


def test_the_picture_keeps_its_depth_and_transparency(scene):
    pixels = (scene.foreground * 65535).astype(np.uint16)
    layer = np.full((*pixels.shape[:2], 1), 65535, np.uint16)
    picture = Picture(np.concatenate([pixels, layer], axis=2), transparency=True)
    made, _ = osmofuse.remove_shadow(picture, scene.alpha, extent="local").picture()
    assert made.pixels.dtype == np.uint16
    assert made.pixels.shape == (200, 260, 4)
    lit = ~parts(scene)[0] & (scene.alpha == 1)
    assert np.array_equal(made.pixels[lit], picture.pixels[lit])


def test_one_band_is_enough(scene):
    found = osmofuse.remove_shadow(scene.foreground[..., 1], scene.alpha, extent="local")
    assert found.image.shape == scene.alpha.shape
    assert psnr(found.image, scene.truth[..., 1], parts(scene)[1]) > 30


def test_settings_are_checked(scene):
    for bad in ({"model": "best"}, {"offset": 0.0}, {"width": 0.1}):
        with pytest.raises(SettingError, match=f"^{next(iter(bad))}: "):
            osmofuse.remove_shadow(scene.foreground, scene.alpha, **bad)
    with pytest.raises(SettingError, match=r"^level: "):
        osmofuse.remove_shadow(scene.foreground, scene.alpha, extent="local", level="mean")


def test_it_can_be_cancelled(scene):
    result = osmofuse.remove_shadow(scene.foreground, scene.alpha, watch=lambda _: True)
    assert result.status is Status.cancelled
    assert np.array_equal(result.image.astype(np.float32), scene.foreground)
