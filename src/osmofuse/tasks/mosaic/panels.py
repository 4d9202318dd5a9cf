"""Panels of a mosaic: pictures at their places on one canvas."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

import numpy as np

from osmofuse.pixels import bands_of, plane_of, scaled, white_of
from osmofuse.typing import Array, BoolArray, FloatArray

Box: TypeAlias = tuple[slice, slice]

# Samples above this share of white may be clipped: in 8 bits 254 and 255, as JPEG has them.
_CLIPPED = 0.994
# Factor on the weight of pixels with clipped samples: others that show the same replace them.
# Anything in 1e-6..1e-3 works.
_CLIPPED_WEIGHT = 1e-4


@dataclass(frozen=True, eq=False)
class Panel:
    """One picture of a mosaic.

    Attributes
    ----------
    name : str
        Name of the picture in messages.
    pixels : array, (rows, cols) or (rows, cols, channels)
        Stored colours, checked.
    box : tuple of slice
        Its rows and columns on the canvas.
    valid : array of bool or None
        Where the panel has data; None everywhere.
    flat : array or None
        Light at each pixel relative to the mean: one band, or as many as the panel.
    """

    name: str
    pixels: Array
    box: Box
    valid: BoolArray | None = None
    flat: FloatArray | None = None

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        return self.pixels.shape[0], self.pixels.shape[1]

    @property
    def channels(self) -> int:
        """Number of bands of colour."""
        return bands_of(self.pixels)

    @property
    def size(self) -> int:
        """Number of pixels with data."""
        rows, cols = self.shape
        return rows * cols if self.valid is None else int(np.count_nonzero(self.valid))

    @cached_property
    def ceiling(self) -> float:
        """Stored value from which on samples may be clipped; inf for floats above white."""
        white = white_of(self.pixels.dtype, self.name)
        known = self.pixels if self.valid is None else self.pixels[self.valid]
        return float("inf") if white == 1 and float(known.max()) > 1.0 else _CLIPPED * white

    def plane(self, channel: int, dtype: type) -> FloatArray:
        """Return a channel with white at 1.0, divided by the flat field; 0 without data."""
        x = scaled(plane_of(self.pixels, channel), dtype)
        if self.flat is not None:
            x /= np.maximum(plane_of(self.flat, channel), np.finfo(np.float32).tiny)
        if self.valid is not None:
            x[~self.valid] = 0.0
        return x

    @cached_property
    def weight(self) -> FloatArray:
        """Distance of each pixel to the border, 0 without data; less where samples are clipped."""
        w = border_distance(self.shape, self.valid)
        high = self.pixels >= self.ceiling
        w[high if high.ndim == 2 else high.any(axis=2)] *= np.float32(_CLIPPED_WEIGHT)
        return w

    def holds(self, points: tuple[Array, Array]) -> BoolArray:
        """Return where points of the canvas, rows and columns, are data of the panel."""
        rows, cols = (at - side.start for at, side in zip(points, self.box, strict=True))
        inside = (rows >= 0) & (rows < self.shape[0]) & (cols >= 0) & (cols < self.shape[1])
        if self.valid is not None:
            inside[inside] = self.valid[rows[inside], cols[inside]]
        return np.asarray(inside)

    def within(self, box: Box) -> BoolArray:
        """Return where in a box of the canvas the panel has data."""
        found = np.zeros(tuple(side.stop - side.start for side in box), bool)
        both = [
            slice(max(own.start, side.start), min(own.stop, side.stop))
            for own, side in zip(self.box, box, strict=True)
        ]
        if any(side.stop <= side.start for side in both):
            return found
        here, own = (
            tuple(slice(b.start - s.start, b.stop - s.start) for b, s in zip(both, of, strict=True))
            for of in (box, self.box)
        )
        found[here] = True if self.valid is None else self.valid[own]
        return found


def border_distance(shape: tuple[int, int], valid: BoolArray | None) -> FloatArray:
    """Return the distance of each pixel to the nearest one without data or outside."""
    if valid is None:
        down, right = (np.minimum(np.arange(n) + 1, n - np.arange(n)) for n in shape)
        return np.minimum(down[:, None], right[None, :]).astype(np.float32)
    from scipy.ndimage import distance_transform_edt

    found = distance_transform_edt(np.pad(valid, 1))
    return np.ascontiguousarray(found[1:-1, 1:-1], np.float32)
