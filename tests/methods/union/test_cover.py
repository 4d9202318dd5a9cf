"""Cover of the foreground: where it is found, where not, and what replaces it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from osmofuse import gallery
from osmofuse.filters import smooth
from osmofuse.gallery.nuisance import worn
from osmofuse.methods import Sources
from osmofuse.methods.statistics import Statistics
from osmofuse.methods.union.cover import correlation, healing, outline, strangeness, uncovered
from osmofuse.metrics import psnr

SHAPE = (120, 90)


def without_cover(scene: gallery.Scene, **changes) -> Sources | None:
    """Return the changed sources of a scene, or None if nothing was found to cover them."""
    scene = replace(scene, **changes)
    sources = Sources(scene.foreground, scene.background, 0.0).read_only()
    found = uncovered(sources, 0.05, Statistics())
    return None if found is sources else found


def land(seed: int) -> np.ndarray:
    """Return a smooth random plane, around 0."""
    noise = np.random.default_rng(seed).standard_normal(SHAPE).astype(np.float32)
    return smooth(noise, 3.0) * 4.0


@pytest.mark.parametrize(("nuisance", "least"), [((), 33.0), ("hard", 27.0), ("vignette", 30.0)])
def test_clouds_are_taken_away(nuisance, least) -> None:
    scene = gallery.cloud((240, 180), 1, nuisance=nuisance)
    found = without_cover(scene)
    assert found is not None
    assert found.foreground.shape == scene.foreground.shape
    assert psnr(found.foreground, scene.truth) > least > psnr(scene.foreground, scene.truth) + 10


@pytest.mark.parametrize("nuisance", [(), "hard", "shift", "blur", "clipped", "dust", "jpeg"])
def test_no_cover_is_found_on_open_land(nuisance) -> None:
    scene = gallery.cloud((240, 180), 2)
    scene = worn(replace(scene, foreground=scene.truth), 2, nuisance)
    assert without_cover(scene) is None


@pytest.mark.parametrize("nuisance", [(), "dark", "hard"])
@pytest.mark.parametrize("name", ["portrait", "clone", "recolouring"])
def test_a_thing_in_other_colours_is_no_cover(name, nuisance) -> None:
    assert without_cover(getattr(gallery, name)((240, 180), 3, nuisance=nuisance)) is None


def test_a_grey_background_proves_no_cover() -> None:
    scene = gallery.cloud((240, 180), 1)
    assert without_cover(scene, background=scene.background.mean(axis=2)) is None
    grey = np.repeat(scene.background.mean(axis=2)[..., None], 3, axis=2)
    assert without_cover(scene, background=grey) is None
    assert (
        without_cover(scene, foreground=scene.foreground[..., 0], background=grey[..., 0]) is None
    )


@pytest.mark.parametrize("gain", [0.2, 2.0])
def test_the_gain_of_the_background_does_not_matter(gain) -> None:
    scene = gallery.cloud((240, 180), 1)
    one = without_cover(scene)
    other = without_cover(scene, background=scene.background * np.float32(gain))
    assert one is not None
    assert other is not None
    assert psnr(other.foreground, one.foreground) > 60.0


def test_the_foreground_stays_where_the_background_has_no_data() -> None:
    scene = gallery.cloud((240, 180), 1)
    valid = np.ones((240, 180), bool)
    valid[:60] = False
    sources = Sources(scene.foreground, scene.background, 0.0, valid)
    found = uncovered(sources, 0.05, Statistics())
    assert found is not sources
    np.testing.assert_allclose(found.foreground[~valid], scene.foreground[~valid], atol=1e-6)


def test_types_and_several_backgrounds() -> None:
    scene = gallery.cloud((240, 180), 1)
    grey = scene.background.mean(axis=2)
    eight = np.rint(255 * scene.foreground).astype(np.uint8)
    sources = Sources(eight, [grey, scene.background], [0.0, 0.5, 0.5])
    found = uncovered(sources, 0.05, Statistics())
    assert found.foreground.dtype == sources.dtype == np.float32
    assert found.foreground.min() >= 0.0
    assert psnr(found.foreground, scene.truth) > 33.0


@pytest.mark.parametrize("shape", [(1, 1), (2, 9), (8, 8)])
@pytest.mark.parametrize("level", [0.0, 0.5])
def test_small_and_flat_pictures_have_no_cover(shape, level) -> None:
    picture = np.full((*shape, 3), level, np.float32)
    sources = Sources(picture, picture, 0.0)
    assert uncovered(sources, 0.05, Statistics()) is sources


def test_light_and_a_tone_curve_are_not_strange() -> None:
    b = np.stack([land(1), land(2)])
    rows = np.linspace(-1.0, 1.0, SHAPE[0])[:, None]
    f = 0.7 * b + (0.5 * rows - 0.4 * rows**2).astype(np.float32) - 1.0
    seen = np.ones(SHAPE, bool)
    assert strangeness(f, b, seen).max() < 0.1
    f[:, 30:50, 30:50] += 1.0
    found = strangeness(f, b, seen) > 3.0
    assert found[30:50, 30:50].all()
    assert found.sum() == 400


def test_correlation_is_that_of_colours() -> None:
    one, other, third = land(1), land(2), land(3)
    around, side = np.ones(SHAPE, bool), float(np.sqrt(np.prod(SHAPE)))
    f = np.stack([one, other])
    assert correlation(f, 0.3 * f + 1.0, around, side) > 0.999
    assert correlation(f, -f, around, side) < -0.999
    assert abs(correlation(f, np.stack([third, third[::-1]]), around, side)) < 0.4
    assert correlation(f, np.stack([third, third]), around, side) == 0.0


def test_an_outline_at_edges_is_steep() -> None:
    b, mask = np.stack([land(1)]), np.zeros(SHAPE, bool)
    mask[30:50, 30:50] = True
    seen = np.ones(SHAPE, bool)
    assert outline(mask, b, seen) < 2.0
    assert outline(mask, b + mask, seen) > 2.0
    assert outline(~np.zeros_like(mask), b, seen) == 0.0


def test_healing_integrates_the_drift_of_the_background() -> None:
    truth = np.stack([land(1), land(2)])
    b = truth + np.float32(1.5)
    f, cover = truth.copy(), np.zeros(SHAPE, bool)
    cover[40:70, 20:60] = True
    f[:, 45:65, 25:55] = 2.0
    layers = healing(f, b, cover, np.ones(SHAPE, bool))
    np.testing.assert_allclose(f + layers, truth, atol=2e-3)
