"""Alpha maps: 1 where the foreground is kept, 0 where the background's structure enters."""

from __future__ import annotations

import numpy as np

from osmofuse.checks import number
from osmofuse.errors import InputError
from osmofuse.filters import gaussian
from osmofuse.picture import Picture, as_alpha
from osmofuse.typing import ArrayLike, FloatArray

__all__ = ["as_alpha", "as_map", "soften"]

WIDEST_BLUR = 1000.0  # pixels; the time that a blur takes grows with it
NO_BLUR = 0.01  # pixels; below it the weights of all neighbours are 0 in double precision


def soften(alpha: ArrayLike, sigma: float = 5.0) -> FloatArray:
    r"""Blur an alpha map as the paper does.

    Parameters
    ----------
    alpha : array_like, shape (rows, cols) or (rows, cols, channels)
        A map or mask, e.g. ``alpha == 1``.
    sigma : float, 0 to 1000
        Standard deviation of the Gaussian in pixels; its radius is :math:`2\sigma`, borders
        are replicated. 0 leaves the map as it is.

    Returns
    -------
    array
        float64, in [0, 1].

    Raises
    ------
    InputError
        It is no map.
    SettingError
        `sigma` is no length, or too large.
    """
    array = as_map(alpha)
    number("sigma", sigma, most=WIDEST_BLUR)
    if sigma < NO_BLUR:
        return array
    # Rounding must not lead out of [0, 1].
    return np.clip(gaussian(array, float(sigma)), 0.0, 1.0)


def as_map(alpha: ArrayLike | Picture) -> FloatArray:
    """Return alpha in [0, 1], if it is a map and not a number.

    Raises
    ------
    InputError
        It is no map.
    """
    array = as_alpha(alpha)
    if array.ndim not in (2, 3):
        form = "(rows, cols) or (rows, cols, channels)"
        raise InputError(f"alpha: shape {array.shape}; must be {form}")
    return array
