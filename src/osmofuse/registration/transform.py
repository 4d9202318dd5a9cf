"""Transforms of the plane, from points of the background to the foreground.

Points are (x, y), columns before rows, as in OpenCV and in files of control points; the centre of
the first pixel is (0, 0).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

import numpy as np

from osmofuse.errors import InputError
from osmofuse.registration.opencv import opencv
from osmofuse.typing import Array, ArrayLike, FloatArray

Kind = Literal["translation", "similarity", "affine", "homography"]
KINDS: tuple[Kind, ...] = get_args(Kind)
# Pairs of points that determine each kind.
LEAST_POINTS = {"translation": 1, "similarity": 2, "affine": 3, "homography": 4}


@dataclass(frozen=True, eq=False)
class Transform:
    r"""Transform from points of the background to the foreground.

    .. math:: (x', y', 1)^\top \sim H (x, y, 1)^\top

    Parameters
    ----------
    kind : {"translation", "similarity", "affine", "homography"}
        Kind of the transform.
    matrix : array of shape (3, 3)
        :math:`H`, with 1 in its last corner.
    deformation : Deformation, optional
        Smooth field on the foreground, applied after the matrix.
    """

    kind: Kind
    matrix: FloatArray
    deformation: Deformation | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "matrix", normalised(np.asarray(self.matrix, np.float64)))

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        return self.matrix.astype(dtype or np.float64)

    def __call__(self, points: ArrayLike) -> FloatArray:
        """Map points (x, y) of the background to the foreground.

        Parameters
        ----------
        points : array_like of shape (n, 2)
            Columns before rows.

        Returns
        -------
        array of shape (n, 2)
            Positions in the foreground.
        """
        ends = carried(self.matrix, np.asarray(points, np.float64))
        return ends if self.deformation is None else self.deformation.undone(ends)

    @property
    def rotation(self) -> float:
        """Degrees by which the centre of the plane is turned, clockwise as seen."""
        return math.degrees(math.atan2(self.matrix[1, 0], self.matrix[0, 0]))


def normalised(matrix: FloatArray) -> FloatArray:
    """Return a homography with 1 in its last corner."""
    return np.asarray(matrix / matrix[2, 2])


def carried(matrix: FloatArray, points: FloatArray) -> FloatArray:
    """Map points (x, y) of shape (n, 2) by a homography."""
    ends = points @ matrix[:, :2].T + matrix[:, 2]
    return np.asarray(ends[:, :2] / ends[:, 2:])


def corners(shape: tuple[int, ...]) -> FloatArray:
    """Return the centres of the corner pixels of a picture of (rows, cols, ...)."""
    right, bottom = shape[1] - 1.0, shape[0] - 1.0
    return np.array([[0, 0], [right, 0], [right, bottom], [0, bottom]])


def area(outline: FloatArray) -> float:
    """Return the area of a polygon with corners (x, y)."""
    following = np.roll(outline, -1, axis=0)
    return abs(float((outline[:, 0] * following[:, 1] - outline[:, 1] * following[:, 0]).sum())) / 2


def scaling(scale: float, shift: ArrayLike) -> FloatArray:
    """Return the matrix of a scale, followed by a shift (x, y)."""
    matrix = np.diag([scale, scale, 1.0])
    matrix[:2, 2] = shift
    return matrix


def basis(kind: Kind) -> FloatArray:
    """Return the small changes that a kind of transform allows, as matrices to add to the unit."""
    unit = np.eye(9).reshape(9, 3, 3)
    if kind == "translation":
        return unit[[2, 5]]
    if kind == "similarity":
        return np.array([unit[0] + unit[4], unit[1] - unit[3], unit[2], unit[5]])
    return unit[:6] if kind == "affine" else unit[:8]


def rates(kind: Kind, points: FloatArray) -> FloatArray:
    """Return the derivatives of points by the changes of `basis`; shape (n, 2, changes)."""
    one = np.column_stack([points, np.ones(len(points))])
    moved = np.einsum("kij,nj->nik", basis(kind), one)
    return np.asarray(moved[:, :2] - points[:, :, None] * moved[:, 2:])


def fitted(kind: Kind, start: FloatArray, end: FloatArray, iterations: int = 8) -> FloatArray:
    r"""Fit a transform to pairs of points by least squares, :math:`\min \sum |H p - q|^2`.

    Steps of Gauss and Newton, from the transform that joins centres and sizes. An InputError is
    raised for too few points, or points on one another or on a line.
    """
    if len(start) < LEAST_POINTS[kind]:
        least = LEAST_POINTS[kind]
        raise InputError(
            f"points: {len(start)} pairs; a {kind} needs at least {least}; mark more, "
            "or take a simpler transform"
        )
    here, there = _centred(start), _centred(end)
    if kind == "translation":
        there = there @ np.diag([here[0, 0] / there[0, 0]] * 2 + [1.0])
        there[:2, 2] = end.mean(axis=0)
    p, q = carried(np.linalg.inv(here), start), carried(np.linalg.inv(there), end)
    matrix = np.eye(3)
    for _ in range(iterations):
        now = carried(matrix, p)
        slopes = rates(kind, now).reshape(2 * len(p), -1)
        change, _, rank, _ = np.linalg.lstsq(slopes, (q - now).ravel(), rcond=1e-9)
        if rank < slopes.shape[1]:
            raise InputError(f"points: they lie on a line or on one another; no {kind} fits")
        matrix = (np.eye(3) + np.tensordot(change, basis(kind), 1)) @ matrix
    return normalised(there @ matrix @ np.linalg.inv(here))


def _centred(points: FloatArray) -> FloatArray:
    """Return the map from points about 0 of size 1 to these."""
    centre = points.mean(axis=0)
    size = float(np.sqrt(((points - centre) ** 2).sum(axis=1).mean())) or 1.0
    return scaling(size, centre)


@dataclass(frozen=True, eq=False)
class Deformation:
    """Shifts on a grid over the foreground; between its nodes they are interpolated.

    Parameters
    ----------
    shifts : array of float32, (rows, cols, 2)
        Shift to be added to (x, y) of the foreground before the inverse matrix is applied.
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
        return np.asarray(found.reshape(-1, 2)[: len(points)])

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
        """True if a slope of the field exceeds 0.5, so that it may fold the picture."""
        rows, cols = self.shifts.shape[:2]
        step = [(n - 1) / max(1, k - 1) for n, k in zip(self.shape, (rows, cols), strict=True)]
        slopes = [np.abs(np.diff(self.shifts, axis=k)).max(initial=0) / step[k] for k in (0, 1)]
        return bool(max(slopes) > 0.5)
