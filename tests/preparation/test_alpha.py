"""The paper's blur of an alpha map."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.ndimage import gaussian_filter

import osmofuse
from osmofuse import InputError, SettingError
from osmofuse.preparation import as_alpha, soften


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


@pytest.mark.parametrize("sigma", [5e-324, 1e-200, 0.009])
def test_a_blur_that_no_weight_can_hold_changes_nothing(rng, sigma):
    alpha = rng.random((4, 5))
    assert np.array_equal(soften(alpha, sigma), alpha)
    assert np.array_equal(soften(alpha, 0.01), alpha), "nor does the narrowest that is done"


@pytest.mark.parametrize("sigma", [-1, math.nan, math.inf, "5", None, True, 1001, 1e6, 10**400])
def test_bad_sigma(sigma):
    with pytest.raises(SettingError, match=r"^sigma: "):
        soften(np.ones((3, 3)), sigma)


@pytest.mark.parametrize("alpha", [0.5, np.ones(3), np.ones((1, 3, 3, 1))])
def test_soften_needs_a_picture(alpha):
    with pytest.raises(InputError, match=r"^alpha: shape"):
        soften(alpha)


def test_the_package_offers_it():
    assert osmofuse.soften is soften
