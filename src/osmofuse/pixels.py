"""Arrays of pixels: shapes, depths, the value of white, and values for no data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import DTypeLike

from osmofuse.errors import InputError, MismatchError
from osmofuse.typing import Array, ArrayLike, BoolArray, FloatArray

DEPTHS = ("uint8", "uint16", "float32")  # depths a result can be stored in

# Floats above this are taken for 0..255 stored as floats; anything in 4..200 separates the two.
_BRIGHTEST_FLOAT = 16.0


@dataclass(frozen=True, eq=False)
class StoredMap:
    """Checked alpha map as it is stored: alpha is `samples` divided by `white`."""

    samples: Array
    white: int = 1

    @property
    def bands(self) -> int:
        """Number of bands; 1 for a number."""
        return 1 if self.samples.ndim < 3 else self.samples.shape[2]

    def floats(self, dtype: DTypeLike = np.float64) -> FloatArray:
        """Return alpha as a new array."""
        if self.white == 1:
            return self.samples.astype(dtype)
        return np.asarray(self.samples / self.white, dtype)


def summary(pixels: Array) -> str:
    """Return size (width first, as viewers show it), number of bands and depth as text.

    Examples
    --------
    >>> summary(np.zeros((800, 1200, 3), np.uint16))
    '1200 × 800, 3 bands, uint16'
    """
    bands = bands_of(pixels)
    return f"{size_of(pixels.shape)}, {bands} band{'' if bands == 1 else 's'}, {pixels.dtype}"


def size_of(shape: Sequence[int]) -> str:
    """Return rows and columns as text, width first."""
    return f"{shape[1]} × {shape[0]}"


def bands_of(array: Array) -> int:
    """Return the number of bands of an array of pixels."""
    return 1 if array.ndim == 2 else array.shape[2]


def plane_of(array: Array, channel: int) -> Array:
    """Return one channel of an array of pixels as a view; the last if it has fewer."""
    return array if array.ndim == 2 else array[..., min(channel, array.shape[2] - 1)]


def white_of(dtype: np.dtype[np.generic], name: str) -> int:
    """Return the value of white in a type of pixels; `name` is for the error message."""
    if dtype.kind == "u" and dtype.itemsize <= 2:
        return 255 if dtype.itemsize == 1 else 65535
    if dtype == np.int16:
        return 32767
    if dtype.kind == "f" and dtype.itemsize <= 8:
        return 1
    raise InputError(f"{name}: type {dtype}; convert to uint8, uint16 or float")


def scaled(array: Array, dtype: DTypeLike, out: FloatArray | None = None) -> FloatArray:
    """Scale checked pixels so that 1.0 is white, into `out` or a new array."""
    result: FloatArray = np.empty(array.shape, dtype) if out is None else out
    result[...] = array
    white = white_of(array.dtype, "array")
    if white != 1:
        result /= white
    return result


def quantise(samples: FloatArray, depth: DTypeLike) -> tuple[Array, int]:
    """Convert samples on the scale where 1.0 is white to a depth, and count clipped ones.

    For uint8, uint16 and int16 they are rounded to the nearest level, half to even, and clipped;
    the count is of samples outside [0, 1] by more than half a level. For float32 and float64 they
    are cast, and nothing is clipped. The result is a new array.
    """
    depth = np.dtype(depth)
    if samples.dtype.kind != "f":
        raise InputError(f"samples of type {samples.dtype} are not floats")
    if depth in (np.float32, np.float64):
        return samples.astype(depth), 0
    if depth not in (np.uint8, np.uint16, np.int16):
        raise InputError(f"depth {depth}: use uint8, uint16, int16, float32 or float64")
    if np.isnan(samples).any():
        raise InputError(f"{np.isnan(samples).sum()} samples are NaN and cannot become {depth}")
    white = int(np.iinfo(depth).max)
    half = 0.5 / white
    clipped = np.count_nonzero((samples < -half) | (samples > 1 + half))
    # float16 has fewer than 65535 levels; the product needs float32 at least.
    levels = np.clip(samples, 0, 1).astype(np.promote_types(samples.dtype, np.float32), copy=False)
    levels *= white
    return np.rint(levels, out=levels).astype(depth), int(clipped)


def widened(array: Array, bits: int) -> Array:
    """Return samples of `bits` bits stretched to the whole range of their wider type."""
    white = int(np.iinfo(array.dtype).max)
    if white == 2**bits - 1:
        return array
    stretched: Array = np.rint(array * (white / (2**bits - 1))).astype(array.dtype)
    return stretched


def divided(array: Array) -> Array:
    """Return pixels with their colours divided by the associated alpha, the last band."""
    whole = array.dtype.kind != "f"
    white = np.iinfo(array.dtype).max if whole else 1
    found = np.empty_like(array)
    found[..., -1] = array[..., -1]
    for row, stored in zip(found, array, strict=True):  # row by row, to save memory
        alpha = stored[:, -1:].astype(np.float64)
        factor = np.divide(white, alpha, where=alpha > 0, out=np.zeros_like(alpha))
        colours = stored[:, :-1] * factor
        row[:, :-1] = np.rint(np.clip(colours, 0, white)) if whole else colours
    return found


def nearest_valid(pixels: Array, valid: BoolArray) -> Array:
    """Return pixels in which each invalid one is replaced by its nearest valid neighbour."""
    from scipy.ndimage import distance_transform_edt

    rows, cols = distance_transform_edt(~valid, return_distances=False, return_indices=True)
    filled: Array = pixels[rows, cols]
    return filled


def with_nodata(pixels: Array, nodata: float, valid: BoolArray | None) -> Array:
    """Write the no-data value to invalid pixels, and move valid ones off it, in place."""
    depth = pixels.dtype
    if depth.kind != "f" and not (
        nodata == round(nodata) and np.iinfo(depth).min <= nodata <= np.iinfo(depth).max
    ):
        raise InputError(f"depth {depth}: cannot hold the no-data value {nodata:g}; use float32")
    value = depth.type(nodata)
    bands = pixels.reshape(*pixels.shape[:2], -1)
    beside = value + 1 if depth.kind != "f" and value < 1 else value - 1
    if depth.kind == "f":
        beside = np.nextafter(value, depth.type(0.5))
    bands[(bands == value).all(axis=2)] = beside
    if valid is not None:
        bands[~valid] = value
    return pixels


def check_shape(array: Array, name: str) -> None:
    """Check that an array is (rows, cols) or (rows, cols, channels), and not empty."""
    if array.ndim not in (2, 3):
        form = "(rows, cols) or (rows, cols, channels)"
        raise InputError(f"{name}: shape {array.shape}; must be {form}")
    if array.size == 0:
        raise InputError(f"{name}: empty (shape {array.shape}); give at least one pixel")


def check_values(array: Array, name: str, bounded: bool) -> None:
    """Check that samples are finite and, if bounded, not negative and not above 16."""
    low, high = float(array.min(initial=0.0)), float(array.max(initial=0.0))
    if not np.isfinite([low, high]).all():
        count = array.size - np.count_nonzero(np.isfinite(array))
        noun = "sample is" if count == 1 else "samples are"
        raise InputError(f"{name}: {count} {noun} NaN or infinite; mask them or replace them")
    if low < 0 and bounded:
        raise InputError(f"{name}: negative values (minimum {low:.4g}); clip or shift them")
    if high > _BRIGHTEST_FLOAT and bounded and array.dtype.kind == "f":
        white = 255 if high <= 255 else 65535
        raise InputError(f"{name}: maximum {high:.6g} looks like 0..{white}: divide by {white}")


def checked_mask(valid: BoolArray, array: Array, name: str) -> BoolArray:
    """Return a mask of valid pixels, checked to be bool and of the size of an array."""
    valid = np.asarray(valid)
    if valid.dtype != np.bool_:
        raise InputError(f"valid: type {valid.dtype}; must be bool")
    if valid.shape != array.shape[:2]:
        raise MismatchError(f"valid: shape {valid.shape}; {name} has {array.shape[:2]}")
    return valid


def unmasked(pixels: ArrayLike, name: str) -> Array:
    """Return a plain array; refuse masked samples, which NumPy would silently unmask."""
    if isinstance(pixels, np.ma.MaskedArray) and np.ma.is_masked(pixels):
        count = np.count_nonzero(np.ma.getmaskarray(pixels))
        raise InputError(
            f"{name}: {count} samples are masked; fill them with a value, "
            f"{name}.filled(...), or crop them away"
        )
    return np.asarray(pixels)
