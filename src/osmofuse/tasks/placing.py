"""Object placed in the frame of another picture: scaled, rotated, shifted, cut at its border."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np

from osmofuse.errors import InputError, SettingError
from osmofuse.pixels import size_of
from osmofuse.registration import Transform
from osmofuse.registration.transform import corners
from osmofuse.registration.warp import warped
from osmofuse.typing import BoolArray, FloatArray

MOST_SIDE = 60_000  # pixels of the object's frame after scaling; a limit on mistakes


@dataclass(frozen=True, eq=False)
class Turned:
    """Object in its own frame, after scaling and turning.

    Attributes
    ----------
    image : array, (rows, cols, channels)
        Samples, white at 1.
    mask : array, (rows, cols)
        From 0 to 1; 0 where the picture has no data.
    known : array of bool, (rows, cols)
        True where the picture has data.
    """

    image: FloatArray = field(repr=False)
    mask: FloatArray = field(repr=False)
    known: BoolArray = field(repr=False)

    def cut(self, rows: slice, cols: slice) -> Turned:
        """Return a part; a view."""
        part = rows, cols
        return Turned(self.image[part], self.mask[part], self.known[part])


def turned(
    image: FloatArray, mask: FloatArray, known: BoolArray, scale: float, rotate: float
) -> Turned:
    """Scale an object, and turn it clockwise by degrees, within the frame that holds all of it."""
    if scale == 1.0 and rotate % 360.0 == 0.0:
        return Turned(image, np.where(known, mask, 0.0), known)
    angle = math.radians(rotate)
    linear = scale * np.array(
        [[math.cos(angle), -math.sin(angle)], [math.sin(angle), math.cos(angle)]]
    )
    # Pixels have a size: the frame holds their outer edges, not only their centres.
    rows, cols = mask.shape
    edge = (corners((rows + 1, cols + 1)) - 0.5) @ linear.T
    low, size = edge.min(axis=0), np.ptp(edge, axis=0)
    width, height = (max(1, round(float(x))) for x in size)
    if max(width, height) > MOST_SIDE:
        raise SettingError(
            f"scale: {scale:g} makes the object {size_of((height, width))} pixels; at most "
            f"{MOST_SIDE} a side; use a smaller scale"
        )
    matrix = np.eye(3)
    matrix[:2, :2], matrix[:2, 2] = linear, -low - 0.5
    to_frame = Transform("similarity", matrix)
    plane = image[..., 0] if image.shape[2] == 1 else image  # OpenCV drops a single band
    pixels, shown = warped(np.ascontiguousarray(plane), to_frame, (height, width), valid=known)
    cover, _ = warped(mask.astype(np.float32), to_frame, (height, width))
    image = pixels.reshape(height, width, -1)
    return Turned(image, np.where(shown, np.clip(cover, 0.0, 1.0), 0.0), shown)


@dataclass(frozen=True)
class Overlap:
    """Part of the object's frame that lies in a picture.

    Attributes
    ----------
    place : tuple of slice
        The part in the picture: rows, columns.
    part : tuple of slice
        The same in the object's frame.
    """

    place: tuple[slice, slice]
    part: tuple[slice, slice]


def overlap(mask: FloatArray, at: tuple[int, int], shape: tuple[int, int]) -> Overlap:
    """Return the box of a mask's frame within a picture, cut to where the mask is not 0."""
    box = [np.flatnonzero((mask > 0.0).any(axis=axis)) for axis in (1, 0)]
    if not len(box[0]):
        raise InputError(
            "mask: nothing of the object is left, after scaling and where its picture has data; "
            "use a larger scale, or mark other pixels"
        )
    place, part = [], []
    for inside, begin, size in zip(box, at, shape, strict=True):
        first, last = max(int(inside[0]), -begin), min(int(inside[-1]) + 1, size - begin)
        if first >= last:
            raise InputError(
                f"at: {at[0]}, {at[1]} (row, column) lays the object outside of INTO, which has "
                f"{shape[0]} rows and {shape[1]} columns; choose a place inside"
            )
        place.append(slice(begin + first, begin + last))
        part.append(slice(first, last))
    found = Overlap((place[0], place[1]), (part[0], part[1]))
    if not mask[found.part].any():
        raise InputError(
            f"at: {at[0]}, {at[1]} (row, column): nothing of the object lies in INTO; choose a "
            "place inside"
        )
    return found
