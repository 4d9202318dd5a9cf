"""Writing of the background on the level of the foreground's ground."""

from __future__ import annotations

import numpy as np
import pytest

import osmofuse
from osmofuse import Sources, gallery
from osmofuse.methods.level_target import LevelTarget, covering, has_map, strongest
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


@pytest.fixture(scope="module")
def page():
    return gallery.overwritten((300, 225), 20)


def test_the_strongest_layer_counts():
    layers = [np.array([0.0, -2.0, 1.0]), np.array([1.0, -1.0, -3.0]), np.array([0.5, 0.0, 0.0])]
    np.testing.assert_array_equal(strongest(layers), [1.0, -2.0, -3.0])


@pytest.mark.parametrize("count", [2, 3])
def test_a_background_that_is_given_twice_adds_its_writing_once(page, count):
    alpha = [0.0, *[1.0 / count] * count]
    one = made(page)
    several = LevelTarget().for_sources(
        Sources(page.foreground, [page.background] * count, alpha), Statistics()
    )
    np.testing.assert_allclose(several.psi, one.psi, atol=1e-6)
    fused = osmofuse.recipe("text").fuse(page.foreground, [page.background] * count).image
    assert psnr(fused, page.truth) > psnr(text(page), page.truth) - 0.1


def test_backgrounds_that_show_different_parts_are_both_used(page):
    rows = page.foreground.shape[0] // 2
    halves = [page.background.copy(), page.background.copy()]
    level = np.percentile(page.background, 75.0)
    halves[0][:rows], halves[1][rows:] = level, level
    both = osmofuse.recipe("text").fuse(page.foreground, halves)
    assert both.notes[1:] == ()
    assert psnr(both.image, page.truth) > psnr(text(page), page.truth) - 0.5


@pytest.mark.parametrize("nuisance", [(), "hard"])
@pytest.mark.parametrize("name", ["overwritten", "palimpsest", "manuscript"])
def test_good_pairs_have_no_doubts(name, nuisance):
    good = getattr(gallery, name)((240, 180), 5, nuisance=nuisance)
    assert made(good).notes == ()


def poor(page, kind):
    """Return a background that is of no help."""
    b, rng = page.background, np.random.default_rng(0)
    return {
        "unrelated": lambda: gallery.overwritten((300, 225), 7).background,
        "noise": lambda: rng.random(b.shape, np.float32),
        "negative": lambda: 1.0 - b,
        "shifted": lambda: np.roll(b, 15, axis=1),
        "faint noise": lambda: np.float32(0.5) + 0.01 * rng.standard_normal(b.shape, np.float32),
        "blank": lambda: np.full_like(b, 0.5),
    }[kind]()


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        ("unrelated", "shares hardly any structure"),
        ("noise", "shares hardly any structure"),
        ("negative", "bright in one and dark in the other"),
        ("shifted", "shares hardly any structure"),
        ("faint noise", "shares hardly any structure"),
        ("blank", "shows nothing"),
    ],
)
def test_what_does_not_fit_is_held_back_with_a_note(page, kind, words):
    fusion = osmofuse.recipe("text").fuse(page.foreground, poor(page, kind))
    assert len(fusion.notes) == 2
    assert words in fusion.notes[1]
    assert psnr(fusion.image, page.truth) > psnr(page.foreground, page.truth) - 0.1
    assert np.abs(fusion.image - page.foreground).mean() < 1 / 255


def test_of_several_backgrounds_the_doubtful_one_is_named_and_held_back(page):
    other = poor(page, "unrelated")
    fusion = osmofuse.recipe("text").fuse(page.foreground, [page.background, other])
    assert fusion.notes[1].startswith("background 2: it shares hardly any structure")
    assert psnr(fusion.image, page.truth) > psnr(text(page), page.truth) - 0.2


def test_a_clipped_background_has_a_note(page):
    notes = made(page, np.minimum(2.0 * page.background, 1.0)).notes
    assert len(notes) == 1
    assert "is clipped" in notes[0]


def test_a_small_shift_is_undone_with_a_note():
    page = gallery.overwritten((240, 180), 0, nuisance="shift")
    fusion = osmofuse.recipe("text").fuse(page.foreground, page.background)
    assert "moved by a pixel or two" in fusion.notes[1]
    assert psnr(fusion.image, page.truth) > psnr(page.foreground, page.truth)


@pytest.mark.parametrize("nuisance", [(), "hard", "noise"])
def test_sound_writing_stays_as_sharp_as_the_page_has_it(nuisance):
    sharp = gallery.manuscript((240, 180), 5, nuisance=nuisance)
    all_replaced = text(sharp, target=LevelTarget(different=(-2.0, -1.0)))
    assert psnr(text(sharp), sharp.truth) > psnr(all_replaced, sharp.truth) + 1.0


def test_broad_strokes_have_no_specks():
    """Noise of dark strokes in the logarithm is much more than that of the ground."""
    rows, cols = np.mgrid[:240, :180]
    strokes = ((cols // 20) % 2 == 1) & (rows > 20) & (rows < 220)
    rng = np.random.default_rng(1)
    b = np.where(strokes, 0.12, 0.8) + 0.04 * rng.standard_normal(strokes.shape)
    f = np.where(strokes, 0.5, 0.6)[..., None] * np.array([1.0, 0.9, 0.7])
    sources = Sources(f.astype(np.float32), np.clip(b, 0.01, 1.0).astype(np.float32), 0.0)
    psi = LevelTarget().for_sources(sources, Statistics()).psi
    inside = psi[40:200][:, ((cols[0] % 40) > 25) & ((cols[0] % 40) < 35)]
    assert inside.mean() < -1.0
    assert inside.std() < 0.1


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
