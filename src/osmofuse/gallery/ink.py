"""A broad-edged pen: strokes given by a few points become anti-aliased stamps of coverage."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.interpolate import CubicSpline

from osmofuse.typing import FloatArray

__all__ = ["Pen", "Stamp", "Stroke", "paste", "spiral", "stamp"]

Stroke = Sequence[tuple[float, float]]
"""Points (right, up) which the pen visits on a smooth curve."""


@dataclass(frozen=True)
class Pen:
    """Describe a nib: a short edge held at a fixed angle, so that the width follows the direction.

    Parameters
    ----------
    width : float
        Length of the edge, in the units of the strokes.
    thickness : float
        Half thickness of the edge: the hairline.
    angle : float
        Angle of the edge against the line of writing, in degrees.
    """

    width: float
    thickness: float
    angle: float = 35.0


@dataclass(frozen=True, eq=False)
class Stamp:
    """Hold a drawn sign and where its origin lies in it.

    Parameters
    ----------
    coverage : array of shape (rows, cols)
        Share of each pixel under ink, within [0, 1].
    row, col : int
        Pixel of the origin (left end of the base line) within `coverage`.
    """

    coverage: FloatArray
    row: int
    col: int


def stamp(strokes: Sequence[Stroke], scale: float, pen: Pen) -> Stamp:
    """Draw strokes with a pen.

    Parameters
    ----------
    strokes : sequence of Stroke
        The strokes, upwards positive.
    scale : float
        Pixels per unit.
    pen : Pen
        The nib, in the same units as the strokes.

    Returns
    -------
    Stamp
        The drawn sign.

    Notes
    -----
    The nib is a segment with round ends. Every sample of the path covers the pixels nearer to it
    than the hairline, with a one-pixel ramp; the sign is the largest cover. Cost: samples times
    the area of the nib, whatever the size of the sign.
    """
    half = pen.width * scale / 2
    # A hairline under a quarter of a pixel would vanish from small pictures.
    hairline = max(pen.thickness * scale, 0.25)
    path = np.concatenate([_samples(stroke, scale, hairline) for stroke in strokes])
    reach = int(np.ceil(half + hairline + 1))
    low, high = np.floor(path.min(axis=0)).astype(int), np.ceil(path.max(axis=0)).astype(int)
    cover = np.zeros(tuple(high - low + 2 * reach + 1), dtype=np.float32)
    origin = reach - low
    for point in path + origin:
        _touch(cover, point, reach, (half, hairline, np.radians(pen.angle)))
    return Stamp(cover, int(origin[0]), int(origin[1]))


def paste(canvas: FloatArray, sign: Stamp, row: float, col: float) -> None:
    """Lay a stamp on a canvas, in place; what falls outside is cut off.

    Parameters
    ----------
    canvas : array of shape (rows, cols)
        Coverage so far; keeps the larger value.
    sign : Stamp
        What to lay down.
    row, col : float
        Where the origin goes, rounded to a pixel.
    """
    top, left = round(row) - sign.row, round(col) - sign.col
    rows = slice(max(top, 0), min(top + sign.coverage.shape[0], canvas.shape[0]))
    cols = slice(max(left, 0), min(left + sign.coverage.shape[1], canvas.shape[1]))
    if rows.start >= rows.stop or cols.start >= cols.stop:
        return
    part = sign.coverage[rows.start - top : rows.stop - top, cols.start - left : cols.stop - left]
    np.maximum(canvas[rows, cols], part, out=canvas[rows, cols])


def spiral(turns: float, radius: float, start: float = 0.0) -> list[tuple[float, float]]:
    """Return a stroke that winds in from `radius`, as pen flourishes do.

    Parameters
    ----------
    turns : float
        Number of turns; negative winds the other way.
    radius : float
        Outer radius.
    start : float
        Angle of the outer end in radians.

    Returns
    -------
    list of tuple
        Points of the stroke around the origin.
    """
    t = np.linspace(0.0, 1.0, int(10 * abs(turns)) + 4)
    angle = start + 2 * np.pi * turns * t
    distance = radius * (1.0 - 0.85 * t)
    return list(zip(distance * np.cos(angle), distance * np.sin(angle), strict=True))


def _samples(stroke: Stroke, scale: float, hairline: float) -> FloatArray:
    """Return pixel positions (down, right) along the stroke, dense enough to leave no gaps."""
    points = np.asarray(stroke, dtype=np.float64)[:, ::-1] * [-scale, scale]
    lengths = np.hypot(*np.diff(points, axis=0).T)
    places = np.concatenate([[0.0], np.cumsum(np.maximum(lengths, 1e-6))])
    count = int(np.ceil(places[-1] / min(max(0.6 * hairline, 0.4), 1.5))) + 2
    curve = CubicSpline(places, points, bc_type="natural")(np.linspace(0, places[-1], count))
    return np.asarray(curve, dtype=np.float64)


def _touch(
    cover: FloatArray, point: FloatArray, reach: int, nib: tuple[float, float, float]
) -> None:
    half, hairline, angle = nib
    row, col = int(point[0]), int(point[1])
    window = cover[max(row - reach, 0) : row + reach + 2, max(col - reach, 0) : col + reach + 2]
    down = np.arange(window.shape[0], dtype=np.float32)[:, None] + max(row - reach, 0) - point[0]
    right = np.arange(window.shape[1], dtype=np.float32)[None, :] + max(col - reach, 0) - point[1]
    along = np.maximum(np.abs(right * np.cos(angle) - down * np.sin(angle)) - half, 0.0)
    across = right * np.sin(angle) + down * np.cos(angle)
    np.maximum(window, np.clip(0.5 + hairline - np.hypot(along, across), 0.0, 1.0), out=window)
