from __future__ import annotations

import numpy as np
import pytest
from scipy.signal import correlate2d

from osmofuse.metrics import qcb


def masked_contrast(x):
    """The definition, with whole spectra and windows of 31 × 31."""
    x = np.floor((x - x.min()) / (x.max() - x.min()) * 255 + 0.5)
    down, across = (n / 30 * (np.arange(n) - n // 2) * 2 / n for n in x.shape)
    r = np.hypot(down[:, None], across)
    seen = np.exp(-((r / 15.387) ** 2)) - 0.7622 * np.exp(-((r / 1.3456) ** 2))
    y = np.fft.ifft2(np.fft.ifftshift(np.fft.fftshift(np.fft.fft2(x)) * seen)).real
    t = np.arange(-15, 16)
    near, far = (
        correlate2d(
            y, np.exp(-np.add.outer(t**2, t**2) / (2 * s * s)) / (2 * np.pi * s * s), "same"
        )
        for s in (2, 4)
    )
    c = np.abs(near / far - 1)
    return c**3 / (c**2 + 0.0001)


@pytest.mark.parametrize("shape", [(40, 37), (33, 36), (9, 8)])
def test_against_the_definition(rng, shape):
    u, f, b = rng.random((3, *shape))
    pu, pf, pb = (masked_contrast(x) for x in (u, f, b))
    qf, qb = (np.minimum(p, pu) / np.maximum(p, pu) for p in (pf, pb))
    expected = np.mean((pf**2 * qf + pb**2 * qb) / (pf**2 + pb**2))
    assert qcb(u, f, b) == pytest.approx(expected, rel=1e-9)


def test_what_is_kept_is_kept(rng):
    u = rng.random((20, 20))
    assert qcb(u, u, u) == pytest.approx(1.0)
    assert qcb(0.5 * u, u, 0.2 + 0.5 * u) > 0.95, "gain and offset hardly count"


def test_constants():
    x = np.full((20, 20), 0.3)
    assert qcb(x, x, x) == 1.0
    edge = np.where(np.arange(20) < 10, x, 0.8)
    assert qcb(x, edge, x) == 0.0
