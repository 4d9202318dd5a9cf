"""Channels in grey levels, as the fusion benchmark VIFB takes pictures: doubles from 0 to 255.

Samples stored in 8 bits become whole numbers without rounding errors, so counting levels and
comparing gradients for equality are well defined.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Literal, NamedTuple, get_args

import numpy as np

from osmofuse.checks import choice
from osmofuse.errors import InputError, MismatchError
from osmofuse.pixels import bands_of, plane_of
from osmofuse.typing import Array, FloatArray

COUNT = 256  # levels of 8 bits
# Luma weights of red, green and blue (ITU-R BT.601), with the digits of MATLAB's rgb2gray.
LUMINANCE = (0.298936021293776, 0.587043074451121, 0.114020904255103)

Colour = Literal["mean", "grey"]


def mean_over_channels(
    value: Callable[..., float],
    fused: FloatArray,
    *sources: FloatArray,
    prepare: Callable[[FloatArray], FloatArray] = np.asarray,
    side: int = 1,
) -> float:
    """Return the mean over the channels of a function of planes in grey levels.

    `value` takes one prepared channel of the fused picture and of each source; a source of one band
    is used for every channel. `prepare` is applied to each plane first and may change it. Its
    result is reused if the next channel is equal: infrared pictures are often stored as three equal
    bands. `side` is the smallest number of rows and columns that the function needs.
    """
    check_sources(fused, *sources)
    check_side(fused, side)
    channels, pictures = bands_of(fused), (fused, *sources)
    prepared: list[FloatArray | None] = [None] * len(pictures)
    values = list[float]()
    for c in range(channels):
        for k, x in enumerate(pictures):
            if prepared[k] is None or not np.array_equal(plane_of(x, c), plane_of(x, c - 1)):
                prepared[k] = None  # free the previous plane first: planes may be large
                prepared[k] = prepare(in_levels(x, c))
        values.append(value(*prepared))
    return math.fsum(values) / channels


def check_sources(fused: FloatArray, *sources: FloatArray | None) -> None:
    """Raise a MismatchError if a source has another size than the fused picture, or other bands.

    Sources are the foreground and the background, in this order; None is allowed.
    """
    for name, source in zip(("foreground", "background"), sources, strict=False):
        if source is None:
            continue
        if source.shape[:2] != fused.shape[:2] or bands_of(source) not in (1, bands_of(fused)):
            raise MismatchError(f"{name}: shape {source.shape} does not fit fused, {fused.shape}")


def check_side(fused: FloatArray, side: int) -> None:
    """Raise an InputError if a picture has fewer rows or columns than a metric needs."""
    if min(fused.shape[:2]) < side:
        raise InputError(
            f"fused: shape {fused.shape[:2]}; this metric needs {side} pixels in both directions"
        )


def check_colours(fused: FloatArray) -> None:
    """Raise an InputError if a picture has one channel only."""
    if bands_of(fused) == 1:
        raise InputError("fused: needs more than one channel to have a chromaticity")


def rounding_in(*planes: FloatArray) -> float:
    """Return the largest difference that rounding to single precision can explain.

    That is four times the spacing of float32 at the largest sample: one for the difference of two
    rounded samples, and a margin for sums of them.
    """
    largest = max(float(np.abs(plane).max(initial=0.0)) for plane in planes)
    return 4.0 * float(np.finfo(np.float32).eps) * largest


def clear_rounding(variance: FloatArray, plane: FloatArray) -> None:
    """Set local variances of a plane to 0, in place, where rounding can explain them."""
    variance[np.sqrt(variance) <= rounding_in(plane)] = 0.0


def in_levels(picture: FloatArray, channel: int) -> FloatArray:
    """Return a channel, or the only one, in grey levels: white at 255."""
    plane = plane_of(picture, channel)
    # In the precision of the picture: there k / 255 * 255 is k, for every k up to 255.
    return np.asarray(plane * plane.dtype.type(255.0), np.float64)


def quality_planes(picture: FloatArray, colour: Colour) -> Iterator[FloatArray]:
    """Yield the planes, in grey levels, over which a metric without reference is averaged.

    "mean" yields the channels; "grey" yields the luma of three (ITU-R BT.601), rounded to whole
    levels as MATLAB does for 8-bit pictures.
    """
    choice("colour", colour, get_args(Colour))
    channels = bands_of(picture)
    if colour == "mean" or channels == 1:
        for c in range(channels):
            yield in_levels(picture, c)
    elif channels == len(LUMINANCE):
        yield np.rint(sum(weight * in_levels(picture, c) for c, weight in enumerate(LUMINANCE)))
    else:
        raise InputError(f"fused: {channels} channels have no grey; use colour='mean'")


def stretched(x: FloatArray) -> FloatArray:
    """Stretch a plane to 0..255 in place and round it, halves upwards; constants become 0."""
    x -= x.min()
    most = x.max()
    if most > 0:
        x /= most
    x *= COUNT - 1
    x += 0.5
    return np.floor(x, out=x)


def counts(x: FloatArray) -> Array:
    """Return the histogram of the 256 levels; samples out of range count as black or white."""
    return np.bincount(_bins(x).ravel(), minlength=COUNT)


def joint_counts(x: FloatArray, y: FloatArray) -> Array:
    """Return the joint histogram of two planes, (256, 256)."""
    pairs = _bins(x)
    pairs *= COUNT
    pairs += _bins(y)
    return np.bincount(pairs.ravel(), minlength=COUNT * COUNT).reshape(COUNT, COUNT)


def _bins(x: FloatArray) -> Array:
    return np.clip(np.floor(x), 0, COUNT - 1).astype(np.intp)


class Entropies(NamedTuple):
    """Entropies of two planes and of their pairs, in nats."""

    x: float
    y: float
    joint: float

    @property
    def mutual(self) -> float:
        """Mutual information in nats; at least 0 despite rounding."""
        return max(self.x + self.y - self.joint, 0.0)


def entropies(joint: Array) -> Entropies:
    """Return the entropies of two planes from their joint histogram."""
    p = joint / joint.sum()
    return Entropies(_nats(p.sum(axis=1)), _nats(p.sum(axis=0)), _nats(p))


def _nats(p: Array) -> float:
    p = p[p > 0]
    return float(-(p * np.log(p)).sum()) + 0.0  # no negative zero
