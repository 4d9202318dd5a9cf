from __future__ import annotations

import numpy as np
import pytest

import osmofuse
from osmofuse import InputError, MismatchError, Picture, SettingError, gallery
from osmofuse.maps.shadow_boundary import boundary_of


@pytest.fixture(scope="module")
def scene():
    return gallery.shadow((200, 260), 1)


def test_a_map_is_used_as_it_is(scene):
    logarithms = np.log(scene.foreground + 0.01)
    keep, notes = boundary_of(scene.alpha, logarithms, False, None)
    np.testing.assert_array_equal(keep, scene.alpha)
    assert notes == ()


def test_a_band_painted_in_colour_counts_by_its_brightness(scene):
    pixels = np.full((200, 260, 3), 255, np.uint8)
    pixels[80:90] = np.random.default_rng(0).integers(0, 200, (10, 260, 3))
    keep, (note,) = boundary_of(Picture(pixels), np.log(scene.foreground + 0.01), False, None)
    np.testing.assert_allclose(keep, pixels.mean(axis=2) / 255, atol=1e-12)
    assert "colours" in note


@pytest.mark.parametrize(
    ("boundary", "error", "words"),
    [
        (np.ones((200, 260)), InputError, "empty"),
        (np.zeros((200, 260)), InputError, "inverted"),
        (np.ones((200, 100)), MismatchError, "another|but the picture has"),
        (np.ones((200, 260, 2)), InputError, "one band"),
        ("manual", SettingError, "auto"),
    ],
)
def test_bad_boundaries_are_refused(scene, boundary, error, words):
    with pytest.raises(error, match=rf"^boundary: .*({words})"):
        osmofuse.remove_shadow(scene.foreground, boundary)
