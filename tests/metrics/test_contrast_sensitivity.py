"""Metrics of the eye's contrast against whole spectra."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.signal import correlate2d

from osmofuse import InputError
from osmofuse.metrics import qcb, qcv
from osmofuse.metrics.contrast_sensitivity import filter_by_response, frequencies


def centred(n):
    """The frequencies of a centred spectrum between -1 and 1, as VIFB has them."""
    return (np.arange(n) - n // 2) * 2 / n


@pytest.mark.parametrize("shape", [(8, 6), (7, 9), (8, 9), (1, 5), (5, 1), (1, 1)])
def test_against_the_whole_spectrum(rng, shape):
    x, (rows, cols) = rng.random(shape), shape
    down, across = rows / 30 * centred(rows), cols / 30 * centred(cols)
    r = np.sqrt(down[:, None] ** 2 + across**2)
    spectrum = np.fft.fftshift(np.fft.fft2(x)) * np.exp(-r)
    expected = np.fft.ifft2(np.fft.ifftshift(spectrum))
    assert np.abs(expected.imag).max() < 1e-14
    found = filter_by_response(x, np.exp(-frequencies(shape) / 15))
    np.testing.assert_allclose(found, expected.real, atol=1e-14)


def test_the_plane_stays_as_it_was(rng):
    x = rng.random((6, 5))
    before = x.copy()
    filter_by_response(x, np.zeros(frequencies(x.shape).shape))
    assert np.array_equal(x, before)


def qcb_masked_contrast(x):
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
def test_qcb_against_the_definition(rng, shape):
    u, f, b = rng.random((3, *shape))
    pu, pf, pb = (qcb_masked_contrast(x) for x in (u, f, b))
    qf, qb = (np.minimum(p, pu) / np.maximum(p, pu) for p in (pf, pb))
    expected = np.mean((pf**2 * qf + pb**2 * qb) / (pf**2 + pb**2))
    assert qcb(u, f, b) == pytest.approx(expected, rel=1e-9)


def test_qcb_what_is_kept_is_kept(rng):
    u = rng.random((20, 20))
    assert qcb(u, u, u) == pytest.approx(1.0)
    assert qcb(0.5 * u, u, 0.2 + 0.5 * u) > 0.95, "gain and offset hardly count"


def test_qcb_constants():
    x = np.full((20, 20), 0.3)
    assert qcb(x, x, x) == 1.0
    edge = np.where(np.arange(20) < 10, x, 0.8)
    assert qcb(x, edge, x) == 0.0


QCV_ACROSS = np.array([[-1, 0, 1], [-2, 0, 2], [-1, 0, 1]])


def qcv_stretched(x):
    return np.floor((x - x.min()) / (x.max() - x.min()) * 255 + 0.5)


def qcv_blocks(x):
    """Blocks of 16 × 16, filled up with zeros."""
    rows, cols = (-(-n // 16) * 16 for n in x.shape)
    padded = np.zeros((rows, cols))
    padded[: x.shape[0], : x.shape[1]] = x
    return [padded[i : i + 16, j : j + 16] for i in range(0, rows, 16) for j in range(0, cols, 16)]


def qcv_by_blocks(u, *sources):
    u, seen, weights = qcv_stretched(u), 0.0, 0.0
    down, across = (n / 8 * (np.arange(n) - n // 2) * 2 / n for n in u.shape)
    r = np.hypot(down[:, None], across)
    eye = 2.6 * (0.0192 + 0.144 * r) * np.exp(-((0.144 * r) ** 1.1))
    for s in map(qcv_stretched, sources):
        g = np.hypot(correlate2d(s, QCV_ACROSS, "same"), correlate2d(s, QCV_ACROSS.T, "same"))
        d = np.fft.ifft2(np.fft.ifftshift(np.fft.fftshift(np.fft.fft2(s - u)) * eye)).real
        for edges, differences in zip(qcv_blocks(g), qcv_blocks(d), strict=True):
            seen += (edges**5).sum() * (differences**2).mean()
            weights += (edges**5).sum()
    return seen / weights


@pytest.mark.parametrize("shape", [(40, 37), (33, 32), (9, 8), (16, 48)])
def test_qcv_against_the_definition(rng, shape):
    u, f, b = rng.random((3, *shape))
    assert qcv(u, f, b) == pytest.approx(qcv_by_blocks(u, f, b), rel=1e-10)


def test_qcv_equal_pictures_differ_nowhere(rng):
    u = rng.random((20, 20))
    assert qcv(u, u, u) == 0.0


def test_qcv_constant_sources_have_no_edges(rng):
    with pytest.raises(InputError, match="no edges"):
        qcv(rng.random((20, 20)), np.full((20, 20), 0.3), np.ones((20, 20)))
