from __future__ import annotations

import numpy as np
import pytest

from osmofuse.filters import halve


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
def test_against_the_matrices_of_the_definition(rng, shape):
    x = rng.random(shape)
    y = halve(x)
    assert y.shape == ((shape[0] + 1) // 2, (shape[1] + 1) // 2)
    np.testing.assert_allclose(y, matrix(shape[0]) @ x @ matrix(shape[1]).T, atol=1e-14)


def test_a_ramp_by_hand():
    """Between the samples 2i and 2i + 1, where the mirrored border is not seen."""
    x = np.tile(np.arange(16.0), (3, 1))
    np.testing.assert_allclose(halve(x)[0, 2:-2], [4.5, 6.5, 8.5, 10.5], atol=1e-12)


def test_it_is_antialiased():
    """The finest grating that half the pixels cannot show is all but gone."""
    x = np.tile([0.0, 1.0], (16, 8))
    assert np.abs(halve(x)[:, 2:-2] - 0.5).max() < 1e-12
