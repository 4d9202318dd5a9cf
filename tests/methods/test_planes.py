"""Pictures as planes in the foreground's channels: bands, starts, weights."""

from __future__ import annotations

import math

import numpy as np
import pytest

from osmofuse import InputError, Sources, VariationalOsmosis
from osmofuse.methods.planes import OFFSET, Layers, chromatic_mean


@pytest.fixture
def pair(rng):
    return rng.uniform(0.05, 1.0, (2, 6, 5, 3))


@pytest.fixture
def alpha(rng):
    alpha = rng.random((6, 5))
    alpha[:2] = 1.0
    alpha[-2:] = 0.0
    return alpha


def first(sources, **settings):
    """Return the model and the start of the first channel."""
    return next(problems(sources, VariationalOsmosis(**settings)))


def problems(sources, settings):
    """Yield the model, u and v of each channel."""
    for model, channel in settings.models(sources):
        yield model, channel.start, channel.w


@pytest.mark.parametrize("offset", [0, 0.1, 1])
def test_the_target_is_the_geometric_mean_on_the_offset_range(pair, alpha, offset):
    f, b = pair + offset
    sources = Sources(*pair, alpha)
    for c, (model, _, v) in enumerate(problems(sources, VariationalOsmosis(offset=offset))):
        expected = np.exp(alpha * np.log(f[..., c]) + (1 - alpha) * np.log(b[..., c]))
        np.testing.assert_allclose(model.structure.target, expected, rtol=1e-14)
        assert np.array_equal(v, model.structure.target)


def test_the_weights_are_those_of_the_settings(pair, alpha):
    model, _, _ = first(Sources(*pair, alpha), mu=7, gamma=3, eta=0.2, epsilon=0.3)
    assert model.structure.weight == 7
    np.testing.assert_array_equal(model.fidelity.weight, 3 * alpha)
    np.testing.assert_array_equal(model.fidelity.target, pair[0, ..., 0] + 1)
    assert (model.regulariser.eta, model.regulariser.epsilon) == (0.2, 0.3)


def test_infinite_gamma_weighs_only_where_alpha_is_one(pair, alpha):
    model, _, _ = first(Sources(*pair, alpha), gamma=math.inf)
    assert np.array_equal(model.fidelity.weight, np.where(alpha == 1, math.inf, 0))


def test_start_foreground(pair, alpha):
    _, u, _ = first(Sources(*pair, alpha), start="foreground")
    assert np.array_equal(u, pair[0, ..., 0] + 1)


def test_start_composite(pair, alpha):
    _, u, _ = first(Sources(*pair, alpha), start="composite")
    f, b = pair[..., 0] + 1
    np.testing.assert_allclose(u, alpha * f + (1 - alpha) * b, rtol=1e-15)


def test_start_means(pair, alpha):
    _, u, _ = first(Sources(*pair, alpha), start="means")
    f, b = pair[..., 0] + 1
    of_f, of_b = np.average(f, weights=alpha), np.average(b, weights=1 - alpha)
    np.testing.assert_allclose(u, alpha * of_f + (1 - alpha) * of_b, rtol=1e-14)


@pytest.mark.parametrize("value", [0.0, 1.0])
def test_start_means_where_one_picture_has_no_part(pair, value):
    _, u, _ = first(Sources(*pair, value), start="means")
    kept = pair[0 if value else 1, ..., 0] + 1
    np.testing.assert_allclose(u, kept.mean(), rtol=1e-14)


def test_several_backgrounds_multiply(rng, pair):
    alphas = [0.5, 0.3, 0.2]
    third = rng.random((6, 5, 3))
    model, u, _ = first(Sources(pair[0], [pair[1], third], alphas), start="composite")
    planes = np.stack([pair[0], pair[1], third])[..., 0] + 1
    weights = np.array(alphas)[:, None, None]
    np.testing.assert_allclose(model.structure.target, np.prod(planes**weights, 0), rtol=1e-14)
    np.testing.assert_allclose(u, np.sum(planes * weights, 0), rtol=1e-14)
    np.testing.assert_array_equal(model.fidelity.weight, np.full((6, 5), 0.5))


