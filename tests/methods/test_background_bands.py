"""Backgrounds of several bands that are one picture."""

from __future__ import annotations

import numpy as np
import pytest

import osmofuse
from osmofuse import Sources, gallery
from osmofuse.methods import VariationalOsmosis
from osmofuse.methods.background_bands import averaged, shows_one_band, to_average
from osmofuse.methods.statistics import Statistics

SHAPE = (120, 90)
COLOUR = ("clone", "cloud", "portrait", "recolouring")
INFRARED = ("manuscript", "gold_leaf", "overwritten", "noisy_infrared")
MAPS = {
    "grey": lambda t: (t, t, t),
    "sepia": lambda t: (t**0.8, 0.9 * t, 0.7 * t**1.2),
    "hot": lambda t: (3 * t, 3 * t - 1, 3 * t - 2),
    "rainbow": lambda t: (1.5 - abs(4 * t - 3), 1.5 - abs(4 * t - 2), 1.5 - abs(4 * t - 1)),
}


def in_false_colour(b, name):
    return np.clip(np.stack(MAPS[name](b), axis=-1), 0.0, 1.0).astype(np.float32)


@pytest.mark.parametrize("nuisance", [(), "hard"])
@pytest.mark.parametrize("name", COLOUR)
def test_colour_pictures_keep_their_bands(name, nuisance):
    scene = getattr(gallery, name)(SHAPE, 5, nuisance=nuisance)
    assert not shows_one_band(Sources(scene.foreground, scene.background), 1)


@pytest.mark.parametrize("colours", MAPS)
@pytest.mark.parametrize("name", INFRARED)
def test_infrared_in_false_colour_is_one_picture(name, colours):
    scene = getattr(gallery, name)(SHAPE, 5)
    b = in_false_colour(scene.background, colours)
    assert shows_one_band(Sources(scene.foreground, b), 1)


def test_pictures_without_valid_pixels_keep_their_bands(rng):
    x = rng.random((20, 20, 3)).astype(np.float32)
    assert not shows_one_band(Sources(x, x, 0.5, np.zeros((20, 20), bool)), 1)


def test_what_is_asked_for_is_done(rng):
    f, b = rng.random((20, 20, 3)), rng.random((20, 20, 3))
    sources = Sources(f, [b, b[..., 0]], [0.5, 0.25, 0.25])
    assert to_average(sources, "all", Statistics()) == (False, False)
    assert to_average(sources, "one", Statistics()) == (True, False)
    assert to_average(Sources(f[..., 0], b[..., 0]), "one", Statistics()) == (False,)
    mean = averaged(sources, (True, False))
    np.testing.assert_allclose(mean.backgrounds[0], b.mean(axis=-1), rtol=1e-6)
    assert mean.backgrounds[1] is sources.backgrounds[1]
    assert averaged(sources, (False, False)) is sources


def test_the_decision_is_known_to_a_plan(rng):
    f, b = rng.random((20, 20, 3)), rng.random((20, 20, 3))
    assert to_average(Sources(f, b), "auto", Statistics({"one band 1": 1.0})) == (True,)


@pytest.mark.parametrize("solver", ["flow", "ipiano"])
def test_averaged_bands_fuse_as_the_band_itself(solver):
    scene = gallery.manuscript((30, 24), 1)
    f, b = scene.foreground, scene.background
    settings = {"solver": solver, "max_iter": 3}
    one = VariationalOsmosis(**settings)(Sources(f, b))
    bands = np.repeat(b[..., np.newaxis], 3, axis=-1)
    same = VariationalOsmosis(**settings, background_bands="auto")(Sources(f, bands))
    np.testing.assert_allclose(same.image, one.image, atol=1e-6)
    assert any("background_bands" in note for note in same.notes)
    assert not one.notes


def test_prepared_pictures_can_be_fused_with_all_their_bands():
    scene = gallery.cloud((30, 24), 1)
    sources = Sources(scene.foreground, scene.background, scene.alpha)
    prepared = VariationalOsmosis(background_bands="one").prepare(sources)
    np.testing.assert_array_equal(
        prepared.solve(background_bands="all").image, VariationalOsmosis()(sources).image
    )


def test_the_paper_s_model_takes_all_bands():
    assert VariationalOsmosis().background_bands == "all"
    with pytest.raises(osmofuse.OsmofuseError, match="background_bands: "):
        VariationalOsmosis(background_bands="three")
