"""The frame in which two pictures are compared: what both show, at a bounded size."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from osmofuse.preparation.registration.deformation import Deformation
from osmofuse.preparation.registration.opencv import opencv
from osmofuse.preparation.registration.transform import carried, corners
from osmofuse.preparation.registration.views import Plane, View
from osmofuse.typing import FloatArray

_LEAST_SIDE = 16  # pixels; less overlap is none


@dataclass(frozen=True, eq=False)
class Frame:
    """Both pictures, reduced to one resolution and cut to what they share.

    Attributes
    ----------
    matrix : array of shape (3, 3)
        Takes points of the fixed picture to the frame: a scale and a shift.
    shape : tuple of int
        Rows and columns.
    moving : Plane
        The part of the moving picture, in its own coordinates.
    fixed : Plane
        The part of the fixed picture, in the frame.
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
    """Return the frame for a transform, of at most so many pixels; None where they do not meet."""
    outline = carried(transform, corners(moving.shape))
    low = np.maximum(np.floor(outline.min(axis=0)), 0)
    high = np.minimum(np.ceil(outline.max(axis=0)), np.array(fixed.shape[::-1]) - 1)
    extent = high - low + 1
    if not np.isfinite(extent).all() or extent.min() < _LEAST_SIDE:
        return None
    # Not much finer than either picture: the coarser one has nothing to say there.
    finest = min(1.0, 1.5 / max(_magnification(transform, moving.shape), 1e-6))
    scale = min(finest, math.sqrt(pixels / float(extent.prod())))
    shape = (max(1, round(extent[1] * scale)), max(1, round(extent[0] * scale)))
    matrix = np.array(
        [
            [scale, 0, scale * (0.5 - low[0]) - 0.5],
            [0, scale, scale * (0.5 - low[1]) - 0.5],
            [0, 0, 1.0],
        ]
    )
    there = fixed.part(matrix, shape).into(matrix, shape)
    return Frame(matrix, shape, moving.part(matrix @ transform, shape), there)


def _magnification(transform: FloatArray, shape: tuple[int, int]) -> float:
    """Return by how much a transform stretches lengths, on average."""
    outline = carried(transform, corners(shape))
    following = np.roll(outline, -1, axis=0)
    area = abs(float((outline[:, 0] * following[:, 1] - outline[:, 1] * following[:, 0]).sum())) / 2
    return math.sqrt(area / max(1.0, (shape[0] - 1.0) * (shape[1] - 1.0)))
