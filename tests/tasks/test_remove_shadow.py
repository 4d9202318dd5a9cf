from __future__ import annotations

import numpy as np
import pytest
from scipy.ndimage import distance_transform_edt

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


def yard(seed, factor):
    """Return a yard with a shadow of a factor, a penumbra of 8 pixels and noise of 0.2 %."""
    scene = gallery.shadow((240, 312), seed)
    dark = (scene.foreground / scene.truth).mean(axis=2) < 0.72
    depth = distance_transform_edt(dark) - distance_transform_edt(~dark)
    share = np.clip(depth / 8 + 0.5, 0, 1)
    light = 1 - (1 - factor) * (share**2 * (3 - 2 * share))[..., None]
    noise = np.random.default_rng(seed).normal(0, 0.002, scene.truth.shape)
    return np.clip(scene.truth * light + noise, 0, 1), np.abs(depth) > 6, scene.truth


@pytest.mark.parametrize(("texture", "gain"), [(True, -0.1), (False, 0.3)])
def test_in_the_band_the_anisotropic_model_is_as_good_and_better_without_texture(texture, gain):
    found = []
    for seed, factor in enumerate((0.3, 0.45, 0.6, 0.3)):
        f, boundary, truth = yard(seed, factor)
        found.append(
            [
                psnr(
                    osmofuse.remove_shadow(
                        f, boundary, model=model, extent="local", texture=texture
                    ).image,
                    truth,
                    ~boundary,
                )
                for model in ("linear", "anisotropic")
            ]
        )
    linear, anisotropic = np.mean(found, axis=0)
    assert anisotropic > linear + gain


def test_a_global_extent_of_the_anisotropic_model_is_like_the_linear_one(scene):
    linear, other = (
        osmofuse.remove_shadow(scene.foreground, scene.alpha, model=model)
        for model in ("linear", "anisotropic")
    )
    assert other.status.is_success
    assert other.changed.all()
    assert osmofuse.metrics.psnr(other.image, linear.image) > 35


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


def test_a_mask_taken_for_a_boundary_is_told(scene):
    rows, cols = scene.alpha.shape[:2]
    filled = np.ones((rows, cols))
    filled[: rows // 2, : cols // 2] = 0.0
    notes = osmofuse.remove_shadow(scene.foreground, filled).notes
    assert any("25% of the picture" in note and "--mask" in note for note in notes)


def test_an_open_boundary_works_globally_without_texture(scene):
    boundary = scene.alpha.copy()
    boundary[:80] = 1
    result = osmofuse.remove_shadow(scene.foreground, boundary)
    assert "encloses no region" in result.notes[0]
    assert "--mask" not in result.notes[0]
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


@pytest.mark.parametrize("gain", [1.0, 0.2, 0.01])
def test_the_exposure_keeps_the_mean_light_of_dark_pictures_too(gain):
    scene = gallery.shadow((60, 80), 1)
    dark = gain * scene.foreground
    image = osmofuse.remove_shadow(dark, scene.alpha).image
    down, right = (np.exp(-0.5 * (((np.arange(n) + 0.5) / n - 0.5) / 0.3) ** 2) for n in (60, 80))
    luminance = [0.2126, 0.7152, 0.0722]
    before, after = (down @ (np.maximum(x, 0.0) ** 2.2 @ luminance) @ right for x in (dark, image))
    assert after == pytest.approx(before, rel=1e-3)


@pytest.mark.parametrize("level", ["exposure", "lit", "mean"])
def test_a_black_picture_stays_black(level):
    edge = np.ones((30, 40))
    edge[:, 0] = 0.0
    result = osmofuse.remove_shadow(np.zeros((30, 40, 3)), edge, level=level)
    assert np.allclose(result.image, 0.0, atol=1e-6)


def test_depth_and_precision_follow_the_array():
    scene = gallery.shadow((60, 80), 1)
    pixels = np.round(255 * scene.foreground).astype(np.uint8)
    result = osmofuse.remove_shadow(pixels, scene.alpha)
    assert result.image.dtype == np.float32
    assert result.picture()[0].depth == np.uint8
    double = osmofuse.remove_shadow(scene.foreground.astype(np.float64), scene.alpha)
    assert double.image.dtype == np.float64


def test_a_local_removal_keeps_the_bits_of_transparent_pixels(rng):
    scene = gallery.shadow((60, 80), 1)
    layer = np.full((60, 80, 1), 255)
    layer[:4, :4] = 0
    pixels = np.concatenate([np.round(255 * scene.foreground), layer], axis=2).astype(np.uint8)
    pixels[:4, :4, :3] = rng.integers(0, 256, (4, 4, 3))
    picture = Picture(pixels, transparency=True)
    made = osmofuse.remove_shadow(picture, scene.alpha, extent="local").picture()[0]
    assert np.array_equal(made.pixels[:4, :4], pixels[:4, :4])


def test_a_watch_must_be_callable():
    with pytest.raises(SettingError, match=r"^watch"):
        osmofuse.remove_shadow(np.zeros((9, 9)), np.ones((9, 9)), watch=3)


def test_a_band_over_the_whole_picture_is_refused():
    scene = gallery.shadow((60, 80), 1)
    half = np.indices((60, 80))[1] > 40
    with pytest.raises(InputError, match=r"covers 100% of the picture; give a smaller width"):
        osmofuse.remove_shadow(scene.foreground, half, mask=True, width=1000)
