"""Guided filter, Lee's filter and weighted local fits."""

from __future__ import annotations

import sys

import numpy as np

import plain_filters as plain
from osmofuse.filters import LocalFit, box_mean, guided, lee, reduced


def test_by_a_flat_guide_it_is_the_mean_of_means(rng):
    x = rng.random((12, 10))
    found = guided(x, np.full(x.shape, 0.7), radius=2, epsilon=0.01)
    np.testing.assert_allclose(found, box_mean(box_mean(x, 2), 2), atol=1e-13)


def test_what_the_guide_explains_stays(rng):
    z = rng.random((12, 10))
    np.testing.assert_allclose(guided(3 * z - 1, z, radius=3, epsilon=1e-12), 3 * z - 1, atol=1e-9)


def test_an_edge_of_the_guide_holds_up_the_smoothing():
    step = np.repeat([0.0, 1.0], 10) * np.ones((20, 1))
    sharp = guided(step, step, radius=3, epsilon=1e-4)
    soft = guided(step, 0.0 * step, radius=3, epsilon=1e-4)
    assert np.abs(sharp - step).max() < 1e-3
    assert np.abs(soft - step).max() > 0.3


def test_the_guided_filter_is_linear_in_the_plane_and_blind_to_the_level_of_the_guide(rng):
    x, y, z = rng.random((3, 9, 11))

    def by(plane, guide):
        return guided(plane, guide, radius=2, epsilon=0.1)

    np.testing.assert_allclose(by(x + 2 * y, z), by(x, z) + 2 * by(y, z), atol=1e-12)
    np.testing.assert_allclose(by(x, z + 5), by(x, z), atol=1e-10)


def test_faint_edges_count_also_in_single_precision(rng):
    """A variance of 1e-6 around a level of 1 is lost where squares are rounded to 24 bits."""
    z = (1 + 1e-3 * rng.standard_normal((20, 20))).astype(np.float32)
    x = rng.random((20, 20)).astype(np.float32)
    expected = guided(x.astype(np.float64), z.astype(np.float64), radius=3, epsilon=1e-6)
    np.testing.assert_allclose(guided(x, z, radius=3, epsilon=1e-6), expected, atol=1e-6)


# ---- Lee ----


def test_flat_windows_become_their_mean_and_edges_stay(rng):
    x = 1e-3 * rng.random((20, 20))
    np.testing.assert_allclose(lee(x, radius=3, epsilon=0.01), box_mean(x, 3), atol=1e-7)
    x = 1e3 * rng.random((20, 20))
    np.testing.assert_allclose(lee(x, radius=3, epsilon=0.01), x, rtol=1e-4, atol=1e-3)


def test_lee_lies_between_the_mean_and_the_value(rng):
    x = rng.random((15, 13))
    y, mean = lee(x, radius=2, epsilon=0.05), box_mean(x, 2)
    assert (np.minimum(x, mean) - 1e-15 <= y).all()
    assert (y <= np.maximum(x, mean) + 1e-15).all()


def test_scaling_law_of_lee(rng):
    x = rng.random((9, 9))
    scaled = lee(4 * x, radius=2, epsilon=16 * 0.01)
    np.testing.assert_allclose(scaled, 4 * lee(x, radius=2, epsilon=0.01), rtol=1e-12)


# ---- local fits ----


def test_a_fit_of_a_grey_guide_without_weights_it_is_the_guided_filter(rng):
    x, z = rng.random((2, 11, 13))
    found = LocalFit.of(x, z, radius=2, epsilon=1e-3)(z)
    # Windows at the border hold fewer pixels, but vote like the others.
    inner = (slice(4, -4), slice(4, -4))
    np.testing.assert_allclose(found[inner], guided(x, z, radius=2, epsilon=1e-3)[inner])
    np.testing.assert_allclose(found, plain.guided(x, z, 2, 1e-3), atol=1e-10)


def test_what_a_colour_guide_explains_stays(rng):
    z = rng.random((12, 10, 3))
    x = z @ np.array([1.0, -2.0, 0.5]) + 0.3
    np.testing.assert_allclose(LocalFit.of(x, z, radius=4, epsilon=1e-12)(z), x, atol=1e-6)


