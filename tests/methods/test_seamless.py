"""Seamless target: gains, seams, ties, and what is let go."""

from __future__ import annotations

import numpy as np
import pytest

from osmofuse import SettingError, Sources, VariationalOsmosis, gallery
from osmofuse.methods.seamless import (
    MOST_TIE,
    Seamless,
    _grids,
    ink_gone,
    integrated,
    two_sided,
)
from osmofuse.methods.statistics import Statistics
from osmofuse.metrics import psnr

BARE = {"target": "seamless", "start": "target", "offset": "auto"}
COARSE = {**BARE, "band": "coarse"}


def fused(scene: gallery.Scene, gain: float = 1.0, **settings) -> np.ndarray:
    background = scene.background * np.float32(gain)
    sources = Sources(scene.foreground, background, scene.alpha).read_only()
    return VariationalOsmosis(**settings)(sources).image


def tie_of(background: np.ndarray, tie: float | str = "auto") -> float:
    sources = Sources(np.full((*background.shape[:2], 3), 0.5), background, 0.5)
    return Seamless(tie).for_sources(sources, Statistics()).tie


@pytest.mark.parametrize("gain", [0.2, 2.0])
@pytest.mark.parametrize("name", ["clone", "gold_leaf"])
def test_the_gain_of_the_background_does_not_matter(name, gain) -> None:
    scene = getattr(gallery, name)((120, 90), 1)
    assert psnr(fused(scene, gain, **BARE), fused(scene, **BARE)) > 60.0


@pytest.mark.parametrize(
    ("name", "gain"),
    [("manuscript", 2.0), ("clone", 6.0), ("recolouring", 5.0), ("gold_leaf", -1.5),
     ("portrait", -1.5), ("cloud", -1.0)],
)  # fmt: skip
def test_it_is_as_good_as_the_product_or_better(name, gain) -> None:
    scene = getattr(gallery, name)((240, 180), 1)
    product, seamless = (psnr(fused(scene, **settings), scene.truth) for settings in ({}, BARE))
    assert seamless > product + gain


@pytest.mark.parametrize("name", ["gold_leaf", "clone", "portrait", "recolouring"])
def test_a_dark_background_costs_nothing(name) -> None:
    scene = getattr(gallery, name)((240, 180), 2, nuisance="dark")
    product, seamless = (psnr(fused(scene, **settings), scene.truth) for settings in ({}, BARE))
    assert seamless > product + 5.0


@pytest.mark.parametrize("name", ["overwritten", "gold_leaf", "manuscript", "clone"])
def test_it_is_as_good_as_the_product_under_a_vignette(name) -> None:
    scene = getattr(gallery, name)((240, 180), 1, nuisance="vignette")
    product, seamless = (psnr(fused(scene, **settings), scene.truth) for settings in ({}, COARSE))
    assert seamless > product


def test_ink_that_goes_takes_its_colour_with_it() -> None:
    scene = gallery.overwritten((240, 180), 1)
    keep, coarse = (psnr(fused(scene, **settings), scene.truth) for settings in (BARE, COARSE))
    assert coarse > keep + 2.0


@pytest.mark.parametrize("name", ["gold_leaf", "manuscript"])
def test_what_stays_keeps_its_colour(name) -> None:
    scene = getattr(gallery, name)((240, 180), 1)
    keep, coarse = (psnr(fused(scene, **settings), scene.truth) for settings in (BARE, COARSE))
    assert coarse > keep - 0.1


def test_colours_stay_where_the_map_keeps_the_foreground() -> None:
    f = np.full((400, 300, 3), (0.8, 0.7, 0.5), np.float32)
    f[150:200] = (0.1, 0.1, 0.4)
    alpha = np.zeros((400, 300))
    alpha[:, 101:] = 1.0
    sources = Sources(f, np.full((400, 300), 0.6, np.float32), alpha)
    coarse, keep = (VariationalOsmosis(**s, reach=0.01)(sources).image for s in (COARSE, BARE))
    np.testing.assert_allclose(coarse[:, 101:], keep[:, 101:], atol=0.01)
    assert np.abs(coarse - keep)[175, 10:40].min(axis=0).max() > 0.02


def test_a_background_in_colour_takes_no_colour_away() -> None:
    scene = gallery.clone((60, 50), 1)
    sources = Sources(scene.foreground, scene.background, scene.alpha)
    assert Seamless().for_sources(sources, Statistics()).replaced is None
    np.testing.assert_array_equal(fused(scene, **COARSE), fused(scene, **BARE))


def test_the_gain_does_not_matter_where_colours_go() -> None:
    scene = gallery.overwritten((120, 90), 1)
    assert psnr(fused(scene, 0.2, **COARSE), fused(scene, **COARSE)) > 60.0


