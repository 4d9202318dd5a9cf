"""What a homography leaves: the slow waves of parchment, as a smooth field of small shifts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

import numpy as np

from osmofuse.preparation.registration.opencv import opencv
from osmofuse.preparation.registration.orientation import orientation
from osmofuse.preparation.registration.tiles import local_shifts
from osmofuse.typing import FloatArray

if TYPE_CHECKING:
    from osmofuse.preparation.registration.frame import Frame

_GRID = 25  # nodes along the longer side
_RADIUS = 10
_SIZE = 56
_SIGMA = 2.0
_STIFFNESS = 1.0  # of the thin plate, against the errors of the tiles
_ROUNDS = 3


@dataclass(frozen=True, eq=False)
class Deformation:
    """Shifts on a grid over the foreground; between its nodes they are interpolated.

    Parameters
    ----------
    shifts : array of float32, (rows, cols, 2)
        At a pixel of the foreground, what to add to (x, y) before the transform is undone.
    shape : tuple of int
        Rows and columns of the foreground, which the grid spans from corner to corner.
    """

    shifts: FloatArray
    shape: tuple[int, int]

    def at(self, points: FloatArray) -> FloatArray:
        """Return the shifts at points (x, y), of shape (n, 2); beyond the grid, of its edge."""
        cv2 = opencv()
        rows, cols = self.shifts.shape[:2]
        across = points[:, 0] * ((cols - 1) / max(1, self.shape[1] - 1))
        down = points[:, 1] * ((rows - 1) / max(1, self.shape[0] - 1))
        # A tall column of points is more than OpenCV takes.
        place = [np.clip(p, 0, n - 1).astype(np.float32) for p, n in ((across, cols), (down, rows))]
        width = 4096
        count = -(-len(points) // width) * width
        maps = [np.pad(p, (0, count - len(p))).reshape(-1, width) for p in place]
        found = cv2.remap(self.shifts, *maps, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
        return cast(FloatArray, found.reshape(-1, 2)[: len(points)])

    def undone(self, points: FloatArray) -> FloatArray:
        """Return the points q with q + shift(q) = p, for points p of shape (n, 2)."""
        places = points.copy()
        for _ in range(10):
            places = points - self.at(places)
        return places

    @property
    def largest(self) -> float:
        """The longest shift in pixels."""
        return float(np.hypot(*np.moveaxis(self.shifts, 2, 0)).max())

    @property
    def folds(self) -> bool:
        """True if the field is so steep that it lays the picture over itself."""
        rows, cols = self.shifts.shape[:2]
        step = [(n - 1) / max(1, k - 1) for n, k in zip(self.shape, (rows, cols), strict=True)]
        slopes = [np.abs(np.diff(self.shifts, axis=k)).max(initial=0) / step[k] for k in (0, 1)]
        return bool(max(slopes) > 0.5)


def residual_field(
    frame: Frame, transform: FloatArray, shape: tuple[int, int]
) -> Deformation | None:
    r"""Find the smooth field that takes away the shifts that a transform leaves.

    Tiles are looked for again and again; through their shifts goes a thin plate, which bends as
    little as their errors ask for.

    Parameters
    ----------
    frame : Frame
        Both pictures.
    transform : array of shape (3, 3)
        Takes points of the moving picture to the fixed one.
    shape : tuple of int
        Rows and columns of the fixed picture.

    Returns
    -------
    Deformation or None
        None where too few tiles have structure.
    """
    target = orientation(frame.fixed, _SIGMA)
    field = None
    for _ in range(_ROUNDS):
        shifts = local_shifts(
            orientation(frame.carried(transform, field), _SIGMA), target, size=_SIZE, radius=_RADIUS
        )
        good = _in_step(shifts.centres, shifts.shifts)
        if np.count_nonzero(good) < 12:
            return field
        places = (shifts.centres[good] - frame.matrix[:2, 2]) / frame.scale
        moved = shifts.shifts[good] / frame.scale
        if field is not None:
            moved = moved + field.at(places)
        field = _plate(places, moved, shape)
    return field


def _in_step(centres: FloatArray, shifts: FloatArray) -> FloatArray:
    """Return which tiles shift as their neighbours do."""
    from scipy.spatial import cKDTree

    if len(centres) < 8:
        return np.zeros(len(centres), np.bool_)
    _, near = cKDTree(centres).query(centres, k=8)
    off = np.hypot(*(shifts - np.median(shifts[near], axis=1)).T)
    return cast(FloatArray, off < 1.5)


def _plate(places: FloatArray, moved: FloatArray, shape: tuple[int, int]) -> Deformation:
    from scipy.interpolate import RBFInterpolator

    longer = max(shape)
    rows, cols = (max(2, round(_GRID * side / longer)) for side in shape)
    down, across = np.meshgrid(
        np.linspace(0, shape[0] - 1, rows), np.linspace(0, shape[1] - 1, cols), indexing="ij"
    )
    nodes = np.column_stack([across.ravel(), down.ravel()])
    plate = RBFInterpolator(
        places / longer, moved, kernel="thin_plate_spline", smoothing=_STIFFNESS / len(places)
    )
    # Beyond the outermost tiles a plate would swing freely.
    held = np.clip(nodes, places.min(axis=0), places.max(axis=0))
    return Deformation(plate(held / longer).reshape(rows, cols, 2).astype(np.float32), shape)
