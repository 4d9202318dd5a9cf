"""Levels: adjustment of a picture that does not use the whole range of its type.

An infrared camera of 12 bits fills a sixteenth of a 16-bit file. Nothing is stretched by
default: `range_used` is for warnings, `apply_levels` makes the adjustment that the user chooses.
"""

from __future__ import annotations

import math
from typing import Literal, get_args

import numpy as np

from osmofuse.errors import InputError, SettingError
from osmofuse.picture import Picture, checked
from osmofuse.pixels import scaled, white_of
from osmofuse.typing import Array, ArrayLike, BoolArray, FloatArray

Levels = Literal["as-is", "percentiles", "match"]

# A thousandth at each end may be dust, dead pixels or glare.
_TAILS = (0.1, 99.9)
# Values outside 0 to 1 by less than half a level of 16 bits do not count as clipped.
_HALF_LEVEL = 0.5 / 65535


def range_used(pixels: ArrayLike | Picture, *, valid: BoolArray | None = None) -> float:
    """Return the part of its type's range that a picture uses.

    Parameters
    ----------
    pixels : array_like or Picture, (rows, cols) or (rows, cols, channels)
        In stored depth.
    valid : array of bool, (rows, cols), optional
        Where False, nothing was recorded.

    Returns
    -------
    float
        Range between the 0.1th and the 99.9th percentile; 1.0 is from black to white. A 12-bit
        picture in a 16-bit file uses 0.0625 or less.
    """
    array = checked(pixels, "picture", valid=valid)
    low, high = _ends(array, valid)
    return high - low


def apply_levels(
    pixels: ArrayLike | Picture,
    how: Levels,
    reference: ArrayLike | Picture | None = None,
    *,
    valid: BoolArray | None = None,
) -> tuple[Array, str | None]:
    r"""Shift and stretch all bands of a picture in the same way, :math:`y = y_0 + (x - x_0) s`.

    Parameters
    ----------
    pixels : array_like or Picture, (rows, cols) or (rows, cols, channels)
        Never changed.
    how : {"as-is", "percentiles", "match"}
        No change; map the 0.1th and 99.9th percentile to black and white; or map them to those of
        the reference.
    reference : array_like or Picture, optional
        For "match"; may have another size and number of channels.
    valid : array of bool, (rows, cols), optional
        Where False, pixels do not count for the percentiles.

    Returns
    -------
    tuple of array and (str or None)
        For "as-is" the pixels themselves and None. Else floats on the scale where 1.0 is white,
        clipped to [0, 1], and a description of the change.

    Raises
    ------
    InputError
        The picture is flat and cannot be stretched.
    """
    if how not in get_args(Levels):
        raise SettingError(f"levels: {how!r}; must be as-is, percentiles or match")
    array = checked(pixels, "picture", valid=valid)
    if how == "as-is":
        return array, None
    target = (0.0, 1.0)
    if how == "match":
        if reference is None:
            raise SettingError("levels: match needs a reference to match")
        target = _ends(checked(reference, "reference"), None)
    return _stretched(array, _ends(array, valid), target, valid)


def _stretched(
    array: Array,
    ends: tuple[float, float],
    target: tuple[float, float],
    valid: BoolArray | None,
) -> tuple[FloatArray, str]:
    (low, high), (black, white) = ends, target
    if high <= low:
        raise InputError(f"levels: the picture is flat at {low:.4g}; use as-is")
    result = scaled(array, np.float64 if array.dtype == np.float64 else np.float32)
    result -= low
    result *= (white - black) / (high - low)
    result += black
    outside = (result < -_HALF_LEVEL) | (result > 1 + _HALF_LEVEL)
    clipped = np.count_nonzero(outside if valid is None else outside[valid])
    np.clip(result, 0, 1, out=result)
    words = f"levels {low:.4f} to {high:.4f} became {black:.4f} to {white:.4f}"
    return result, f"{words}; {clipped} samples clipped"


def _ends(array: Array, valid: BoolArray | None) -> tuple[float, float]:
    """Return the percentiles of the tails, on the scale where 1.0 is white."""
    shown = array if valid is None else array[valid]
    if shown.size == 0:
        raise InputError("levels: no pixel is valid")
    if array.dtype.kind == "f":
        low = np.percentile(shown, _TAILS[0], method="lower")
        high = np.percentile(shown, _TAILS[1], method="higher")
        return float(low), float(high)
    # Counting the levels is exact, and does not sort a hundred million samples.
    counts = np.cumsum(np.bincount(shown.ravel()))
    below, above = (part / 100 * (shown.size - 1) for part in _TAILS)
    low, high = np.searchsorted(counts, (math.floor(below), math.ceil(above)), side="right")
    white = white_of(array.dtype, "picture")
    return float(low) / white, float(high) / white
