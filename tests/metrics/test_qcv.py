from __future__ import annotations

import numpy as np
import pytest
from scipy.signal import correlate2d

from osmofuse import InputError
from osmofuse.metrics import qcv

ACROSS = np.array([[-1, 0, 1], [-2, 0, 2], [-1, 0, 1]])


def stretched(x):
    return np.floor((x - x.min()) / (x.max() - x.min()) * 255 + 0.5)


def blocks(x):
    """Blocks of 16 × 16, filled up with zeros."""
    rows, cols = (-(-n // 16) * 16 for n in x.shape)
    padded = np.zeros((rows, cols))
    padded[: x.shape[0], : x.shape[1]] = x
    return [padded[i : i + 16, j : j + 16] for i in range(0, rows, 16) for j in range(0, cols, 16)]


def by_blocks(u, *sources):
    u, seen, weights = stretched(u), 0.0, 0.0
    down, across = (n / 8 * (np.arange(n) - n // 2) * 2 / n for n in u.shape)
    r = np.hypot(down[:, None], across)
    eye = 2.6 * (0.0192 + 0.144 * r) * np.exp(-((0.144 * r) ** 1.1))
    for s in map(stretched, sources):
        g = np.hypot(correlate2d(s, ACROSS, "same"), correlate2d(s, ACROSS.T, "same"))
        d = np.fft.ifft2(np.fft.ifftshift(np.fft.fftshift(np.fft.fft2(s - u)) * eye)).real
        for edges, differences in zip(blocks(g), blocks(d), strict=True):
            seen += (edges**5).sum() * (differences**2).mean()
            weights += (edges**5).sum()
    return seen / weights


@pytest.mark.parametrize("shape", [(40, 37), (33, 32), (9, 8), (16, 48)])
def test_against_the_definition(rng, shape):
    u, f, b = rng.random((3, *shape))
    assert qcv(u, f, b) == pytest.approx(by_blocks(u, f, b), rel=1e-10)


def test_equal_pictures_differ_nowhere(rng):
    u = rng.random((20, 20))
    assert qcv(u, u, u) == 0.0


def test_constant_sources_have_no_edges(rng):
    with pytest.raises(InputError, match="no edges"):
        qcv(rng.random((20, 20)), np.full((20, 20), 0.3), np.ones((20, 20)))
