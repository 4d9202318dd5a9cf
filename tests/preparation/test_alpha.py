"""Alpha maps: what they may be, and the paper's blur."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.ndimage import gaussian_filter

import osmofuse
from osmofuse import InputError, SettingError
from osmofuse.picture import Picture
from osmofuse.preparation import as_alpha, soften


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_bools_become_zero_and_one(dtype):
    alpha = as_alpha(np.array([[True, False]]), dtype=dtype)
    assert alpha.dtype == dtype
    assert alpha.tolist() == [[1.0, 0.0]]


@pytest.mark.parametrize("dtype", [np.uint8, np.uint16, np.int8, np.int16, np.uint32, np.int64])
def test_integers_are_divided_by_the_maximum_of_their_type(dtype):
    top = np.iinfo(dtype).max
    alpha = as_alpha(np.array([[0, top // 4, top]], dtype))
    np.testing.assert_allclose(alpha, [[0.0, (top // 4) / top, 1.0]], rtol=1e-15)


@pytest.mark.parametrize("dtype", [np.uint8, np.uint16, np.int8, np.int32, np.int64, np.uint64])
def test_an_integer_map_up_to_one_is_a_mask(dtype):
    assert as_alpha(np.array([[0, 1, 1]], dtype)).tolist() == [[0.0, 1.0, 1.0]]
    assert as_alpha(np.zeros((1, 2), dtype)).tolist() == [[0.0, 0.0]]


def test_a_map_of_8_bits_is_not_stretched():
    assert as_alpha(np.array([[0, 2]], np.uint8)).tolist() == [[0.0, 2 / 255]]
    assert as_alpha(np.array([[0.25, 0.5]])).tolist() == [[0.25, 0.5]]


@pytest.mark.parametrize("value", [0, 1, 0.0, 0.25, 1.0, True, np.float32(0.5)])
def test_a_number_is_a_map(value):
    assert as_alpha(value).shape == ()
    assert as_alpha(value) == float(value)


def test_lists_are_maps():
    assert as_alpha([[0, 1], [0.5, 0.25]]).tolist() == [[0.0, 1.0], [0.5, 0.25]]


def test_the_result_is_new(rng):
    given_ = rng.random((3, 4))
    before = given_.copy()
    as_alpha(given_)[:] = 7.0
    assert np.array_equal(given_, before)


@pytest.mark.parametrize(
    ("alpha", "words"),
    [
        ([[0.5, 1.5]], "from 0.5 to 1.5 leave"),
        ([[-0.5, 0.5]], "leave"),
        ([[0.0, 255.0]], "divide by 255"),
        ([[math.nan, 0.5]], "NaN or infinite"),
        ([[0.5, math.inf]], "NaN or infinite"),
        ([[]], "empty"),
        (np.array([[0, -1]]), "negative"),
        (np.array([[0, -1]], np.int8), "negative"),
        (np.array([[0, 255]]), "convert it to uint8 or uint16"),
        (np.array([[0, 255]], np.int32), "convert it to uint8 or uint16"),
        (np.array([[0, 65535]], np.int64), "convert it to uint8 or uint16"),
        (2, "must lie in [0, 1]"),
        ([["a"]], "type"),
        ([[1j]], "type"),
        (None, "type"),
    ],
)
def test_all_else_is_refused_by_name(alpha, words):
    with pytest.raises(InputError) as caught:
        as_alpha(alpha, name="alpha[1]")
    assert str(caught.value).startswith("alpha[1]: ")
    assert words in str(caught.value)


def test_a_map_hidden_in_transparency_is_not_guessed():
    mask = Picture(np.full((3, 4, 4), 255, np.uint8), transparency=True)
    with pytest.raises(InputError, match=r"pixels\[\.\.\., -1\]"):
        as_alpha(mask)
    grey = Picture(np.full((3, 4), 255, np.uint8))
    np.testing.assert_array_equal(as_alpha(grey), 1.0)


def test_ragged_lists_are_refused():
    with pytest.raises(InputError, match=r"^alpha: "):
        as_alpha([[0.5], [0.5, 0.5]])


@pytest.mark.parametrize("shape", [(23, 31), (23, 31, 3), (4, 40)])
def test_soften_is_the_papers_blur(rng, shape):
    kept = rng.random(shape) < 0.5
    sigma = (5, 5, 0)[: len(shape)]
    expected = gaussian_filter(kept.astype(float), sigma, truncate=2, mode="nearest")
    np.testing.assert_allclose(soften(kept), expected, rtol=1e-13)
    np.testing.assert_allclose(soften(kept, 5), expected, rtol=1e-13)


def blurred_by_hand(x, sigma):
    """Blur a row by the explicit kernel of radius ceil(2 sigma), borders replicated."""
    radius = math.ceil(2 * sigma)
    kernel = np.array([math.exp(-(t**2) / (2 * sigma**2)) for t in range(-radius, radius + 1)])
    kernel /= kernel.sum()
    padded = np.concatenate([[x[0]] * radius, x, [x[-1]] * radius])
    return np.array([kernel @ padded[i : i + len(kernel)] for i in range(len(x))])


@pytest.mark.parametrize("sigma", [0.4, 1.1, 1.5, 2.6])
def test_soften_has_the_radius_of_two_sigma_rounded_up(rng, sigma):
    alpha = rng.random((9, 11))
    rows = np.apply_along_axis(blurred_by_hand, 0, alpha, sigma)
    expected = np.apply_along_axis(blurred_by_hand, 1, rows, sigma)
    np.testing.assert_allclose(soften(alpha, sigma), expected, rtol=1e-13)


def test_soften_by_nothing_changes_nothing(rng):
    alpha = rng.random((4, 5))
    assert np.array_equal(soften(alpha, 0), alpha)
    assert np.array_equal(soften(alpha > 0.5, 0.0), alpha > 0.5)


@settings(max_examples=40)
@given(sigma=st.floats(0.01, 20), rows=st.integers(1, 12), cols=st.integers(1, 12))
def test_a_softened_map_is_a_map(sigma, rows, cols):
    """All ones may not become 1 + 1e-16: no one would take it for a map any more."""
    alpha = soften(np.ones((rows, cols)), sigma)
    np.testing.assert_allclose(alpha, 1.0, rtol=1e-14)
    assert as_alpha(alpha) is not None


def test_a_softened_mask_keeps_its_inside():
    """Deep inside a mask alpha stays exactly 1, or gamma = inf could hold nothing."""
    kept = np.zeros((30, 40), bool)
    kept[:, :25] = True
    alpha = soften(kept, 5)
    assert (alpha[:, :15] == 1.0).all()
    assert (alpha[:, 35:] == 0.0).all()
    assert (np.diff(alpha[0, 14:36]) < 0).all()


@pytest.mark.parametrize("sigma", [np.float32(2), np.float64(2), np.int64(2), 2])
def test_sigma_may_be_any_number(sigma):
    kept = np.eye(9, dtype=bool)
    assert np.array_equal(soften(kept, sigma), soften(kept, 2.0))


@pytest.mark.parametrize("sigma", [-1, math.nan, math.inf, "5", None])
def test_bad_sigma(sigma):
    with pytest.raises(SettingError, match=r"^sigma: "):
        soften(np.ones((3, 3)), sigma)


@pytest.mark.parametrize("alpha", [0.5, np.ones(3), np.ones((1, 3, 3, 1))])
def test_soften_needs_a_picture(alpha):
    with pytest.raises(InputError, match=r"^alpha: shape"):
        soften(alpha)


def test_the_package_offers_it():
    assert osmofuse.soften is soften
