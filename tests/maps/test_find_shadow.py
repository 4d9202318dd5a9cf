from __future__ import annotations

import numpy as np
import pytest

from osmofuse import InputError, gallery
from osmofuse.maps.find_shadow import find_shadow


def logarithms(pixels):
    return np.log(np.asarray(pixels, np.float64) + 0.01)


@pytest.mark.parametrize("seed", [0, 2])
def test_it_finds_a_drawn_shadow(seed):
    scene = gallery.shadow((300, 390), seed)
    dark = np.asarray(scene.foreground / scene.truth).mean(axis=2) < 0.75
    mask, note = find_shadow(logarithms(scene.foreground))
    assert np.count_nonzero(mask & dark) > 0.9 * np.count_nonzero(mask | dark)
    assert note.startswith("found a shadow on ")


@pytest.mark.parametrize("seed", [0, 2])
def test_it_refuses_the_scene_without_shadow(seed):
    with pytest.raises(InputError, match="no shadow found for sure"):
        find_shadow(logarithms(gallery.shadow((300, 390), seed).truth))


@pytest.mark.parametrize("name", ["manuscript", "portrait", "palimpsest"])
def test_it_refuses_pictures_of_other_things(name):
    scene = getattr(gallery, name)((240, 300))
    with pytest.raises(InputError, match=r"^boundary: "):
        find_shadow(logarithms(scene.foreground))


def test_a_dark_object_of_its_own_colour_is_no_shadow(rng):
    # It darkens red least: light from a lamp, or paint.
    picture = np.full((200, 240, 3), 0.6) * rng.uniform(0.95, 1.05, (200, 240, 1))
    picture[60:140, 70:170] *= (0.7, 0.5, 0.4)
    with pytest.raises(InputError, match="no shadow found for sure"):
        find_shadow(logarithms(picture))
    picture[60:140, 70:170] *= np.array([0.4, 0.5, 0.6]) / (0.7, 0.5, 0.4)
    assert find_shadow(logarithms(picture))[0][100, 120]


def test_one_band_is_refused():
    with pytest.raises(InputError, match="not 1 bands"):
        find_shadow(np.zeros((30, 30, 1)))
