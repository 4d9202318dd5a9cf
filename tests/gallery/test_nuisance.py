"""Nuisances by name: in every scene, the same alone and together, refused with the fix."""

from __future__ import annotations

import inspect

import numpy as np
import pytest

from osmofuse import InputError, gallery
from osmofuse.gallery import nuisance
from osmofuse.gallery.nuisance import strengths, stroke_width
from osmofuse.gallery.wear import NUISANCES

SHAPE = (60, 45)
SCENES = [name for name in gallery.__all__ if name[0].islower()]


def with_(scene_name, nuisances, shape=(120, 90), seed=3):
    return getattr(gallery, scene_name)(shape, seed, nuisance=nuisances)


@pytest.mark.parametrize("name", SCENES)
def test_every_scene_takes_all_nuisances_and_keeps_its_form(name):
    plain, hard = with_(name, (), SHAPE), with_(name, ("all", "wide"), SHAPE)
    for part in ("foreground", "truth"):
        x = getattr(hard, part)
        assert x.shape == getattr(plain, part).shape
        assert x.dtype == np.float32
        assert 0 <= x.min() <= x.max() <= 1
    again = with_(name, ("wide", "all"), SHAPE)
    assert np.array_equal(hard.foreground, again.foreground)


@pytest.mark.parametrize("name", SCENES)
def test_the_argument_is_by_name_and_none_by_default(name):
    parameter = inspect.signature(getattr(gallery, name)).parameters["nuisance"]
    assert parameter.kind is parameter.KEYWORD_ONLY
    assert parameter.default == ()


@pytest.mark.parametrize("name", sorted(NUISANCES))
def test_a_name_alone_has_the_default_strength(name):
    kind = NUISANCES[name]
    one = with_("gold_leaf", (name, kind.default))
    again = with_("gold_leaf", [name])
    assert np.array_equal(one.background, again.background)
    assert np.array_equal(one.foreground, again.foreground)


def test_order_of_the_list_does_not_matter_and_company_changes_nothing():
    two = with_("manuscript", ["blur", ("gain", 0.4)])
    assert np.array_equal(two.background, with_("manuscript", [("gain", 0.4), "blur"]).background)
    noise = with_("manuscript", "noise").foreground
    assert np.array_equal(noise, with_("manuscript", ["noise", "gain"]).foreground)


def test_all_has_every_nuisance_that_does_not_exclude_another():
    assert set(strengths("all")) == set(NUISANCES) - {"wide", "fine"}
    assert stroke_width("all") is None
    assert stroke_width(["blur", ("fine", 3)]) == 3


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ("nois", "no nuisance is called 'nois' (did you mean 'noise'?)"),
        (("noise", 0.6), "must be 0 to 0.5"),
        (("noise", float("nan")), "must be 0 to 0.5"),
        (("dark", 0.5), "has no strength"),
        (["gain", "dark"], "'gain' is asked for twice"),
        (["wide", "fine"], "exclude each other"),
        (None, "or () for none"),
        ({"noise": 0.1, "blur": 1}, "a sequence of them"),
        ([3], "a sequence of them"),
        (b"noise", "a sequence of them"),
        ([("noise",)], "a name and its strength"),
        ([("noise", "0.04")], "must be 0 to 0.5"),
        (("noise", np.array([0.1])), "must be 0 to 0.5"),
        (("blur", True), "must be 0 to 10"),
        (("noise", 10**400), "must be 0 to 0.5"),
    ],
)
def test_what_cannot_be_used_is_refused_with_the_fix(given, words):
    with pytest.raises(InputError) as caught:
        gallery.manuscript((40, 30), nuisance=given)
    assert words in str(caught.value)


def test_the_docstring_lists_every_nuisance_with_its_default_and_range():
    listed = nuisance.__doc__
    for name, kind in NUISANCES.items():
        assert name in listed
        assert f"{kind.least:g} to {kind.most:g}" in listed
