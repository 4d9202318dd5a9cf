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
    np.testing.assert_array_equal(
        made["mine"], osmofuse.fuse(*pair, scene.alpha, reach=2, target="product").image
    )


def test_by_default_all_of_ours_are_compared(own, scene):
    from osmofuse.methods import METHODS

    pair = osmofuse.Picture(scene.foreground), scene.background
    found = own.compare(*pair, 0.5, metrics=())
    assert [one.name for one in found] == list(METHODS)
    assert found[0].fusion.method.eta == 0.3


def test_a_map_that_is_missing_is_refused(own, scene):
    with pytest.raises(SettingError, match="the recipe 'own' needs a map"):
        own.compare(scene.foreground, scene.background)


def test_a_sweep_starts_where_the_recipe_is(own, scene):
    pair = scene.foreground, scene.background
    found = own.sweep(*pair, scene.alpha, mu=[10.0, 100.0])
    assert [(one.settings["mu"], one.settings["eta"]) for one in found] == [(10, 0.3), (100, 0.3)]
    for one in found:
        alone = own.fuse(*pair, scene.alpha, mu=one.settings["mu"])
        np.testing.assert_array_equal(one.fusion.image, alone.image)
    first, second = own.sweep(*pair, scene.alpha, eta=[0.3, 0.5], levels="as-is")
    np.testing.assert_array_equal(
        first.fusion.image, own.fuse(*pair, scene.alpha, levels="as-is").image
    )
    assert second.fusion.method.reach == first.fusion.method.reach == pytest.approx(1.643, abs=1e-3)


def test_another_method_does_not_have_the_recipes_settings(own, scene):
    pair = scene.foreground, scene.background
    (found,) = own.sweep(*pair, scene.alpha, method="direct")
    direct = own.fuse(*pair, scene.alpha, method="direct").image
    np.testing.assert_array_equal(found.fusion.image, direct)


def test_maps_are_blurred_and_numbers_are_not(own, scene):
    pair = scene.foreground, scene.background
    several = {"mine": scene.alpha, "half": 0.5}
    mine, half = own.sweep(*pair, several)
    np.testing.assert_array_equal(mine.fusion.image, own.fuse(*pair, scene.alpha).image)
    np.testing.assert_array_equal(half.fusion.image, own.fuse(*pair, 0.5).image)
    numbers = own.sweep(*pair, [0.5, 0.25])
    np.testing.assert_array_equal(numbers[0].fusion.image, half.fusion.image)
    with pytest.raises(SettingError, match="the recipe 'own' needs a map"):
        own.sweep(*pair, eta=[0.1])


def test_several_backgrounds_may_have_maps_and_numbers(own, scene):
    maps = [0.75 * scene.alpha, 0.25, 0.75 * (1 - scene.alpha)]
    backgrounds = [scene.background, scene.background]
    assert own.fuse(scene.foreground, backgrounds, maps).image.shape == scene.foreground.shape