@pytest.mark.parametrize("offset", [0, 1])
def test_band_keep_carries_the_chromaticity_of_the_foreground(pair, offset):
    f, b = pair[0] + offset, pair[1, ..., 0] + offset
    chromaticity = f / np.cbrt(f.prod(axis=2, keepdims=True))
    sources = Sources(pair[0], pair[1, ..., 0], 0.0)
    for c, (model, _, _) in enumerate(problems(sources, VariationalOsmosis(offset=offset))):
        expected = b * chromaticity[..., c]
        np.testing.assert_allclose(model.structure.target, expected, rtol=1e-13)


def test_only_the_band_among_backgrounds_takes_the_chromaticity(pair):
    f, b = pair + 1
    chromaticity = f / np.cbrt(f.prod(axis=2, keepdims=True))
    sources = Sources(pair[0], [pair[1], pair[1, ..., 0]], [0.0, 0.5, 0.5])
    for c, (model, _, _) in enumerate(problems(sources, VariationalOsmosis())):
        expected = np.sqrt(b[..., c] * b[..., 0] * chromaticity[..., c])
        np.testing.assert_allclose(model.structure.target, expected, rtol=1e-13)


def test_band_repeat_takes_the_band_itself(pair):
    sources = Sources(pair[0], pair[1, ..., :1], 0.0)
    for model, _, _ in problems(sources, VariationalOsmosis(band="repeat")):
        np.testing.assert_array_equal(model.structure.target, pair[1, ..., 0] + 1)


@pytest.mark.parametrize("band", ["keep", "repeat"])
def test_one_band_each_is_no_matter_of_chromaticity(pair, band):
    sources = Sources(pair[0, ..., 0], pair[1, ..., 0], 0.0)
    model, _, _ = first(sources, band=band)
    np.testing.assert_array_equal(model.structure.target, pair[1, ..., 0] + 1)


@pytest.mark.parametrize(("source", "name"), [(0, "foreground"), (1, "background")])
@pytest.mark.parametrize("band", ["keep", "repeat"])
@pytest.mark.parametrize("bands", [1, 3])
def test_without_offset_no_sample_may_be_zero(pair, source, name, band, bands):
    pair[source, 2, 3, 0] = 0.0
    sources = Sources(pair[0], pair[1, ..., :bands])
    with pytest.raises(InputError, match=rf"^{name}: .*offset"):
        list(problems(sources, VariationalOsmosis(offset=0, band=band)))
    assert len(list(problems(sources, VariationalOsmosis(offset=1e-3, band=band)))) == 3


def test_without_offset_what_is_not_valid_may_be_zero(pair):
    valid = np.ones((6, 5), bool)
    valid[2, 3] = False
    pair[1, 2, 3] = 0.0
    model, u, _ = first(Sources(*pair, 0.5, valid), offset=0, start="composite")
    assert model.structure.target[2, 3] == u[2, 3] == pair[0, 2, 3, 0]


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
    twice = Layers(Sources(colour, [b, b], [0.5, 0.25, 0.25], valid), band, np.float64)
    for c in range(3):
        assert np.array_equal(twice.image(2, c), layers.image(1, c))
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


def test_band_coarse_takes_the_colour_of_the_ground_where_the_foreground_has_ink():
    f = np.full((64, 64, 3), (0.8, 0.7, 0.5), np.float32)
    f[20:24, 10:54] = (0.1, 0.1, 0.4)
    b = np.full((64, 64), 0.6, np.float32)
    images = {
        band: VariationalOsmosis(band=band, start="target", gamma=0.0, reach=0.01, eta=0.0)(
            Sources(f, b, 0.0)
        ).image
        for band in ("keep", "coarse")
    }
    np.testing.assert_allclose(images["coarse"][50], images["keep"][50], atol=1e-3)
    paper, ink = images["coarse"][50, 30], images["coarse"][22, 30]
    np.testing.assert_allclose(ink, paper, atol=0.01)
    assert np.abs(images["keep"][22, 30] - paper).max() > 0.1
