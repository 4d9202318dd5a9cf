"""Reduced, enlarged and halved planes."""

from __future__ import annotations

import numpy as np
import pytest

from osmofuse.filters import enlarged, halve, reduced


@pytest.mark.parametrize("factor", [1, 2, 3, 7])
@pytest.mark.parametrize("shape", [(1, 1), (5, 7), (6, 9), (6, 9, 3)])
def test_a_reduced_plane_has_the_means_of_squares(rng, factor, shape):
    x = rng.random(shape).astype(np.float32)
    small = reduced(x, factor)
    assert small.dtype == np.float32
    assert small.shape[:2] == tuple(-(-side // factor) for side in shape[:2])
    for i in range(small.shape[0]):
        for j in range(small.shape[1]):
            square = x[i * factor : (i + 1) * factor, j * factor : (j + 1) * factor]
            np.testing.assert_allclose(small[i, j], square.mean(axis=(0, 1)), rtol=1e-6)
    assert not np.shares_memory(small, x)


@pytest.mark.parametrize("shape", [(12, 18), (12, 18, 2), (11, 17)])
def test_enlarging_gives_slopes_back(shape):
    slope = np.add.outer(np.arange(shape[0]) * 2.0, np.arange(shape[1]) * 3.0)
    slope = slope if len(shape) == 2 else np.stack([slope, -slope], axis=2)
    back = enlarged(reduced(slope, 3), 3, shape[:2])
    inner = (slice(2, 8), slice(2, 14))
    np.testing.assert_allclose(back[inner], slope[inner])
    assert back.shape == slope.shape


# ---- halve ----


def cubic(t):
    t = abs(t)
    if t <= 1:
        return 1.5 * t**3 - 2.5 * t**2 + 1
    return -0.5 * t**3 + 2.5 * t**2 - 4 * t + 2 if t <= 2 else 0.0


def matrix(size):
    """The rows of MATLAB's imresize to half: all taps, normalised, indices mirrored."""
    rows = np.zeros(((size + 1) // 2, size))
    mirrored = [*range(size), *reversed(range(size))]
    for i in range(len(rows)):
        centre = 2 * (i + 1) - 0.5  # counted from 1
        taps = [int(np.floor(centre - 4)) + k for k in range(10)]
        weights = np.array([0.5 * cubic(0.5 * (centre - tap)) for tap in taps])
        for tap, weight in zip(taps, weights / weights.sum(), strict=True):
            rows[i, mirrored[(tap - 1) % (2 * size)]] += weight
    return rows


@pytest.mark.parametrize("shape", [(1, 1), (2, 3), (3, 8), (9, 7), (12, 16)])
def test_halving_against_the_matrices_of_the_definition(rng, shape):
    x = rng.random(shape)
    y = halve(x)
    assert y.shape == ((shape[0] + 1) // 2, (shape[1] + 1) // 2)
    np.testing.assert_allclose(y, matrix(shape[0]) @ x @ matrix(shape[1]).T, atol=1e-14)


def test_a_halved_ramp_by_hand():
    """Between the samples 2i and 2i + 1, where the mirrored border is not seen."""
    x = np.tile(np.arange(16.0), (3, 1))
    np.testing.assert_allclose(halve(x)[0, 2:-2], [4.5, 6.5, 8.5, 10.5], atol=1e-12)


def test_halving_is_antialiased():
    """The finest grating that half the pixels cannot show is all but gone."""
    x = np.tile([0.0, 1.0], (16, 8))
    assert np.abs(halve(x)[:, 2:-2] - 0.5).max() < 1e-12
