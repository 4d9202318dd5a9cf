"""Means, variances and covariance of two planes in a Gaussian window."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from osmofuse.filters import gaussian
from osmofuse.typing import FloatArray


class Moments(NamedTuple):
    """What a window sees at each place where it fits into the planes."""

    mean_x: FloatArray
    mean_y: FloatArray
    var_x: FloatArray
    var_y: FloatArray
    cov: FloatArray


def local_moments(x: FloatArray, y: FloatArray, sigma: float, radius: int) -> Moments:
    r"""Return the local moments of two planes.

    .. math::

        \mu_x = G * x, \qquad \sigma_x^2 = G * x^2 - \mu_x^2, \qquad
        \sigma_{xy} = G * (x y) - \mu_x \mu_y

    with a Gaussian window G of :math:`(2 r + 1)^2` pixels and sum 1, only where it fits inside
    the planes; variances are not below 0.

    Parameters
    ----------
    x, y : array, shape (rows, cols)
        At least 2 r + 1 pixels in both directions.
    sigma, radius : float and int
        The window's deviation and r, in pixels.
    """
    # Moments around the planes' means are the same, and lose fewer digits.
    level_x, level_y = float(x.mean()), float(y.mean())
    x, y = x - level_x, y - level_y
    mean_x, mean_y = (window_mean(z, sigma, radius) for z in (x, y))
    return Moments(
        mean_x + level_x,
        mean_y + level_y,
        np.maximum(window_mean(x * x, sigma, radius) - mean_x**2, 0.0),
        np.maximum(window_mean(y * y, sigma, radius) - mean_y**2, 0.0),
        window_mean(x * y, sigma, radius) - mean_x * mean_y,
    )


def window_mean(x: FloatArray, sigma: float, radius: int) -> FloatArray:
    """Return the mean of a plane in a Gaussian window, only where it fits into the plane."""
    rows, cols = x.shape
    return gaussian(x, sigma, radius=radius)[radius : rows - radius, radius : cols - radius]
