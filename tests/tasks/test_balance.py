from __future__ import annotations

import numpy as np
import pytest

import osmofuse
from osmofuse import gallery
from osmofuse.errors import MismatchError, SettingError
from osmofuse.metrics import seam_visibility
from osmofuse.pixels import quantise
from osmofuse.progress import Status


def decibels(image, truth, where=...):
    """Return the decibels from the truth after one gain."""
    u, t = image[where].astype(float), truth[where].astype(float)
    return -10 * np.log10(np.mean((u * (u * t).sum() / (u * u).sum() - t) ** 2))


def nine(truth, seed, overlap=0):
    """Return nine panels with gains 0.6 to 1.6, and their places."""
    rng = np.random.default_rng(seed)
    cuts = [[round(k * n / 3) for k in range(4)] for n in truth.shape]
    pictures, places = [], []
    for a, b in np.ndindex(3, 3):
        top, left = max(cuts[0][a] - overlap, 0), max(cuts[1][b] - overlap, 0)
        part = truth[top : cuts[0][a + 1] + overlap, left : cuts[1][b + 1] + overlap]
        pictures.append(part * np.float32(rng.uniform(0.6, 1.6)))
        places.append((top, left))
    return pictures, places


@pytest.fixture(scope="module")
def truth():
    return 0.6 * gallery.mosaic((270, 225), seed=3).truth


@pytest.mark.parametrize(("overlap", "least"), [(0, 36.0), (8, 60.0)])
def test_gains_of_nine_panels_vanish(truth, overlap, least):
    pictures, places = nine(truth, 1, overlap)
    result = osmofuse.balance(pictures, places)
    assert decibels(result.original.pixels, truth) < 29
    assert decibels(result.image, truth) > least
    assert result.status is Status.direct
    assert result.valid is None


@pytest.mark.parametrize("make", [gallery.mosaic, gallery.shots])
def test_shots_with_gains_and_falling_off_have_no_seams(make):
    scene = make((240, 225), seed=2)
    shots = [quantise(panel.picture, np.uint16)[0] for panel in scene.panels]
    places = [(panel.top, panel.left) for panel in scene.panels]
    result = osmofuse.balance(shots, places)
    assert decibels(scene.foreground, scene.truth) < 29
    assert decibels(result.image, scene.truth) > 36
    for axis in (0, 1):
        for place in {panel.box[axis].start for panel in scene.panels} - {0}:
            alpha = np.ones(scene.truth.shape[:2], np.float32)
            alpha[(slice(None),) * axis + (slice(place, None),)] = 0
            assert seam_visibility(result.image, scene.truth, None, alpha) < 0.05
    picture, clipped = result.picture()
    assert (picture.depth, clipped) == (np.uint16, 0)


def test_a_scale_of_a_picture_changes_only_the_level(truth):
    pictures, places = nine(truth, 2, 8)
    first = osmofuse.balance(pictures, places, reference=0).image
    pictures[4] = pictures[4] * np.float32(0.5)
    second = osmofuse.balance(pictures, places, reference=0).image
    np.testing.assert_allclose(second, first, atol=2e-3)


def test_registered_pictures_of_one_frame_with_areas_without_data(truth):
    rng = np.random.default_rng(4)
    pictures, seen = [], np.zeros(truth.shape, bool)
    for top, left in np.ndindex(2, 2):
        mask = np.ones(truth.shape, bool)
        mask[top * 100 : top * 100 + 150, left * 80 : left * 80 + 120] = False
        seen |= ~mask
        pictures.append(np.ma.MaskedArray(truth * np.float32(rng.uniform(0.6, 1.4)), mask=mask))
    result = osmofuse.balance(pictures)
    assert np.array_equal(result.valid, seen)
    assert decibels(result.image, truth, seen) > 50
    assert np.array_equal(result.picture()[0].valid, seen)


def test_noise_and_an_error_of_registration_leave_no_step(truth):
    rng = np.random.default_rng(5)
    pictures, places = nine(truth, 3, 12)
    worn = [
        np.clip(np.roll(one, shift, (0, 1)) + 0.01 * rng.standard_normal(one.shape), 0, 1)
        for one, shift in zip(pictures, rng.integers(-1, 2, (9, 2)), strict=True)
    ]
    result = osmofuse.balance(worn, places)
    assert decibels(result.image, truth) > 27
    np.testing.assert_allclose(
        result.gains[:, 0], osmofuse.balance(pictures, places).gains[:, 0], rtol=0.05
    )


def test_a_flat_field_is_divided_out_and_the_level_kept(truth):
    y, x = (np.linspace(-1, 1, n) for n in truth.shape)
    light = (1.1 - 0.4 * (y[:, None] ** 2 + x**2)).astype(np.float32)
    result = osmofuse.balance([truth * light], flat=0.7 * light)
    np.testing.assert_allclose(result.image, truth * light.mean(), rtol=1e-4)
    assert "flat field" in result.notes[-1]


def test_one_picture_is_left_as_it_is(truth):
    result = osmofuse.balance([truth], [(-5, 9)])
    assert np.array_equal(result.image, truth)
    assert (result.corner, len(result.notes)) == ((-5, 9), 1)


def test_double_precision_is_kept(truth):
    image = osmofuse.balance([truth.astype(np.float64)] * 2).image
    assert image.dtype == np.float64
    np.testing.assert_allclose(image, truth, atol=1e-5)


def test_a_picture_that_touches_no_other_is_named(truth):
    with pytest.raises(MismatchError, match=r"^pictures\[2\]: neither overlaps nor touches"):
        osmofuse.balance([truth] * 3, [(0, 0), (10, 10), (900, 900)])


@pytest.mark.parametrize("reference", [2, -1, 0.5, True])
def test_a_wrong_reference_is_named(truth, reference):
    with pytest.raises(SettingError, match=r"^reference: "):
        osmofuse.balance([truth] * 2, reference=reference)


def test_a_cancelled_task_says_so(truth):
    pictures, places = nine(truth, 1)
    assert osmofuse.balance(pictures, places, watch=lambda _: True).status is Status.cancelled


def test_inputs_are_not_changed(truth):
    pictures, places = nine(truth, 1)
    for one in pictures:
        one.flags.writeable = False
    osmofuse.balance(pictures, places)


def test_wrong_places_are_told():
    rng = np.random.default_rng(0)
    wide = 0.2 + 0.6 * rng.random((30, 45)).repeat(8, 0).repeat(8, 1)
    places = [(0, 0), (0, 110), (90, 0), (90, 110)]
    pictures = [
        wide[top : top + 140, left : left + 200] * gain
        for (top, left), gain in zip(places, (1.0, 0.7, 1.1, 0.9), strict=True)
    ]
    assert not [n for n in osmofuse.balance(pictures, places).notes if "check the places" in n]
    swapped = [(left, top) for top, left in places]
    (told,) = [n for n in osmofuse.balance(pictures, swapped).notes if "check the places" in n]
    assert "different things" in told


def test_smooth_or_noisy_overlaps_are_not_doubted(rng):
    smooth = np.linspace(0.2, 0.8, 120) * np.ones((90, 1))
    noise = 0.5 + 0.01 * rng.standard_normal((2, 90, 120))
    for pictures in ([smooth, smooth * 0.5], list(noise)):
        notes = osmofuse.balance(pictures, [(0, 0), (0, 0)]).notes
        assert not [n for n in notes if "check the places" in n]
