"""Previews of a fit: checkerboard, flicker pair, alpha map tinted over its picture."""

from __future__ import annotations

import math

import numpy as np

from osmofuse.errors import MismatchError, SettingError
from osmofuse.picture import Picture, as_alpha, checked, samples
from osmofuse.pixels import quantise
from osmofuse.report.canvas import TINT
from osmofuse.tasks.levels import apply_levels, range_used
from osmofuse.typing import Array, ArrayLike, BoolArray, FloatArray

PREVIEW = 1600  # pixels of a preview's longer side
_PREVIEW_SIDE = 128  # longer side below which a preview is enlarged; 100..200 work
_FLATTEST = 1e-6  # range below which a picture is flat and is not stretched


def checkerboard(
    foreground: ArrayLike | Picture,
    background: ArrayLike | Picture,
    *,
    valid: BoolArray | None = None,
    squares: int = 8,
    longest: int = PREVIEW,
) -> Array:
    """Return a checkerboard of two pictures; a line that breaks at a square shows a misfit.

    Parameters
    ----------
    foreground, background : array_like or Picture, (rows, cols) or (rows, cols, channels)
        Of one size, e.g. a foreground and the image of an `Alignment` to it.
    valid : array of bool, (rows, cols), optional
        Where False, the foreground is shown.
    squares : int
        Number along the longer side.
    longest : int
        Larger pictures are reduced by a whole number to at most this many pixels a side.

    Returns
    -------
    array of uint8, (rows, cols, 3)
        For looking at: each picture is stretched between its 0.1th and 99.9th percentile.
    """
    if squares < 2:
        raise SettingError(f"squares: {squares}; there must be 2 or more")
    return in_squares(*flicker(foreground, background, valid=valid, longest=longest), squares)


def in_squares(there: Array, here: Array, squares: int = 8) -> Array:
    """Return two pictures of one size in the squares of a checkerboard."""
    side = max(1, math.ceil(max(here.shape[:2]) / squares))
    down, across = (np.arange(n) // side for n in here.shape[:2])
    odd = (down[:, None] + across) % 2 == 1
    return np.where(odd[..., None], here, there)


def flicker(
    foreground: ArrayLike | Picture,
    background: ArrayLike | Picture,
    *,
    valid: BoolArray | None = None,
    longest: int = PREVIEW,
) -> tuple[Array, Array]:
    """Return two pictures to be shown in turn; a jump shows a misfit.

    Parameters
    ----------
    foreground, background, valid, longest
        As for `checkerboard`.

    Returns
    -------
    tuple of array and array
        uint8, (rows, cols, 3), of one size, as for `checkerboard`.
    """
    there = checked(foreground, "foreground", bounded=False)
    here = checked(background, "background", valid=valid, bounded=False)
    if here.shape[:2] != there.shape[:2]:
        raise MismatchError(
            f"background: {here.shape[0]} × {here.shape[1]} pixels, but foreground has "
            f"{there.shape[0]} × {there.shape[1]}; show the aligned picture"
        )
    step = math.ceil(max(here.shape[:2]) / longest)
    mask = None
    if valid is not None:
        here = np.where(valid if here.ndim == 2 else valid[..., None], here, 0)  # may be NaN
        mask = _reduced(valid, step) == 1
    beside = _shown(_reduced(there, step), None)
    if mask is not None and not mask.any():
        return beside, beside
    shown = _shown(_reduced(here, step), mask)
    if mask is not None:
        shown = np.where(mask[..., None], shown, beside)
    return beside, shown


def magnified(picture: Array) -> Array:
    """Return a picture of a few pixels enlarged by a whole number, so that it can be seen."""
    times = max(1, _PREVIEW_SIDE // max(picture.shape[:2]))
    return picture.repeat(times, axis=0).repeat(times, axis=1)


def _reduced(array: Array, step: int) -> FloatArray:
    """Return the means of blocks of pixels; blocks at the far borders may be smaller."""
    rows, cols = (np.arange(0, n, step) for n in array.shape[:2])
    if step == 1:
        return array.astype(np.float32)
    sums = np.add.reduceat(np.add.reduceat(array, rows, 0, np.float32), cols, 1)
    counts = np.outer(
        *(np.diff(np.append(s, n)) for s, n in zip((rows, cols), array.shape, strict=False))
    )
    return np.asarray(sums / (counts if sums.ndim == 2 else counts[..., None]), np.float32)


def _shown(values: FloatArray, valid: BoolArray | None) -> Array:
    values = np.maximum(values, 0)  # floats may overshoot
    top = float(values.max()) or 1.0
    if values.ndim == 3 and values.shape[2] not in (1, 3):
        values = values[..., :3] if values.shape[2] > 3 else values[..., :1]
    values = values / np.float32(top)
    if range_used(values, valid=valid) > _FLATTEST:
        values, _ = apply_levels(values, "percentiles", valid=valid)
    pixels = quantise(np.clip(values, 0, 1), np.uint8)[0]
    bands = pixels.reshape(*pixels.shape[:2], -1)
    return np.broadcast_to(bands, (*bands.shape[:2], 3)).copy()


STRENGTH = 0.6  # of the tint, at alpha 0
OUTLINE = (1.0, 1.0, 1.0)  # white


def overlay(image: ArrayLike | Picture, alpha: ArrayLike | Picture) -> Array:
    """Tint a picture where its map lets the background enter, and draw the line at one half.

    Parameters
    ----------
    image : array, (rows, cols) or (rows, cols, 3), or Picture
        The foreground; shown in grey, so that the tint is visible.
    alpha : array, (rows, cols) or (rows, cols, channels)
        The map; of several channels, their mean.

    Returns
    -------
    array of uint8, (rows, cols, 3)
        For looking at; values outside 0 to 1 are clipped.
    """
    x, a = samples(image, "image"), as_alpha(alpha)
    a = a.mean(axis=2) if a.ndim == 3 else a
    if a.shape != x.shape[:2]:
        raise MismatchError(f"alpha: shape {a.shape}, but the image has {x.shape[:2]}")
    grey = x if x.ndim == 2 else x.mean(axis=2)
    shown = np.repeat(np.clip(grey, 0.0, 1.0)[..., None], 3, axis=2).astype(np.float64)
    tint = STRENGTH * (1.0 - a)[..., None]
    shown = (1.0 - tint) * shown + tint * np.asarray(TINT) * (0.4 + 0.6 * shown)
    shown[_edge(a)] = OUTLINE
    return quantise(shown, np.uint8)[0]


def _edge(alpha: FloatArray) -> Array:
    """Return the kept pixels next to one that is not: a line one pixel wide."""
    kept = alpha >= 0.5
    inner = kept.copy()
    inner[1:] &= kept[:-1]
    inner[:-1] &= kept[1:]
    inner[:, 1:] &= kept[:, :-1]
    inner[:, :-1] &= kept[:, 1:]
    return np.asarray(kept & ~inner)
