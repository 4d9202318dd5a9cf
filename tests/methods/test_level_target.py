"""Writing of the background on the level of the foreground's ground."""

from __future__ import annotations

import numpy as np
import pytest

import osmofuse
from osmofuse import Sources, gallery
from osmofuse.methods.level_target import LevelTarget, covering, has_map
from osmofuse.methods.planes import Found, Replacing, WholeTarget
from osmofuse.methods.statistics import Statistics
from osmofuse.metrics import legibility, psnr

SHAPE = (180, 135)


@pytest.fixture(scope="module")
def scene():
    return gallery.overwritten(SHAPE, 3, nuisance=("wide", 6))


def text(scene, alpha=None, **changes):
    image = osmofuse.recipe("text").fuse(scene.foreground, scene.background, alpha, **changes).image
    return np.clip(image, 0.0, 1.0)


def made(scene, background=None, alpha=0.0, valid=None):
    b = scene.background if background is None else background
    return LevelTarget().for_sources(Sources(scene.foreground, b, alpha, valid), Statistics())


def test_it_is_a_target_that_finds_its_map_and_replaces_ink(scene):
    assert isinstance(LevelTarget(), WholeTarget)
    assert isinstance(made(scene), Found)
    assert isinstance(made(scene), Replacing)


def test_writing_under_other_ink_comes_out(scene):
    found = text(scene)
    assert psnr(found, scene.truth) > psnr(scene.foreground, scene.truth) + 5.0
    assert legibility(found, scene.ink) > legibility(scene.foreground, scene.ink)


def test_the_colour_of_the_ink_goes_with_it(scene):
    coarse, keep = text(scene), text(scene, band="keep")
    assert psnr(coarse, scene.truth) > psnr(keep, scene.truth) + 1.0


@pytest.mark.parametrize("band", ["keep", "coarse"])
@pytest.mark.parametrize("gain", [0.2, 2.0])
def test_the_exposure_of_the_background_does_not_matter(scene, band, gain):
    other = (np.float32(gain) * scene.background).astype(np.float32)
    recipe = osmofuse.recipe("text")
    first, second = (
        recipe.fuse(scene.foreground, b, band=band).image for b in (scene.background, other)
    )
    assert psnr(second, first) > 60.0


def test_a_map_keeps_the_foreground_and_lets_all_ink_go(scene):
    kept = made(scene, alpha=np.ones(SHAPE))
    assert kept.psi.max() == kept.psi.min() == 0.0
    assert kept.replaced.max() == 0.0
    with_map, without = made(scene, alpha=np.zeros(SHAPE)), made(scene)
    assert with_map.replaced.sum() >= without.replaced.sum()
    assert psnr(text(scene, scene.alpha), scene.truth) > psnr(text(scene), scene.truth) - 0.1


def test_a_ramp_around_gaps_is_no_map(scene):
    valid = np.ones(SHAPE, bool)
    valid[:, :20] = False
    alpha = np.where(valid, 0.0, 1.0)
    assert has_map(Sources(scene.foreground, scene.background, alpha))
    assert not has_map(Sources(scene.foreground, scene.background, alpha, valid))
    assert not has_map(Sources(scene.foreground, scene.background, 0.0))


def test_nothing_enters_where_the_background_has_no_data(scene):
    valid = np.ones(SHAPE, bool)
    valid[:, :40] = False
    assert np.abs(made(scene, valid=valid).psi[:, :40]).max() == 0.0


def test_a_black_border_leaves_no_rim(scene):
    black = scene.background.copy()
    black[:6], black[-6:], black[:, :6], black[:, -6:] = 0.0, 0.0, 0.0, 0.0
    psi = made(scene, black).psi
    assert max(np.abs(psi[:3]).max(), np.abs(psi[:, :3]).max()) < 0.02


def test_ink_below_which_nothing_lies_stays():
    strokes, below = np.zeros((40, 40), np.float32), np.zeros((40, 40), np.float32)
    strokes[5:10, 5:35] = strokes[25:30, 5:35] = 1.0
    below[24:31, 8:20] = 1.0
    found = covering(strokes, below, (0.1, 0.3), 1)
    assert found[5:10, 5:35].max() == 0.0
    assert found[25:30, 5:35].min() > 0.99


def test_several_backgrounds_add_their_writing(scene):
    halves = [scene.background.copy(), scene.background.copy()]
    level = float(np.median(scene.background))
    halves[0][:90], halves[1][90:] = level, level
    alpha = [0.0, 0.5, 0.5]
    both = LevelTarget().for_sources(Sources(scene.foreground, halves, alpha), Statistics())
    upper = made(scene, halves[1])
    np.testing.assert_allclose(both.psi[:60], upper.psi[:60], atol=0.3)
    assert both.alpha[110:].min() < 0.1


def test_known_numbers_give_the_same_layer(scene):
    sources, known = Sources(scene.foreground, scene.background, 0.0), Statistics()
    first = LevelTarget().for_sources(sources, known)
    again = LevelTarget().for_sources(sources, Statistics(known.values))
    np.testing.assert_array_equal(first.psi, again.psi)
