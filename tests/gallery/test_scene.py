from __future__ import annotations

from dataclasses import FrozenInstanceError

import numpy as np
import pytest

from osmofuse import gallery
from osmofuse.errors import InputError
from osmofuse.gallery.scene import axes, checked_shape, finished, generator

DEFAULTS = {
    "clone": (400, 440),
    "cloud": (480, 480),
    "gold_leaf": (600, 450),
    "manuscript": (600, 450),
    "modalities": (600, 450),
    "mosaic": (540, 450),
    "night": (400, 520),
    "noisy_infrared": (600, 450),
    "overwritten": (600, 450),
    "palimpsest": (600, 450),
    "portrait": (480, 400),
    "recolouring": (440, 400),
    "shadow": (400, 520),
    "shots": (360, 480),
}
MAKERS = [getattr(gallery, name) for name in DEFAULTS]
SHAPES = [(1, 1), (1, 50), (50, 1), (2, 3), (37, 53), (160, 20), (20, 160)]


def several(part) -> tuple:
    """Return the arrays of a part that may be one, a tuple or None."""
    return part if isinstance(part, tuple) else () if part is None else (part,)


def arrays(scene: gallery.Scene) -> list[np.ndarray]:
    panels = (panel.picture for panel in scene.panels)
    inputs = (*several(scene.background), *several(scene.alpha))
    return [scene.foreground, *inputs, scene.truth, *panels]


@pytest.mark.parametrize("make", MAKERS)
@pytest.mark.parametrize("shape", SHAPES)
def test_every_scene_keeps_the_contract_at_any_shape(make, shape):
    scene = make(shape, seed=1)
    assert scene.name == make.__name__
    assert scene.foreground.shape == scene.truth.shape
    assert scene.truth.shape in (shape, (*shape, 3))
    assert all(part.shape == shape for part in several(scene.alpha))
    assert all(part.shape[:2] == shape for part in several(scene.background))
    for part in arrays(scene):
        assert part.dtype == np.float32
        assert part.flags.c_contiguous
        assert part.min() >= 0.0
        assert part.max() <= 1.0


@pytest.mark.parametrize("make", MAKERS)
def test_several_backgrounds_have_a_map_each_and_the_maps_sum_to_one(make):
    scene = make((37, 53), seed=2)
    several_of_them = isinstance(scene.background, tuple)
    assert isinstance(scene.alpha, tuple) == several_of_them
    if several_of_them:
        assert len(scene.alpha) == len(scene.background) + 1
        np.testing.assert_allclose(sum(scene.alpha), 1.0, atol=1e-6)


@pytest.mark.parametrize("make", MAKERS)
def test_same_seed_gives_the_same_bits_in_arrays_of_their_own(make):
    first, second = arrays(make((61, 47), seed=3)), arrays(make((61, 47), seed=3))
    for a, b in zip(first, second, strict=True):
        assert np.array_equal(a, b)
        assert not np.shares_memory(a, b)


@pytest.mark.parametrize("make", MAKERS)
def test_another_seed_gives_another_picture(make):
    first, second = make((61, 47), seed=3), make((61, 47), seed=4)
    assert np.mean(np.abs(first.foreground - second.foreground)) > 0.01


@pytest.mark.parametrize("make", MAKERS)
def test_defaults_are_those_of_the_contract(make):
    assert make.__defaults__ == (DEFAULTS[make.__name__], 0)


def test_every_public_scene_is_tested_here():
    assert set(DEFAULTS) == {name for name in gallery.__all__ if name.islower()}


@pytest.mark.parametrize("make", MAKERS)
def test_no_two_arrays_of_a_scene_share_memory(make):
    parts = arrays(make((30, 30)))
    for k, part in enumerate(parts):
        assert not any(np.shares_memory(part, other) for other in parts[k + 1 :])


@pytest.mark.parametrize(
    "shape",
    [(0, 5), (5, -1), (5,), (5, 5, 3), (5.0, 5), (True, 5), "ab", 7, None, [[1, 2], [3, 4]]],
)
@pytest.mark.parametrize("make", MAKERS)
def test_bad_shape_is_an_input_error_that_names_argument_and_fix(make, shape):
    with pytest.raises(InputError, match=r"shape must be two positive integers.*give for example"):
        make(shape)


@pytest.mark.parametrize("seed", [-1, 1.5, True, None, "0"])
def test_bad_seed_is_an_input_error(seed):
    with pytest.raises(InputError, match="seed must be an integer"):
        generator(seed)


def test_checked_shape_takes_lists_and_numpy_integers():
    assert checked_shape([np.int64(4), 3]) == (4, 3)
    assert checked_shape(np.array([4, 3])) == (4, 3)
    assert all(type(side) is int for side in checked_shape(np.array([4, 3])))


def test_scene_is_frozen_and_compares_by_identity():
    scene = gallery.shadow((4, 4))
    with pytest.raises(FrozenInstanceError):
        scene.name = "other"
    assert scene == scene  # noqa: PLR0124
    assert scene != gallery.shadow((4, 4))


def test_finished_clips_and_copies():
    values = np.array([-1.0, 0.25, 2.0])
    done = finished(values)
    assert done.tolist() == [0.0, 0.25, 1.0]
    assert done.dtype == np.float32
    assert values.tolist() == [-1.0, 0.25, 2.0]


def test_axes_are_symmetric_fractions():
    down, right = axes((5, 4))
    assert down.shape == (5, 1)
    assert right.shape == (1, 4)
    np.testing.assert_allclose(down + down[::-1], 1.0, atol=1e-6)
