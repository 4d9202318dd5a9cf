"""Grey copies of pictures, and the common frame in which two of them are compared.

A picture of a hundred megapixels is compared in a frame of a few; the copy is made from the
stored samples, so that no other array has the full size.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from osmofuse.registration.opencv import opencv
from osmofuse.registration.transform import Deformation, area, carried, corners, scaling
from osmofuse.typing import Array, BoolArray, FloatArray

_ENDS = (0.2, 99.8)  # percentiles of black and white, which exclude glare and dead pixels
_SAMPLE = 400_000  # pixels from which the percentiles are taken
# Scharr gradients that rounding alone can make of a copy: five times the worst case, 32 times an
# error of single precision at 1.5. A step of one level of 16 bits has ten times as much.
ROUNDING = 3e-5


@dataclass(frozen=True, eq=False)
class Plane:
    """Grey copy of a part of a picture: values about [0, 1], mask and position.

    The mask is 255 where the picture has data; the matrix maps points of the picture to the copy.
    """

    values: FloatArray
    mask: Array
    matrix: FloatArray

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        return self.values.shape[0], self.values.shape[1]

    def into(self, matrix: FloatArray, shape: tuple[int, int]) -> Plane:
        """Resample the copy in a frame; `matrix` maps points of the picture to the frame."""
        cv2 = opencv()
        whole = matrix @ np.linalg.inv(self.matrix)
        values = cv2.warpPerspective(
            self.values, whole, shape[::-1], flags=cv2.INTER_CUBIC, borderMode=cv2.BORDER_REPLICATE
        )
        mask = cv2.warpPerspective(self.mask, whole, shape[::-1], flags=cv2.INTER_NEAREST)
        return Plane(values, mask, matrix)


class View:
    """Picture in stored depth that makes grey copies of itself; `valid` is False without data."""

    def __init__(self, pixels: Array, valid: BoolArray | None = None) -> None:
        self.pixels = pixels
        self.valid = valid
        self.shape: tuple[int, int] = (pixels.shape[0], pixels.shape[1])
        self._black, self._white = self._range()

    def _range(self) -> tuple[float, float]:
        step = max(1, round(math.sqrt(self.shape[0] * self.shape[1] / _SAMPLE)))
        some = _grey(self.pixels[::step, ::step])
        shown = some if self.valid is None else some[self.valid[::step, ::step]]
        if shown.size == 0:
            return 0.0, 1.0
        low, high = (float(level) for level in np.percentile(shown, _ENDS))
        # Values that are equal in single precision are flat: they must not fill the range.
        flat = high - low <= 8 * np.finfo(np.float32).eps * max(abs(low), abs(high))
        return (low, low + 1.0) if flat else (low, high)

    def whole(self, pixels: int) -> Plane:
        """Return a copy of the whole picture, of at most `pixels` pixels."""
        factor = min(1.0, math.sqrt(pixels / (self.shape[0] * self.shape[1])))
        return self._copy((0, self.shape[0]), (0, self.shape[1]), factor)

    def part(self, matrix: FloatArray, shape: tuple[int, int]) -> Plane:
        """Return a copy of the part inside a frame, to which `matrix` maps, at its resolution."""
        seen = carried(np.linalg.inv(matrix), corners(shape))
        margin = 0.1 * np.ptp(seen, axis=0) + 8
        low = np.clip(np.floor(seen.min(axis=0) - margin), 0, None).astype(int)
        high = np.ceil(seen.max(axis=0) + margin).astype(int) + 1
        rows = _span(low[1], high[1], self.shape[0])
        cols = _span(low[0], high[0], self.shape[1])
        around = np.ptp(seen, axis=0)
        factor = min(1.0, max(shape) / max(float(around.max()), 1.0))
        return self._copy(rows, cols, factor)

    def _copy(self, rows: tuple[int, int], cols: tuple[int, int], factor: float) -> Plane:
        cv2 = opencv()
        # By a whole number: only then do all new pixels average alike. Warping does the rest.
        step = max(1, min(int(1 / factor), rows[1] - rows[0], cols[1] - cols[0]))
        size = ((cols[1] - cols[0]) // step, (rows[1] - rows[0]) // step)
        place = tuple(
            slice(start, start + step * count)
            for start, count in zip((rows[0], cols[0]), size[::-1], strict=True)
        )
        values = self._values(place, size)
        blur = 0.5 * math.sqrt(max(0.0, 1 / (factor * step) ** 2 - 1))
        if blur > 0.1:
            values = cv2.GaussianBlur(values, (0, 0), blur, borderType=cv2.BORDER_REPLICATE)
        mask = np.full(values.shape, 255, np.uint8)
        if self.valid is not None:
            shown = self.valid[place].astype(np.uint8)
            mask = cv2.resize(shown, size, interpolation=cv2.INTER_NEAREST) * np.uint8(255)
        # Centres of pixels: x' + 1/2 = (x - start + 1/2) / step.
        shift = [(0.5 - start) / step - 0.5 for start in (cols[0], rows[0])]
        return Plane(values, mask, scaling(1 / step, shift))

    def _values(self, place: tuple[slice, ...], size: tuple[int, int]) -> FloatArray:
        cv2 = opencv()
        part = self.pixels[place]
        if part.dtype == np.float16:
            part = part.astype(np.float32)
        if part.shape[1::-1] != size:
            part = cv2.resize(part, size, interpolation=cv2.INTER_AREA)
        values = _grey(part)
        values -= np.float32(self._black)
        values *= np.float32(1 / (self._white - self._black))
        if part.dtype.kind == "f":
            np.nan_to_num(values, copy=False)
        return np.asarray(np.clip(values, -0.5, 1.5, out=values))


def _span(low: int, high: int, length: int) -> tuple[int, int]:
    start = min(int(low), length - 1)
    return start, max(start + 1, min(int(high), length))


def _grey(pixels: Array) -> FloatArray:
    """Return the mean of the bands, as a new array."""
    if pixels.ndim == 2:
        return pixels.astype(np.float32)
    # Band by band: several times as fast as a mean over a short axis, and the same.
    values = pixels[..., 0].astype(np.float32)
    for k in range(1, pixels.shape[2]):
        values += pixels[..., k].astype(np.float32, copy=False)
    values /= np.float32(pixels.shape[2])
    return values


_LEAST_SIDE = 16  # pixels of the overlap; with less there is no frame


@dataclass(frozen=True, eq=False)
class Frame:
    """Both pictures, reduced to one resolution and cut to what they share.

    The matrix, a scale and a shift, maps points of the fixed picture to the frame. The part of the
    moving picture is in its own coordinates, that of the fixed picture in the frame.
    """

    matrix: FloatArray
    shape: tuple[int, int]
    moving: Plane
    fixed: Plane

    @property
    def scale(self) -> float:
        """Pixels of the frame for a pixel of the fixed picture."""
        return float(self.matrix[0, 0])

    def carried(self, transform: FloatArray, field: Deformation | None = None) -> Plane:
        """Return the moving picture in the frame, by a transform from it to the fixed one."""
        plane = self.moving.into(self.matrix @ transform, self.shape)
        return plane if field is None else self._deformed(plane, field)

    def _deformed(self, plane: Plane, field: Deformation) -> Plane:
        cv2 = opencv()
        down, across = np.mgrid[: self.shape[0], : self.shape[1]].astype(np.float32)
        places = np.column_stack([across.ravel(), down.ravel()])
        moved = field.at((places - self.matrix[:2, 2]) / self.scale) * self.scale
        maps = [
            (start + moved[:, k].reshape(self.shape)).astype(np.float32)
            for k, start in enumerate((across, down))
        ]
        values = cv2.remap(plane.values, *maps, cv2.INTER_CUBIC, borderMode=cv2.BORDER_REPLICATE)
        return Plane(values, cv2.remap(plane.mask, *maps, cv2.INTER_NEAREST), plane.matrix)

    def changed(self, transform: FloatArray, change: FloatArray) -> FloatArray:
        """Return a transform after a change that is given in the frame."""
        return np.linalg.inv(self.matrix) @ change @ self.matrix @ transform


def frame_of(moving: View, fixed: View, transform: FloatArray, pixels: int) -> Frame | None:
    """Return the frame for a transform, of at most `pixels` pixels; None without overlap."""
    outline = carried(transform, corners(moving.shape))
    low = np.maximum(np.floor(outline.min(axis=0)), 0)
    high = np.minimum(np.ceil(outline.max(axis=0)), np.array(fixed.shape[::-1]) - 1)
    extent = high - low + 1
    if not np.isfinite(extent).all() or extent.min() < _LEAST_SIDE:
        return None
    # Not much finer than the coarser picture.
    before = max(1.0, (moving.shape[0] - 1.0) * (moving.shape[1] - 1.0))
    finest = min(1.0, 1.5 / max(math.sqrt(area(outline) / before), 1e-6))
    scale = min(finest, math.sqrt(pixels / float(extent.prod())))
    shape = (max(1, round(extent[1] * scale)), max(1, round(extent[0] * scale)))
    matrix = scaling(scale, scale * (0.5 - low) - 0.5)
    there = fixed.part(matrix, shape).into(matrix, shape)
    return Frame(matrix, shape, moving.part(matrix @ transform, shape), there)
