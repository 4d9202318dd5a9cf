from __future__ import annotations

import numpy as np
import pytest

from osmofuse.metrics.spectrum import filter_by_response, frequencies


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
