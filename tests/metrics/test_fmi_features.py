"""The features that feature mutual information looks at."""

from __future__ import annotations

import math

import numpy as np
import pytest

from osmofuse.metrics.fmi_features import FEATURES, edges, meyer_filters


def edges_by_loops(x):
    """Sobel's edges from their definition, pixel by pixel."""
    rows, cols = x.shape
    framed = np.pad(x, 1, "edge")
    across = np.array([[-1, 0, 1], [-2, 0, 2], [-1, 0, 1]]) / 8
    right = [
        [np.sum(framed[i : i + 3, j : j + 3] * across) for j in range(cols)] for i in range(rows)
    ]
    down = [
        [np.sum(framed[i : i + 3, j : j + 3] * across.T) for j in range(cols)] for i in range(rows)
    ]
    right, down = np.array(right), np.array(down)
    s = right**2 + down**2

    def at(i, j):
        return s[i, j] if 0 <= i < rows and 0 <= j < cols else 0.0

    found = np.zeros((rows, cols))
    for i in range(rows):
        for j in range(cols):
            along = abs(right[i, j]) >= abs(down[i, j]) and at(i, j - 1) <= s[i, j] > at(i, j + 1)
            below = abs(down[i, j]) >= abs(right[i, j]) and at(i - 1, j) <= s[i, j] > at(i + 1, j)
            found[i, j] = s[i, j] > 4 * s.mean() and (along or below)
    return found


@pytest.mark.parametrize("shape", [(3, 3), (9, 14), (17, 12)])
def test_edges_against_loops(rng, shape):
    x = rng.integers(0, 4, shape) * 60.0
    x[: shape[0] // 2, : shape[1] // 2] += 200.0
    assert np.array_equal(edges(x), edges_by_loops(x))


def test_a_step_has_a_thin_edge():
    """Both columns beside the step are as steep; the one after it has the ridge."""
    x = np.zeros((8, 9))
    x[:, 5:] = 200.0
    expected = np.zeros((8, 9))
    expected[:, 5] = 1.0
    assert np.array_equal(edges(x), expected)
    assert np.array_equal(edges(x.T), expected.T)


def test_edges_do_not_change_with_gain_and_offset(rng):
    x = np.cumsum(rng.integers(-9, 10, (15, 16)), axis=1).astype(float)
    assert edges(x).any()
    assert np.array_equal(edges(x), edges(4 * x + 100))


def test_the_gradient_goes_along_the_columns():
    x = np.array([[1.0, 4.0, 9.0, 16.0], [0.0, 0.0, 2.0, 2.0]])
    expected = [[3.0, 4.0, 6.0, 7.0], [0.0, 1.0, 1.0, 0.0]]
    assert FEATURES["gradient"](x).tolist() == expected


def test_cosines_by_their_definition(rng):
    x = rng.random((5, 7))

    def basis(n):
        k, i = np.mgrid[:n, :n]
        c = np.cos(math.pi * k * (2 * i + 1) / (2 * n)) * math.sqrt(2 / n)
        c[0] /= math.sqrt(2)
        return c

    np.testing.assert_allclose(FEATURES["dct"](x), basis(5) @ x @ basis(7).T, atol=1e-13)


def test_cosines_of_a_constant_are_exact_zeros():
    y = FEATURES["dct"](np.full((7, 11), 37.0))
    assert y[0, 0] == pytest.approx(37 * math.sqrt(77))
    assert np.count_nonzero(y) == 1


class TestMeyer:
    def test_the_low_pass_filter_has_its_response(self):
        low, _ = meyer_filters()
        taps = np.arange(-31, 31)
        for omega in (0.0, 0.3, 1.0, 1.4, 1.9, 2.3, math.pi):
            t = min(max(3 * omega / math.pi - 1, 0), 1)
            v = t**4 * (35 - 84 * t + 70 * t**2 - 20 * t**3)
            expected = math.sqrt(2) * math.cos(math.pi / 2 * v)
            assert np.sum(low * np.cos(taps * omega)) == pytest.approx(expected, abs=2e-3)

    def test_the_filters_are_nearly_orthonormal(self):
        low, high = meyer_filters()
        assert len(low) == len(high) == 62
        for shift in range(0, 30, 2):
            unit = float(shift == 0)
            n = len(low) - shift
            assert low[:n] @ low[shift:] == pytest.approx(unit, abs=2e-3)
            assert high[:n] @ high[shift:] == pytest.approx(unit, abs=2e-3)
            assert low[:n] @ high[shift:] == pytest.approx(0.0, abs=2e-3)

    def test_the_high_pass_filter_sees_no_constant(self):
        assert meyer_filters()[1].sum() == pytest.approx(0.0, abs=2e-3)

    def test_the_largest_taps(self):
        """Of the discrete Meyer wavelet as it is tabulated elsewhere."""
        low, _ = meyer_filters()
        assert low[0] == 0.0
        np.testing.assert_allclose(low[31:34], [0.7446, 0.4442, -0.0353], atol=2e-3)


def by_convolution(x, taps):
    """Filter a line, mirrored at both ends, and keep every other sample."""
    reach = len(taps) - 1
    return np.convolve(np.pad(x, reach, "symmetric"), taps, "valid")[1::2]


@pytest.mark.parametrize("shape", [(3, 3), (9, 70), (70, 8)])
def test_wavelet_bands_lie_side_by_side(rng, shape):
    x = rng.random(shape)
    low, high = meyer_filters()

    def band(down, across):
        half = np.apply_along_axis(by_convolution, 1, x, across)
        return np.apply_along_axis(by_convolution, 0, half, down)

    y = np.block([[band(low, low), band(low, high)], [band(high, low), band(high, high)]])
    expected = (y - y.min()) / (y.max() - y.min())
    np.testing.assert_allclose(FEATURES["wavelet"](x), expected, atol=1e-13)


@pytest.mark.parametrize("feature", FEATURES)
@pytest.mark.parametrize("value", [0.0, 77.0])
def test_a_constant_has_finite_features(feature, value):
    assert np.isfinite(FEATURES[feature](np.full((5, 4), value))).all()


@pytest.mark.parametrize("feature", FEATURES)
def test_inputs_are_never_changed(rng, feature):
    x = rng.random((6, 7))
    x.flags.writeable = False
    before = x.copy()
    FEATURES[feature](x)
    assert np.array_equal(x, before)
