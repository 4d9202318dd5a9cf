"""Recipes on arrays: what is fused or compared is what they say, less what is given.

Where recipes are found, and what they gain on files, is in `jobs/test_recipe.py`.
"""

from __future__ import annotations

import numpy as np
import pytest

import osmofuse
from osmofuse import SettingError, gallery

OWN = """format = 1
name = "own"
title = "Own"
for = "tests"
[input]
levels = "match"
[alpha]
from = "map"
soften = "2 %"
[method]
reach = "5 %"
eta = 0.3
"""


@pytest.fixture(scope="module")
def scene():
    return gallery.portrait(shape=(36, 30))


@pytest.fixture
def own(tmp_path):
    (tmp_path / "own.toml").write_text(OWN, encoding="utf-8")
    return osmofuse.recipe(tmp_path / "own.toml")


def images(found):
    return {one.name: one.fusion.image for one in found}


def test_each_is_compared_as_the_recipe_fuses(own, scene):
    pair = scene.foreground, scene.background
    found = own.compare(*pair, scene.alpha, methods=["variational", "direct"], metrics="fmi")
    made = images(found)
    np.testing.assert_array_equal(made["variational"], own.fuse(*pair, scene.alpha).image)
    direct = own.fuse(*pair, scene.alpha, method="direct").image
    np.testing.assert_array_equal(made["direct"], direct)
    assert found[0].fusion.method.eta == 0.3
    assert list(found[0].scores) == ["fmi"]


def test_what_is_given_wins(own, scene):
    pair = scene.foreground, scene.background
    methods = {"as it says": "variational", "mine": osmofuse.VariationalOsmosis(reach=2)}
    made = images(own.compare(*pair, scene.alpha, methods=methods, soften=0.0, levels="as-is"))
    said = own.fuse(*pair, scene.alpha, soften=0.0, levels="as-is").image
    np.testing.assert_array_equal(made["as it says"], said)
    np.testing.assert_array_equal(made["mine"], osmofuse.fuse(*pair, scene.alpha, reach=2).image)


def test_by_default_all_of_ours_are_compared(own, scene):
    from osmofuse.methods import METHODS

    pair = osmofuse.Picture(scene.foreground), scene.background
    found = own.compare(*pair, 0.5, metrics=())
    assert [one.name for one in found] == list(METHODS)
    assert found[0].fusion.method.eta == 0.3


def test_a_map_that_is_missing_is_refused(own, scene):
    with pytest.raises(SettingError, match="the recipe 'own' needs a map"):
        own.compare(scene.foreground, scene.background)
