"""Working space: samples as encoded in the file, or proportional to light.

Osmosis depends on ratios. A pure power of the samples only scales its drift, but the curve of sRGB
has a straight toe, and the offset is added to the samples of either space, so that shadows differ
between the two. The default is the encoding of the file, as in the paper.
"""

from __future__ import annotations

from typing import Literal, get_args

import numpy as np

from osmofuse.errors import SettingError
from osmofuse.io.icc import Curve, parametric, tone_curves
from osmofuse.typing import FloatArray

Space = Literal["encoded", "linear"]

_SRGB = parametric(2.4, 1 / 1.055, 0.055 / 1.055, 1 / 12.92, 0.04045)


def to_working(array: FloatArray, space: Space, profile: bytes | None = None) -> FloatArray:
    """Convert samples of a file to the working space.

    Parameters
    ----------
    array : array of floats, (rows, cols) or (rows, cols, channels)
        On the scale where 1.0 is white; never changed.
    space : {"encoded", "linear"}
        Encoded: as they are. Linear: proportional to light, by the tone curves of the profile;
        without them (no profile, or one with lookup tables), by that of sRGB.
    profile : bytes, optional
        The ICC profile of the picture.

    Returns
    -------
    array
        Of the same type; the input itself if encoded. The curves continue above white and are
        mirrored below black, so that nothing is clipped.
    """
    return _applied(array, space, profile, 0)


def from_working(array: FloatArray, space: Space, profile: bytes | None = None) -> FloatArray:
    """Convert samples from the working space to those of a file.

    Parameters
    ----------
    array, space, profile
        As for `to_working`, whose inverse this is.

    Returns
    -------
    array
        Of the same type; the input itself if encoded.
    """
    return _applied(array, space, profile, 1)


def _applied(array: FloatArray, space: Space, profile: bytes | None, way: int) -> FloatArray:
    if space not in get_args(Space):
        raise SettingError(f"working space: {space!r}; must be encoded or linear")
    if space == "encoded":
        return array
    channels = 1 if array.ndim == 2 else array.shape[2]
    result = np.empty_like(array)
    for index, curve in enumerate(_curves(profile, channels)):
        plane = array if array.ndim == 2 else array[..., index]
        light = np.sign(plane) * curve[way](np.abs(plane))
        result[... if array.ndim == 2 else (..., index)] = light
    return result


def _curves(profile: bytes | None, channels: int) -> tuple[Curve, ...]:
    """Return a curve for each channel."""
    found = tone_curves(profile) if profile else ()
    if not found:
        return (_SRGB,) * channels
    # With another number of channels, use the curve of green, the nearest to luminance.
    return found if len(found) == channels else (found[len(found) // 2],) * channels
