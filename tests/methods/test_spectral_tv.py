"""Spectral fusion: which bands come from where. The paper's value is in `test_table_one.py`."""

import numpy as np
import pytest

import osmofuse
from osmofuse import SettingError, Sources, SpectralTV, Status
from osmofuse.optimise.spectrum import decompose

variants = pytest.mark.parametrize("coupled", [False, True])


@pytest.fixture
def pair(rng):
    return rng.random((2, 19, 23, 3))


@pytest.fixture
def alpha(rng):
    alpha = rng.random((19, 23))
    alpha[:6], alpha[12:, 9:] = 1.0, 0.0
    return alpha


@variants
@pytest.mark.parametrize("transform", ["inverse", "flow"])
def test_all_bands_of_one_picture_are_that_picture(pair, alpha, coupled, transform):
    f, b = pair
    options = {"coupled": coupled, "transform": transform, "accuracy": 0.1}
    own = SpectralTV(foreground_weights=(1.0,), background_weights=(0.0,), **options)
    assert np.array_equal(own(Sources(f, b, alpha)).image, f)
    other = SpectralTV(foreground_weights=(0.0,), background_weights=(1.0,), **options)
    expected = alpha[..., None] * f + (1 - alpha[..., None]) * b
    np.testing.assert_allclose(other(Sources(f, b, alpha)).image, expected, atol=1e-14)


@variants
def test_where_alpha_is_one_the_foreground_keeps_its_bits(rng, coupled):
    f, b = rng.integers(0, 256, (2, 19, 23, 3), np.uint8)
    alpha = np.ones((19, 23))
    alpha[5:9, 3:20] = 0.0
    u = SpectralTV(coupled=coupled)(Sources(f, b, alpha)).image
    kept = f.astype(np.float32) / np.float32(255)
    assert np.array_equal(u[alpha == 1], kept[alpha == 1])
    assert not np.array_equal(u[alpha == 0], kept[alpha == 0])


@variants
def test_bands_are_taken_by_their_weights(pair, coupled):
    f, b = pair
    method = SpectralTV(
        bands=4, foreground_weights=(1.0, 0.5, 0.0), background_weights=(0, 0.5, 1), coupled=coupled
    )
    expected = np.empty_like(f)
    for group in [[0, 1, 2]] if coupled else [[0], [1], [2]]:
        split = [decompose(np.moveaxis(x[..., group], -1, 0).copy(), method.scales) for x in (f, b)]
        sum_ = split[0].filtered([1, 0.5, 0, 0]) + split[1].filtered([0, 0.5, 1, 1])
        expected[..., group] = np.moveaxis(sum_, 0, -1)
    np.testing.assert_allclose(method(Sources(f, b, 0.0)).image, expected, atol=1e-13)


def test_scales_are_spaced_geometrically():
    times = SpectralTV().scales.times
    assert (len(times), times[0], times[-1]) == (11, pytest.approx(0.005), pytest.approx(1.5))
    np.testing.assert_allclose(np.diff(np.log(times)), np.log(300) / 10)
    assert SpectralTV(bands=2).scales.times == [pytest.approx(1.5)]


def test_the_fusion_has_the_foregrounds_mean_and_the_backgrounds_texture(rng):
    f, b = np.full((40, 40), 0.7), 0.2 + 0.05 * rng.random((40, 40))
    u = SpectralTV()(Sources(f, b, 0.0)).image
    assert u.mean() == pytest.approx(0.7, abs=1e-12)
    np.testing.assert_allclose(u - 0.7, b - b.mean(), atol=5e-3)


def test_several_backgrounds_enter_by_their_weights(pair, rng):
    f, b = pair
    c = rng.random(f.shape)
    maps = [0.5, 0.25, 0.25]
    together = SpectralTV()(Sources(f, (b, c), maps)).image
    parts = [SpectralTV()(Sources(f, x, 0.0)).image for x in (b, c)]
    np.testing.assert_allclose(together, f / 2 + sum(parts) / 4, atol=1e-12)


def test_coupling_is_something_else(pair):
    f, b = pair
    images = [SpectralTV(coarsest=0.05, coupled=c)(Sources(f, b, 0.0)).image for c in (False, True)]
    assert np.abs(images[0] - images[1]).max() > 0.01
    grey = [SpectralTV(coupled=c)(Sources(f[..., 0], b[..., 0], 0.0)).image for c in (False, True)]
    assert np.array_equal(*grey)


def test_what_was_not_found_in_time_is_said(pair):
    assert SpectralTV()(Sources(*pair, 0.0)).status is Status.converged
    assert SpectralTV(accuracy=1e-9, max_iter=20)(Sources(*pair, 0.0)).status is Status.max_iter


def test_by_its_name(pair):
    assert osmofuse.fuse(*pair, 0.5, method="spectral-tv", bands=3).method == SpectralTV(bands=3)


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"bands": 1}, "bands: 1; must be a whole number from 2"),
        ({"finest": 0.0}, "finest: 0.0; must be a number from 1e-06"),
        ({"coarsest": 0.001}, "coarsest: 0.001; must be above finest"),
        ({"foreground_weights": ()}, "foreground_weights: ()"),
        ({"background_weights": 1.0}, "background_weights: 1.0"),
        ({"background_weights": "11"}, "background_weights: '11'"),
        ({"foreground_weights": (1.0,) * 4, "bands": 3}, "4 numbers for 3 bands"),
        ({"foreground_weights": (float("nan"),)}, "foreground_weights: nan"),
        ({"transform": "fourier"}, "transform: 'fourier'"),
        ({"coupled": 1}, "coupled: 1"),
        ({"accuracy": 0}, "accuracy: 0"),
        ({"max_iter": 0}, "max_iter: 0"),
        ({"band": "grey"}, "band: 'grey'"),
    ],
)
def test_settings_that_make_no_sense_are_refused(settings, words):
    with pytest.raises(SettingError) as caught:
        SpectralTV(**settings)
    assert words in str(caught.value)
