"""Seamless target: gains, seams, ties, and what is let go."""

from __future__ import annotations

import numpy as np
import pytest

from osmofuse import SettingError, Sources, VariationalOsmosis, gallery
from osmofuse.methods.seamless import MOST_TIE, Seamless, _grids, integrated
from osmofuse.methods.statistics import Statistics
from osmofuse.metrics import psnr

BARE = {"target": "seamless", "start": "target", "offset": "auto"}


def fused(scene: gallery.Scene, gain: float = 1.0, **settings) -> np.ndarray:
    background = scene.background * np.float32(gain)
    sources = Sources(scene.foreground, background, scene.alpha).read_only()
    return VariationalOsmosis(**settings)(sources).image


def tie_of(background: np.ndarray, tie: float | str = "auto") -> float:
    sources = Sources(np.full((80, 80, 3), 0.5), background, 0.5)
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


def test_a_factor_of_the_foreground_leaves_no_seam(rng) -> None:
    f = (0.4 + 0.2 * rng.random((60, 50, 3))).astype(np.float32)
    alpha = np.ones((60, 50))
    alpha[20:40, 15:35] = 0.0
    found = VariationalOsmosis(**BARE, eta=0.0)(Sources(f, 0.3 * f, alpha)).image
    np.testing.assert_allclose(found, f, atol=2e-3)


def test_the_tie_depends_on_the_bands() -> None:
    assert tie_of(np.full((80, 80), 0.5)) == pytest.approx(4.0)
    assert tie_of(np.full((80, 80, 3), 0.5)) == MOST_TIE
    assert tie_of(np.full((80, 80, 3), 0.5), 7.0) == 7.0
    with pytest.raises(SettingError, match=r"^tie"):
        Seamless(0.0)


def test_what_was_chosen_is_recorded() -> None:
    scene = gallery.gold_leaf((80, 80), 0)
    sources = Sources(scene.foreground, scene.background, scene.alpha)
    fusion = VariationalOsmosis(**BARE)(sources)
    assert fusion.chosen["tie"] == pytest.approx(4.0)
    again = VariationalOsmosis(**BARE, tie=4.0)(sources)
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
