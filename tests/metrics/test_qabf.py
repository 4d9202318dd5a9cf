from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.signal import convolve2d

from osmofuse import InputError
from osmofuse.metrics import qabf

ACROSS = [[-1, 0, 1], [-2, 0, 2], [-1, 0, 1]]
UP = [[1, 2, 1], [0, 0, 0], [-1, -2, -1]]


def by_loops(u, f, b):
    """The definition, pixel by pixel."""
    gradients = [
        [convolve2d(255 * x, kernel, "same") for kernel in (ACROSS, UP)] for x in (u, f, b)
    ]
    kept = there = 0.0
    for i, j in np.ndindex(u.shape):
        lengths, angles = [], []
        for x, y in gradients:
            lengths.append(math.sqrt(x[i, j] ** 2 + y[i, j] ** 2))
            angles.append(math.pi / 2 if x[i, j] == 0 else math.atan(y[i, j] / x[i, j]))
        for k in (1, 2):
            low, high = sorted((lengths[k], lengths[0]))
            strength = low if low == high else low / high
            angle = 1 - abs(angles[k] - angles[0]) / (math.pi / 2)
            quality = 0.9994 / (1 + math.exp(-15 * (strength - 0.5)))
            quality *= 0.9879 / (1 + math.exp(-22 * (angle - 0.8)))
            kept += quality * lengths[k]
            there += lengths[k]
    return kept / there


@pytest.mark.parametrize("levels", [2, 4, 256])
def test_against_loops(rng, levels):
    """Few levels make equal lengths, zero lengths and level edges."""
    u, f, b = rng.integers(0, levels, (3, 13, 11)) / 255
    u[:5] = f[:5]
    b[6:9] = b[6, 0]
    assert qabf(u, f, b) == pytest.approx(by_loops(u, f, b), rel=1e-12)


def test_what_is_kept_is_kept(rng):
    u = rng.random((20, 20))
    assert qabf(u, u, u) == pytest.approx(0.9994 * 0.9879 / (1 + math.exp(-4.4)), rel=1e-3)


def test_black_sources_have_no_edges(rng):
    black = np.zeros((5, 6))
    with pytest.raises(InputError, match="no edges"):
        qabf(rng.random((5, 6)), black, black)
