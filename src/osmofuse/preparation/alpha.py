"""Alpha maps: 1 where the foreground is kept, 0 where the background's structure enters."""

from __future__ import annotations

import math
from numbers import Real
from os import PathLike

import numpy as np

from osmofuse.errors import InputError, SettingError
from osmofuse.filters import gaussian
from osmofuse.picture import Picture
from osmofuse.typing import Array, ArrayLike, FloatArray

# An integer of 32 bits or more that stays below this part of its range was hardly meant.
_LEAST_OF_WIDE = 1e-3


def as_alpha(
    alpha: ArrayLike | Picture, *, dtype: type = np.float64, name: str = "alpha"
) -> FloatArray:
    """Bring an alpha map to [0, 1], or say why that cannot be.

    Parameters
    ----------
    alpha : array_like or Picture
        bool becomes 0 and 1; integers are divided by their type's maximum, but for a map
        whose maximum is 1, which is a mask; floats must lie in [0, 1] already.
    dtype : type
        float32 or float64.
    name : str
        The argument's name, for messages.

    Returns
    -------
    array
        Of the shape of `alpha`; never stretched, blurred or thresholded.
    """
    array = _as_array(alpha, name)
    if array.size == 0:
        raise InputError(f"{name}: empty (shape {array.shape})")
    if array.dtype == np.bool_:
        return array.astype(dtype)
    if array.dtype.kind in "ui":
        return _from_integers(array, dtype, name)
    if array.dtype.kind != "f":
        raise InputError(f"{name}: type {array.dtype}; use bool, integers or floats in [0, 1]")
    low, high = float(array.min()), float(array.max())
    if not (math.isfinite(low) and math.isfinite(high)):
        raise InputError(f"{name}: NaN or infinite values; replace them by numbers in [0, 1]")
    if low < 0 or high > 1:
        hint = "; divide by 255?" if high > 1 else ""
        raise InputError(f"{name}: values from {low:.4g} to {high:.4g} leave [0, 1]{hint}")
    return array.astype(dtype)


def _as_array(alpha: ArrayLike | Picture, name: str) -> Array:
    if isinstance(alpha, str | PathLike):
        raise InputError(f"{name}: a path; read it first, with osmofuse.read({str(alpha)!r})")
    if isinstance(alpha, Picture):
        if alpha.transparency:
            raise InputError(
                f"{name}: a picture with transparency; say which is the map: its "
                "pixels[..., -1] or its colour"
            )
        return alpha.pixels
    try:
        return np.asarray(alpha)
    except ValueError as error:
        raise InputError(f"{name}: not an array ({error})") from error


def _from_integers(array: Array, dtype: type, name: str) -> FloatArray:
    low, high = int(array.min()), int(array.max())
    if low < 0:
        raise InputError(f"{name}: negative values (minimum {low}); must lie in [0, 1]")
    top = int(np.iinfo(array.dtype).max)
    if high <= 1:
        return array.astype(dtype)
    if array.ndim == 0:
        raise InputError(f"{name}: {high}; a number must lie in [0, 1]")
    if array.dtype.itemsize > 2 and high < _LEAST_OF_WIDE * top:
        raise InputError(
            f"{name}: maximum {high} in an array of {array.dtype}, whose white is {top}; "
            "convert it to uint8 or uint16, or divide it into [0, 1]"
        )
    return (array / top).astype(dtype)


def soften(alpha: ArrayLike, sigma: float = 5.0) -> FloatArray:
    r"""Blur an alpha map as the paper does.

    Parameters
    ----------
    alpha : array_like, shape (rows, cols) or (rows, cols, channels)
        A map or mask, e.g. ``alpha == 1``.
    sigma : float
        Standard deviation of the Gaussian in pixels; its radius is :math:`2\sigma`, borders
        are replicated. 0 leaves the map as it is.

    Returns
    -------
    array
        float64, in [0, 1].
    """
    array = as_alpha(alpha)
    if array.ndim not in (2, 3):
        form = "(rows, cols) or (rows, cols, channels)"
        raise InputError(f"alpha: shape {array.shape}; must be {form}")
    if not (isinstance(sigma, Real) and 0 <= sigma < math.inf):
        raise SettingError(f"sigma: {sigma!r}; must be a number of pixels, 0 or more")
    # Rounding must not lead out of [0, 1].
    return np.clip(gaussian(array, float(sigma)), 0.0, 1.0) if sigma > 0 else array