def test_relief_has_two_sides_and_ink_one() -> None:
    waves = np.tile(np.sin(np.arange(80.0)), (40, 1)).astype(np.float32)
    inner = np.s_[10:-10, 10:-10]
    assert two_sided(waves, 6.0)[inner].min() == 1.0
    assert two_sided(np.maximum(waves, 0.0), 6.0).max() == 0.0
    assert two_sided(np.zeros((9, 9), np.float32), 2.0).shape == (9, 9)


def test_only_ink_that_becomes_brighter_goes() -> None:
    psi, kept = np.zeros((60, 60), np.float32), np.zeros((60, 60), np.float32)
    psi[20:30, 10:20], psi[20:30, 40:50], kept[22] = 0.5, -0.5, 1.0
    gone = ink_gone(psi, kept, 1.0)
    assert gone[25, 15] == 1.0
    assert gone[25, 45] == gone[5, 5] == gone[22].max() == 0.0


def test_a_factor_of_the_foreground_leaves_no_seam(rng) -> None:
    f = (0.4 + 0.2 * rng.random((60, 50, 3))).astype(np.float32)
    alpha = np.ones((60, 50))
    alpha[20:40, 15:35] = 0.0
    found = VariationalOsmosis(**BARE, eta=0.0)(Sources(f, 0.3 * f, alpha)).image
    np.testing.assert_allclose(found, f, atol=2e-3)


def test_the_tie_depends_on_the_bands() -> None:
    assert tie_of(np.full((70, 70), 0.5)) == pytest.approx(5.0)
    assert tie_of(np.full((80, 80, 3), 0.5)) == MOST_TIE
    assert tie_of(np.full((80, 80, 3), 0.5), 7.0) == 7.0
    with pytest.raises(SettingError, match=r"^tie"):
        Seamless(0.0)


def test_what_was_chosen_is_recorded() -> None:
    scene = gallery.gold_leaf((70, 70), 0)
    sources = Sources(scene.foreground, scene.background, scene.alpha)
    fusion = VariationalOsmosis(**BARE)(sources)
    assert fusion.chosen["tie"] == pytest.approx(5.0)
    again = VariationalOsmosis(**BARE, tie=fusion.chosen["tie"])(sources)
    np.testing.assert_array_equal(again.image, fusion.image)
    assert "tie" not in VariationalOsmosis()(sources).chosen


def test_several_backgrounds_mix_their_drifts() -> None:
    scene = gallery.clone((120, 90), 1)
    one = fused(scene, **BARE)
    half = 0.5 * (1.0 - scene.alpha)
    both = Sources(scene.foreground, [scene.background] * 2, [scene.alpha, half, half])
    assert psnr(VariationalOsmosis(**BARE)(both).image, one) > 60.0


def test_large_integrals_begin_with_half_the_size(monkeypatch, rng) -> None:
    ratio, mass = rng.random((90, 70)), np.full((90, 70), 0.01)
    weight = np.ones((90, 70))
    whole = integrated([ratio], [weight], _grids(mass, [weight], 1))
    monkeypatch.setattr("osmofuse.methods.seamless.SMALLEST", 1000)
    np.testing.assert_allclose(
        integrated([ratio], [weight], _grids(mass, [weight], 1)), whole, atol=0.02
    )


@pytest.mark.parametrize("shape", [(1, 1), (2, 9)])
def test_small_pictures(shape) -> None:
    f = np.full((*shape, 3), 0.5, np.float32)
    found = VariationalOsmosis(**BARE)(Sources(f, 0.2 * f, 0.5)).image
    np.testing.assert_allclose(found, f, atol=1e-3)


@pytest.mark.parametrize("several", [False, True])
@pytest.mark.parametrize("noise", [0.0, 0.01])
def test_the_foreground_is_kept_where_the_background_is_black_up_to_the_border(
    rng, noise, several
) -> None:
    scene = gallery.manuscript((120, 90), 1)
    background = np.array(scene.background)
    background[:6] = rng.uniform(0.0, noise, background[:6].shape)
    background[np.add.outer(np.arange(120), np.arange(90))[::-1] < 30] = 0.0
    shape, black = scene.foreground.shape[:2], background < 0.02
    first, rest = np.zeros(shape), np.ones(shape)
    sources = Sources(scene.foreground, background, first)
    if several:
        pictures = [background, scene.foreground]
        sources = Sources(scene.foreground, pictures, [first, rest, np.zeros(shape)])
    changed = np.abs(VariationalOsmosis(**BARE)(sources).image - scene.foreground).max(axis=-1)
    assert changed[black].max() < 2.0 / 255.0
    assert changed[20:-30, 20:].max() > 0.2, "writing enters inside"


def test_a_black_object_that_touches_no_border_where_it_enters_is_copied() -> None:
    f, b, alpha = np.full((60, 50, 3), 0.6), np.full((60, 50, 3), 0.5), np.ones((60, 50))
    b[20:50, 20:35] = 0.0
    b[50:] = 0.0  # black as well, but kept out by the map
    alpha[15:48, 15:40] = 0.0
    fused = VariationalOsmosis(**BARE)(Sources(f, b, alpha)).image
    assert fused[25:40, 25:30].max() < 0.3
