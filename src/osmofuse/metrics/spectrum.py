"""Filters that are given by their response in frequency, alike in all directions."""

from __future__ import annotations

import numpy as np

from osmofuse.typing import FloatArray


def frequencies(shape: tuple[int, ...]) -> FloatArray:
    """Return the frequencies of a plane's spectrum, in cycles per picture.

    Parameters
    ----------
    shape : tuple of int
        The plane's, (rows, cols).

    Returns
    -------
    array
        The lengths of (down, across), for those across that are not negative: the spectrum
        of real numbers repeats itself in the others.
    """
    from scipy.fft import fftfreq, rfftfreq

    rows, cols = shape
    down, across = rows * fftfreq(rows), cols * rfftfreq(cols)
    return np.asarray(np.hypot(down[:, np.newaxis], across))


def filter_by_response(x: FloatArray, response: FloatArray) -> FloatArray:
    """Multiply the spectrum of a plane, which is taken for periodic.

    Parameters
    ----------
    x : array, (rows, cols)
        Of doubles.
    response : array
        What to multiply by, at each of the `frequencies`.
    """
    from scipy.fft import irfft2, rfft2

    spectrum = rfft2(x)
    spectrum *= response
    return np.asarray(irfft2(spectrum, x.shape, overwrite_x=True))
