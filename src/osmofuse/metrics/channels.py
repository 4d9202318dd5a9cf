"""Channel by channel: how the measures of two sources and a fused picture treat colour."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from osmofuse.errors import InputError, MismatchError
from osmofuse.picture import bands_of, plane_of
from osmofuse.typing import FloatArray

WHITE = 255.0

Measure = Callable[[FloatArray, FloatArray, FloatArray], float]


def channel_mean(
    measure: Measure,
    fused: FloatArray,
    foreground: FloatArray,
    background: FloatArray,
    *,
    side: int = 1,
) -> float:
    """Return the mean over the channels of a measure of (fused, foreground, background).

    Parameters
    ----------
    measure : callable
        Takes three planes in grey levels, float64 with white at 255, and gives a number.
    fused, foreground, background : array, (rows, cols) or (rows, cols, channels)
        White at 1.0. A source with one band is used with every channel of the fused picture.
    side : int
        The pixels that the measure needs in both directions.

    Raises
    ------
    InputError
        The pictures are smaller than `side`.
    MismatchError
        They differ in size or channels.
    """
    channels = bands_of(fused)
    for name, source in (("foreground", foreground), ("background", background)):
        if source.shape[:2] != fused.shape[:2] or bands_of(source) not in (1, channels):
            raise MismatchError(f"{name}: shape {source.shape} does not fit fused, {fused.shape}")
    check_side(fused, side)
    values = [
        measure(levels(fused, c), levels(foreground, c), levels(background, c))
        for c in range(channels)
    ]
    return math.fsum(values) / channels


def check_side(fused: FloatArray, side: int) -> None:
    """Raise an InputError where a picture is smaller than a measure needs it."""
    if min(fused.shape[:2]) < side:
        rows, cols = fused.shape[:2]
        raise InputError(
            f"fused: {rows} × {cols} pixels; this metric needs {side} pixels in both directions"
        )


def levels(picture: FloatArray, channel: int) -> FloatArray:
    """Return a channel in grey levels: float64, white at 255; levels of 8 bits are whole."""
    plane = plane_of(picture, channel)
    # In the plane's own precision: k/255 times 255 is k again, and equal edges stay equal.
    return np.asarray(plane * plane.dtype.type(WHITE), np.float64)
