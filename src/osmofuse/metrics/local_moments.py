"""Moments of two planes in a Gaussian window, only where it fits inside them."""

from __future__ import annotations

from osmofuse.filters import Moments, gaussian, gaussian_moments
from osmofuse.typing import FloatArray


def local_moments(x: FloatArray, y: FloatArray, sigma: float, radius: int) -> Moments:
    """Return the local moments of two planes, see `gaussian_moments`.

    Parameters
    ----------
    x, y : array, shape (rows, cols)
        At least 2 r + 1 pixels in both directions.
    sigma, radius : float and int
        The window's deviation and r, in pixels.
    """
    moments = gaussian_moments(x, y, sigma, radius=radius)
    return Moments(*(_inside(plane, radius) for plane in moments))


def window_mean(x: FloatArray, sigma: float, radius: int) -> FloatArray:
    """Return the mean of a plane in a Gaussian window, only where it fits into the plane."""
    return _inside(gaussian(x, sigma, radius=radius), radius)


def _inside(x: FloatArray, radius: int) -> FloatArray:
    rows, cols = x.shape
    return x[radius : rows - radius, radius : cols - radius]
