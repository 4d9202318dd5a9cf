"""Pictures as planes in the foreground's channels."""

from __future__ import annotations

import numpy as np
import pytest

from osmofuse import Sources, VariationalOsmosis
from osmofuse.methods.layers import OFFSET, Layers, chromatic_mean


@pytest.fixture
def colour(rng):
    return rng.random((6, 5, 3))


def test_bands_get_the_offset_of_variational_osmosis():
    assert VariationalOsmosis().offset == OFFSET


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_planes_are_those_of_the_sources(colour, rng, dtype):
    b, alpha = rng.random((6, 5, 3)), rng.random((6, 5))
    layers = Layers(Sources(colour, b, alpha), "keep", dtype)
    for c in range(3):
        assert np.array_equal(layers.image(0, c), colour[..., c].astype(dtype))
        assert np.array_equal(layers.image(1, c), b[..., c].astype(dtype))
        assert np.array_equal(layers.weight(0, c), alpha.astype(dtype))
        assert layers.image(1, c).dtype == layers.weight(1, c).dtype == dtype


def test_the_geometric_mean_of_the_channels(colour):
    mean = chromatic_mean(Sources(colour, colour), 0.2, np.float64)
    np.testing.assert_allclose(mean, np.cbrt((colour + 0.2).prod(axis=2)), rtol=1e-14)


def test_a_band_takes_the_foregrounds_chromaticity(colour, rng):
    band = rng.random((6, 5))
    layers = Layers(
        Sources(colour, [colour[..., ::-1], band], [0.5, 0.25, 0.25]), "keep", np.float64
    )
    for c in range(3):
        assert np.array_equal(layers.image(1, c), colour[..., 2 - c]), "it has colours of its own"
        expected = (band + 1) * (colour[..., c] + 1) / np.cbrt((colour + 1).prod(axis=2)) - 1
        np.testing.assert_allclose(layers.image(2, c), expected, rtol=1e-12)


def test_of_a_grey_foreground_a_band_takes_nothing(rng):
    grey, band = np.repeat(rng.random((6, 5, 1)), 3, axis=2), rng.random((6, 5))
    layers = Layers(Sources(grey, band), "keep", np.float64)
    np.testing.assert_allclose(layers.image(1, 2), band, atol=1e-14)


def test_a_band_is_repeated_if_asked(colour, rng):
    band = rng.random((6, 5))
    layers = Layers(Sources(colour, band), "repeat", np.float64)
    assert all(np.array_equal(layers.image(1, c), band) for c in range(3))


@pytest.mark.parametrize("band", ["keep", "repeat"])
@pytest.mark.parametrize("bands", [1, 3])
def test_the_foreground_stands_in_where_a_background_is_not_valid(colour, rng, band, bands):
    b, valid = rng.random((6, 5, bands)), rng.random((6, 5)) < 0.5
    known = Layers(Sources(colour, b), band, np.float64)
    b = np.where(valid[..., None], b, np.nan)
    layers = Layers(Sources(colour, b, 0.5, valid), band, np.float64)
    for c in range(3):
        assert np.array_equal(layers.image(1, c)[~valid], colour[~valid, c])
        assert np.array_equal(layers.image(1, c)[valid], known.image(1, c)[valid])
        assert np.array_equal(layers.image(0, c), colour[..., c])


def test_the_grey_of_three_channels_is_the_luma_and_of_others_the_mean(colour, rng):
    b, band = rng.random((6, 5, 3)), rng.random((6, 5))
    layers = Layers(Sources(colour, [b, band], [0.5, 0.25, 0.25]), "repeat", np.float64)
    np.testing.assert_allclose(layers.grey(0), colour @ [0.299, 0.587, 0.114], rtol=1e-14)
    np.testing.assert_allclose(layers.grey(1), b @ [0.299, 0.587, 0.114], rtol=1e-14)
    np.testing.assert_allclose(layers.grey(2), band, rtol=1e-14)
    for bands in (1, 2, 4):
        f = rng.random((6, 5, bands))
        grey = Layers(Sources(f, f), "repeat", np.float64).grey(0)
        np.testing.assert_allclose(grey, f.mean(axis=2), rtol=1e-14)


def test_what_is_near_a_hole_is_not_a_backgrounds_own():
    valid = np.ones((5, 6), bool)
    valid[1, 4] = False
    ones = np.ones((5, 6))
    layers = Layers(Sources(ones, ones, valid=valid), "repeat", np.float64)
    expected = np.ones((5, 6), bool)
    expected[:3, 3:] = False
    assert np.array_equal(layers.is_own(1, radius=1), expected)
    assert np.array_equal(layers.is_own(1, radius=0), valid)
    assert layers.is_own(0, radius=1) is True
    assert Layers(Sources(ones, ones), "repeat", np.float64).is_own(1, radius=1) is True


def test_planes_are_new(colour):
    layers = Layers(Sources(colour, colour), "keep", np.float64)
    layers.image(0, 0)[...] = 7.0
    layers.image(1, 0)[...] = 7.0
    assert colour.max() <= 1.0
