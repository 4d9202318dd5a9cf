"""Fusion holds what a method found; protocols tell what methods can do."""

from __future__ import annotations

import math
from dataclasses import FrozenInstanceError, replace

import numpy as np
import pytest

import osmofuse
from osmofuse import Fusion, Picture, SettingError, Sources, VariationalOsmosis
from osmofuse.methods import METHODS
from osmofuse.methods.contract import (
    Extendable,
    finds_structure,
    is_preparable,
    is_replayable,
    needs_soft_map,
)

F = np.full((4, 5, 3), 0.5)
B = np.full((4, 5, 3), 0.25)


def test_a_fusion_is_frozen():
    fusion = Fusion(F, None, None, None, (), "direct", 0.0, None)
    with pytest.raises(FrozenInstanceError):
        fusion.image = B


def test_a_fusion_shows_its_picture_and_says_how_it_ended(rng):
    f, b = rng.random((2, 6, 9, 3))
    fusion = osmofuse.fuse(f, b, method="direct")
    assert repr(fusion) == "Fusion(9 × 6, 3 bands, float64, direct)"
    assert fusion._repr_png_() == Picture(fusion.image)._repr_png_()
    assert fusion._repr_png_()[1:4] == b"PNG"
    broken = replace(fusion, image=np.full((2, 2), np.nan))
    assert broken._repr_png_() is None


def capable(ask):
    return {name for name, method in METHODS.items() if ask(method())}


def test_capabilities_are_told_by_what_a_method_offers():
    assert capable(lambda method: isinstance(method, Extendable)) == {
        "variational",
        "linear-osmosis",
        "anisotropic-osmosis",
        "nonlinear-osmosis",
    }
    assert capable(needs_soft_map) == {"variational", "direct", "spectral-tv"}
    for ask in (is_replayable, is_preparable, finds_structure):
        assert capable(ask) == {"variational"}


@pytest.mark.parametrize("settings", [{"solver": "ipiano"}, {"reach": math.inf}])
def test_settings_decide_whether_there_is_a_plan(settings):
    method = VariationalOsmosis(**settings)
    assert not is_replayable(method)
    with pytest.raises(SettingError):
        method.plan(Sources(F, B))


def test_settings_decide_whether_pictures_are_made_ready_once():
    assert is_preparable(VariationalOsmosis(reach=math.inf))
    assert not is_preparable(VariationalOsmosis(solver="ipiano"))
    assert finds_structure(VariationalOsmosis(solver="ipiano"))


def test_a_method_of_ones_own_can_be_extended():
    class Brighter:
        def __call__(self, sources, *, watch=None):
            return Fusion(sources.foreground, method=self)

        def extend(self, fusion, reach, *, watch=None):
            return Fusion(fusion.image + reach, method=self)

    assert Brighter()(Sources(F, B)).extend(0.25).image == pytest.approx(F + 0.25)
