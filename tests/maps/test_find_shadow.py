from __future__ import annotations

import numpy as np
import pytest

from osmofuse import InputError, gallery
from osmofuse.filters import gaussian
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


def spotted(rng, fall, *, follows=True):
    """Return a ground with large spots, darkened in a box; without `follows`, by another ground."""
    spots = [gaussian(rng.normal(size=(200, 240)), 8.0) for _ in range(2)]
    spots = [0.12 * one / one.std() for one in spots]
    grain = rng.normal(0.0, 0.02, (200, 240))
    box = np.zeros((200, 240), bool)
    box[50:150, 70:170] = True
    ground = np.where(box & (not follows), spots[1], spots[0]) + grain
    # The spots have colours of their own: more grass or more sand.
    y = np.log((0.55, 0.5, 0.35)) + ground[..., None] * (1.0, 0.7, 1.0)
    y -= np.where(box[..., None], fall, 0.0)
    return y, box


def test_a_weak_shadow_on_a_spotted_ground_is_found(rng):
    y, box = spotted(rng, (0.20, 0.165, 0.12))
    mask, note = find_shadow(y)
    assert np.count_nonzero(mask & box) > 0.9 * np.count_nonzero(mask | box)
    assert "83%, 86%, 90%" in note  # 82, 85 and 89 in truth


def test_a_spotted_thing_whose_spots_do_not_go_on_outside_is_no_shadow(rng):
    y, _ = spotted(rng, (0.20, 0.165, 0.12), follows=False)
    with pytest.raises(InputError, match="no shadow found for sure"):
        find_shadow(y)


@pytest.mark.parametrize("left", [(0.3, 0.32, 0.6), (0.3, 0.3, 0.35)])
def test_blue_paint_and_black_things_are_no_shadows(rng, left):
    picture = np.full((200, 240, 3), 0.6) * rng.uniform(0.95, 1.05, (200, 240, 1))
    picture[60:140, 70:170] *= left
    with pytest.raises(InputError, match="no shadow found for sure"):
        find_shadow(logarithms(picture))
