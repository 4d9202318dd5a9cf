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
from osmofuse.maps import as_alpha, feather, grow, invert, soften
from osmofuse.maps.alpha import DEFAULT_FEATHER, kept_around_gaps


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


seeds, sides = st.integers(0, 999), st.integers(1, 9)


def largest_within(alpha, reach):
    """Look at every pair of pixels."""
    places = np.indices(alpha.shape).reshape(2, -1).T
    near = np.hypot(*np.moveaxis(places[:, None] - places[None], 2, 0)) <= reach
    return np.where(near, alpha.ravel(), 0.0).max(axis=1).reshape(alpha.shape)


@given(seed=seeds, rows=sides, cols=sides, reach=st.sampled_from([0.0, 0.5, 1.0, 1.5, 2.9, 20.0]))
def test_growing_takes_the_largest_value_within_reach(seed, rows, cols, reach):
    rng = np.random.default_rng(seed)
    for alpha in (rng.random((rows, cols)), (rng.random((rows, cols)) < 0.3).astype(float)):
        assert np.array_equal(grow(alpha, reach), largest_within(alpha, reach))


def test_shrinking_is_growing_of_the_rest(rng):
    kept = rng.random((12, 15)) < 0.7
    np.testing.assert_allclose(grow(kept, -1.5), 1 - grow(~kept, 1.5))
    assert grow(kept, -1.5).sum() < kept.sum() < grow(kept, 1.5).sum()


def test_channels_grow_for_themselves(rng):
    for maps in (rng.random((8, 9, 3)), rng.random((8, 9, 3)) < 0.2):
        grown = grow(maps, 2)
        for c in range(3):
            assert np.array_equal(grown[..., c], grow(maps[..., c], 2))


def test_a_feather_is_a_ramp_of_its_width_across_the_edge():
    kept = np.zeros((5, 40), bool)
    kept[:, 20:] = True
    ramp = feather(kept, 10)[2]
    np.testing.assert_allclose(ramp, np.clip(0.5 + (np.arange(40) - 19.5) / 10, 0, 1))
    assert np.array_equal(feather(kept, 0), kept)


@pytest.mark.parametrize("kept", [np.zeros((3, 4), bool), np.ones((3, 4), bool)])
def test_without_an_edge_there_is_nothing_to_feather(kept):
    assert np.array_equal(feather(kept, 5), kept)


def test_inverting_swaps_the_two(rng):
    alpha = rng.random((4, 5))
    assert np.array_equal(invert(alpha), 1 - alpha)
    assert np.array_equal(invert(np.array([[0, 255]], np.uint8)), [[1, 0]])


@pytest.mark.parametrize("bad", [math.nan, math.inf, "3", None, 10_001, 1e300, 10**400])
def test_bad_distances(bad):
    with pytest.raises(SettingError, match=r"^distance: "):
        grow(np.eye(3), bad)
    with pytest.raises(SettingError, match=r"^width: "):
        feather(np.eye(3), bad)


def test_a_soft_map_grows_a_little_only():
    soft, mask = np.full((3, 3), 0.5), np.eye(3)
    assert np.array_equal(grow(mask, 10_000), np.ones((3, 3)))
    for distance in (101, -101):
        with pytest.raises(SettingError, match="must be from -100 to 100 for a map"):
            grow(soft, distance)


def test_bad_maps():
    with pytest.raises(SettingError, match=r"^width: -1"):
        feather(np.eye(3), -1)
    for made in (lambda x: grow(x, 1), lambda x: feather(x, 1), invert):
        with pytest.raises(InputError, match=r"^alpha: shape"):
            made(np.ones(3))
    with pytest.raises(InputError, match=r"^alpha: shape"):
        feather(np.ones((3, 3, 3)), 1)


@pytest.mark.parametrize("shape", [(), (60, 70), (60, 70, 3)])
def test_the_map_rises_to_one_towards_a_gap_of_any_size(shape):
    for gap in ((slice(0, 60), slice(0, 9)), (30, 40)):
        valid = np.ones((60, 70), bool)
        valid[gap] = False
        (found,) = kept_around_gaps([np.full(shape, 0.25)], valid)
        assert found.shape == (60, 70, *shape[2:])
        line = found[30, 40 if gap == (30, 40) else 8 :]
        line = line if line.ndim == 1 else line[:, 0]
        assert line[0] == 1.0
        assert np.all(np.diff(line) <= 1e-6)
        assert line[1] > 0.9
        np.testing.assert_allclose(line[DEFAULT_FEATHER + 1 :], 0.25, atol=1e-6)


def test_it_never_lets_more_enter(rng):
    alpha, valid = rng.random((40, 30)), rng.random((40, 30)) > 0.01
    (found,) = kept_around_gaps([alpha], valid)
    assert (found >= alpha - 1e-6).all()
    assert (found <= 1.0).all()
    np.testing.assert_array_equal(found[~valid], 1.0)
