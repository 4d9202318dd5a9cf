"""Channels in grey levels, as the fusion benchmark VIFB takes pictures: doubles from 0 to 255.

What was stored in 8 bits comes back as whole numbers, without rounding errors: counting levels
and comparing gradients for equality are then well defined.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from osmofuse.errors import InputError, MismatchError
from osmofuse.pixels import bands_of, plane_of
from osmofuse.typing import Array, FloatArray

COUNT = 256
# Of red, green and blue, as NTSC weighs them; the digits are those by which VIFB turns grey.
LUMINANCE = (0.298936021293776, 0.587043074451121, 0.114020904255103)


def mean_over_channels(
    value: Callable[..., float],
    fused: FloatArray,
    *sources: FloatArray,
    prepare: Callable[[FloatArray], FloatArray] = np.asarray,
    side: int = 1,
) -> float:
    """Return the mean of a function of planes in grey levels over the channels.

    Parameters
    ----------
    value : callable
        Given a channel of the fused picture and of each source, as `prepare` made them.
    fused, *sources : array, (rows, cols) or (rows, cols, channels)
        White at 1.0. A source of one band goes with every channel.
    prepare : callable
        What to make of each plane first; it may change the plane. Not done again for a plane
        that is like the one of the channel before: infrared pictures are often stored as three
        equal bands.
    side : int
        The pixels that the function needs in both directions.

    Raises
    ------
    InputError
        The pictures are smaller than `side`.
    MismatchError
        The pictures differ in size or channels.
    """
    channels = bands_of(fused)
    for source in sources:
        if source.shape[:2] != fused.shape[:2] or bands_of(source) not in (1, channels):
            raise MismatchError(f"source: shape {source.shape} does not fit fused, {fused.shape}")
    check_side(fused, side)
    pictures = (fused, *sources)
    made: list[FloatArray | None] = [None] * len(pictures)
    values = list[float]()
    for c in range(channels):
        for k, x in enumerate(pictures):
            if made[k] is None or not np.array_equal(plane_of(x, c), plane_of(x, c - 1)):
                made[k] = None  # let go of the one before first: planes may be large
                made[k] = prepare(in_levels(x, c))
        values.append(value(*made))
    return math.fsum(values) / channels


def rounding_in(*planes: FloatArray) -> float:
    """Return the largest difference that rounding to single precision can explain.

    Four times the spacing of float32 at the largest sample.
    """
    largest = max(float(np.abs(plane).max(initial=0.0)) for plane in planes)
    return 4.0 * float(np.finfo(np.float32).eps) * largest


def clear_rounding(variance: FloatArray, plane: FloatArray) -> None:
    """Set local variances of a plane to 0, in place, where rounding can explain them."""
    variance[np.sqrt(variance) <= rounding_in(plane)] = 0.0


def check_side(fused: FloatArray, side: int) -> None:
    """Raise an InputError where a picture is smaller than a metric needs it."""
    if min(fused.shape[:2]) < side:
        raise InputError(
            f"fused: shape {fused.shape[:2]}; this metric needs {side} pixels in both directions"
        )


def in_levels(picture: FloatArray, channel: int) -> FloatArray:
    """Return a channel, or the only one, in grey levels: white at 255."""
    plane = plane_of(picture, channel)
    # In the precision it came in: k / 255 * 255 is k there, for every k up to 255.
    return np.asarray(plane * plane.dtype.type(255.0), np.float64)


def stretched(x: FloatArray) -> FloatArray:
    """Stretch a plane from 0 to 255 in its place, and round it, half upwards; constants give 0."""
    x -= x.min()
    most = x.max()
    if most > 0:
        x /= most
    x *= COUNT - 1
    x += 0.5
    return np.floor(x, out=x)


def counts(x: FloatArray) -> Array:
    """Return how often each of the 256 levels occurs; others count as black or white."""
    return np.bincount(_bins(x).ravel(), minlength=COUNT)


def joint_counts(x: FloatArray, y: FloatArray) -> Array:
    """Return how often each pair of levels occurs, (256, 256)."""
    pairs = _bins(x)
    pairs *= COUNT
    pairs += _bins(y)
    return np.bincount(pairs.ravel(), minlength=COUNT * COUNT).reshape(COUNT, COUNT)


def _bins(x: FloatArray) -> Array:
    return np.clip(np.floor(x), 0, COUNT - 1).astype(np.intp)