def test_a_window_is_fitted_by_weighted_least_squares(rng):
    x, z, m = rng.random((7, 7)), rng.random((7, 7, 2)), rng.uniform(0.1, 1, (7, 7))
    fit = LocalFit.of(x, z, m, radius=99, epsilon=0.01)  # one window, everywhere
    mean_x, mean_z = np.average(x, weights=m), np.average(z, weights=m, axis=(0, 1))
    d = (z - mean_z).reshape(-1, 2)
    w = (m / m.sum()).reshape(-1, 1)
    slope = np.linalg.solve(
        d.T @ (w * d) + 0.01 * np.eye(2), d.T @ (w[:, 0] * (x - mean_x).ravel())
    )
    np.testing.assert_allclose(fit.slope[3, 3], slope)
    np.testing.assert_allclose(fit.level[0, 6], mean_x - slope @ mean_z)


def test_pixels_of_no_weight_take_what_the_others_say():
    z = np.repeat([0.0, 1.0], 10) * np.ones((20, 1))
    x, m = z.copy(), np.ones(z.shape)
    x[8:12, 12:16], m[8:12, 12:16] = 0.0, 1e-9
    filled = LocalFit.of(x, z, m, radius=5, epsilon=1e-4)(z)
    assert filled[8:12, 12:16].min() > 0.99


def test_weights_alike_are_no_weights(rng):
    x, z = rng.random((2, 9, 8))
    plain_fit, weighted = (LocalFit.of(x, z, m, radius=2, epsilon=0.1) for m in (None, x * 0 + 7))
    np.testing.assert_allclose(weighted(z), plain_fit(z))


def test_a_carried_fit_brings_back_edges_that_the_copy_has_lost(rng):
    z = np.kron(rng.random((6, 6)) < 0.5, np.ones((7, 7))).astype(float)
    small = reduced(z, 3)
    fit = LocalFit.of(0.2 + 0.5 * small, small, radius=2, epsilon=1e-6)
    np.testing.assert_allclose(fit.carried(z, 3), 0.2 + 0.5 * z, atol=1e-3)
    assert np.array_equal(fit.carried(z, 3), fit.carried(z[..., None], 3))


def test_strips_of_a_carried_fit_do_not_show(rng, monkeypatch):
    z = rng.random((23, 9, 3))
    small = reduced(z, 2)
    fit = LocalFit.of(small[..., 0] ** 2, small, radius=2, epsilon=1e-2)
    whole = fit.carried(z, 2)
    monkeypatch.setattr(sys.modules["osmofuse.filters.guided"], "STRIP", 5)
    assert np.array_equal(fit.carried(z, 2), whole)
    assert np.array_equal(fit.carried(small, 1), fit(small))


def test_a_fit_to_a_flat_guide_gives_means(rng):
    x = rng.random((9, 9))
    fit = LocalFit.of(x, np.zeros((9, 9)), radius=1, epsilon=0.1)
    expected = box_mean(box_mean(x, 1), 1)
    np.testing.assert_allclose(fit.level, expected)


def test_windows_are_averaged_by_their_weight(rng):
    x, z, m = rng.random((3, 1, 9))
    windows = [range(max(k - 2, 0), min(k + 3, 9)) for k in range(9)]
    lines, weights = [], []
    for window in windows:
        y, g, w = x[0, window], z[0, window], m[0, window]
        mean_y, mean_g = np.average(y, weights=w), np.average(g, weights=w)
        covariance = np.average((g - mean_g) * (y - mean_y), weights=w)
        slope = covariance / (np.average((g - mean_g) ** 2, weights=w) + 0.01)
        lines.append((slope, mean_y - slope * mean_g))
        weights.append(w.mean())
    slopes, levels = np.transpose(lines)
    fit = LocalFit.of(x, z, m, radius=2, epsilon=0.01)
    for k, window in enumerate(windows):
        votes = np.take(weights, window)
        assert np.isclose(fit.slope[0, k, 0], np.average(slopes[window], weights=votes))
        assert np.isclose(fit.level[0, k], np.average(levels[window], weights=votes))
