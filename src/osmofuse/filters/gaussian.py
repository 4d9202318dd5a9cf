"""The Gaussian filter."""

from __future__ import annotations

import math

import numpy as np

from osmofuse.typing import FloatArray


def gaussian(x: FloatArray, sigma: float, *, radius: int | None = None) -> FloatArray:
    r"""Convolve rows and columns with :math:`e^{-t^2/2\sigma^2}`, cut off and normalised.

    Parameters
    ----------
    x : array, shape (rows, cols) or (rows, cols, channels)
        Filtered channel by channel; borders are replicated.
    sigma : float
        Standard deviation in pixels.
    radius : int, optional
        Pixels on each side; :math:`\lceil 2\sigma \rceil` by default, the paper's choice.
    """
    from scipy.ndimage import gaussian_filter

    radius = math.ceil(2.0 * sigma) if radius is None else radius
    return np.asarray(gaussian_filter(x, sigma, radius=radius, mode="nearest", axes=(0, 1)))
