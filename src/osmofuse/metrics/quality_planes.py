"""The planes of a picture that the measures without reference look at."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

import numpy as np

from osmofuse.errors import InputError, SettingError
from osmofuse.metrics.grey_levels import LUMINANCE, in_levels
from osmofuse.pixels import bands_of
from osmofuse.typing import FloatArray

Colour = Literal["mean", "grey"]


def quality_planes(picture: FloatArray, colour: Colour) -> Iterator[FloatArray]:
    """Yield the planes, in grey levels of 255, whose scores are to be averaged.

    Parameters
    ----------
    picture : array, (rows, cols) or (rows, cols, channels)
        White at 1.0.
    colour : {"mean", "grey"}
        The channels one by one; or one grey, of red, green and blue with the weights of ITU-R
        BT.601, rounded to whole levels as MATLAB rounds that of 8-bit pictures.

    Raises
    ------
    InputError
        A grey is wanted of two channels, or of more than three.
    SettingError
        Another colour rule.
    """
    if colour not in ("mean", "grey"):
        raise SettingError(f"colour: {colour!r}; must be 'mean' or 'grey'")
    channels = bands_of(picture)
    if colour == "mean" or channels == 1:
        for c in range(channels):
            yield in_levels(picture, c)
    elif channels == len(LUMINANCE):
        yield np.rint(sum(weight * in_levels(picture, c) for c, weight in enumerate(LUMINANCE)))
    else:
        raise InputError(f"fused: {channels} channels have no grey; use colour='mean'")
