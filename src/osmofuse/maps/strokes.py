"""Drawn shapes: polygons and scribbles, converted to maps and trimaps.

Places are (row, col) in pixels, the centre of the first pixel at (0, 0). A pixel belongs to a
shape if its centre does.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from numbers import Real

import numpy as np

from osmofuse.errors import InputError
from osmofuse.typing import Array, ArrayLike, BoolArray, FloatArray

FARTHEST = 1e6  # pixels that a place may be away, and that a brush may have


@dataclass(frozen=True)
class Stroke:
    """A line drawn with a round brush.

    Parameters
    ----------
    points : sequence of (row, col)
        Points of the line; one point gives a dot.
    label : {0, 1}
        Value of the map: 1 keeps the foreground, 0 lets the background enter.
    radius : float, above 0 to 1e6
        Radius of the brush, in pixels.
    """

    points: Sequence[tuple[float, float]]
    label: int
    radius: float = 5.0


def alpha_of_polygons(
    shape: tuple[int, int], polygons: Iterable[ArrayLike], *, inside: float = 0.0
) -> FloatArray:
    """Return a map that has one value inside polygons and 1 minus it outside.

    Parameters
    ----------
    shape : tuple of int
        Rows and columns of the map.
    polygons : iterable of sequences of (row, col)
        The corners of each, in order; the last is joined to the first. Where outlines cross or
        polygons overlap, an even number of times around is outside.
    inside : float
        0 lets the background enter inside; 1 keeps the foreground there.

    Returns
    -------
    array
        float64; not softened.

    Examples
    --------
    >>> alpha_of_polygons((3, 4), [[(-1, 0.5), (5, 0.5), (5, 2.5), (-1, 2.5)]])[0].tolist()
    [1.0, 0.0, 0.0, 1.0]
    """
    if not 0.0 <= inside <= 1.0:
        raise InputError(f"inside: {inside!r}; must lie in [0, 1]")
    within = np.zeros(shape, bool)
    for k, corners in enumerate(polygons):
        within ^= _filled(shape, _places(corners, f"polygons[{k}]", least=3))
    return np.where(within, float(inside), 1.0 - inside)


def trimap_of_strokes(shape: tuple[int, int], strokes: Iterable[Stroke]) -> FloatArray:
    """Return the trimap of scribbles: 1 and 0 along the strokes, 0.5 elsewhere.

    Parameters
    ----------
    shape : tuple of int
        Rows and columns.
    strokes : iterable of Stroke
        Later ones lie on top.

    Examples
    --------
    >>> trimap_of_strokes((1, 5), [Stroke([(0, 0)], 1, 1), Stroke([(0, 4)], 0, 1)]).tolist()
    [[1.0, 1.0, 0.5, 0.0, 0.0]]
    """
    trimap = np.full(shape, 0.5)
    for k, stroke in enumerate(strokes):
        name = f"strokes[{k}]"
        if stroke.label not in (0, 1):
            raise InputError(f"{name}: label {stroke.label!r}; must be 1 (keep) or 0 (let enter)")
        if not isinstance(stroke.radius, Real) or not 0 < stroke.radius <= FARTHEST:
            raise InputError(
                f"{name}: radius {stroke.radius!r}; must be a number above 0, at most {FARTHEST:g}"
            )
        _draw(trimap, _places(stroke.points, name, least=1), float(stroke.radius), stroke.label)
    return trimap


def _places(points: ArrayLike, name: str, *, least: int) -> FloatArray:
    try:
        places = np.asarray(points, np.float64)
    except (TypeError, ValueError) as error:
        raise InputError(f"{name}: not a list of (row, col)") from error
    if places.ndim != 2 or places.shape[1] != 2 or not np.isfinite(places).all():
        raise InputError(f"{name}: not a list of (row, col)")
    if len(places) < least:
        raise InputError(f"{name}: {len(places)} points; give at least {least}")
    if np.abs(places).max() > FARTHEST:
        raise InputError(f"{name}: a place more than {FARTHEST:g} pixels away")
    return places


def _filled(shape: tuple[int, int], corners: FloatArray) -> BoolArray:
    """Return the pixels inside a polygon, by the even-odd rule, row by row."""
    crossings = np.zeros((shape[0], shape[1] + 1), np.int64)
    for (r0, c0), (r1, c1) in zip(corners, np.roll(corners, -1, axis=0), strict=True):
        low, high = min(r0, r1), max(r0, r1)
        rows = np.arange(max(0, math.ceil(low)), min(shape[0], math.ceil(high)))
        if len(rows) == 0:
            continue  # a level edge, or one outside, crosses no row
        cols = c0 + (rows - r0) * (c1 - c0) / (r1 - r0)
        # Pixels from here on to the right are beyond this edge.
        crossings[rows, np.clip(np.ceil(cols), 0, shape[1]).astype(int)] += 1
    return np.asarray(np.cumsum(crossings[:, :-1], axis=1) % 2 == 1)


def _draw(trimap: FloatArray, places: FloatArray, radius: float, label: int) -> None:
    """Set the pixels within a radius of a line to the label; changes `trimap`."""
    ends = np.concatenate([places[1:], places[-1:]])
    for start, end in zip(places, ends, strict=True):
        first = np.floor(np.minimum(start, end) - radius).astype(int)
        last = np.ceil(np.maximum(start, end) + radius).astype(int) + 1
        (top, left), (bottom, right) = np.clip(first, 0, None), np.clip(last, 0, trimap.shape)
        window: Array = trimap[top:bottom, left:right]
        if window.size:
            rows, cols = np.ogrid[top:bottom, left:right]
            window[_distance(rows, cols, start, end) <= radius] = label


def _distance(rows: Array, cols: Array, start: FloatArray, end: FloatArray) -> FloatArray:
    """Return the distances from a segment."""
    along = end - start
    length = float(along @ along) or 1.0
    t = np.clip(((rows - start[0]) * along[0] + (cols - start[1]) * along[1]) / length, 0, 1)
    away = np.hypot(rows - start[0] - t * along[0], cols - start[1] - t * along[1])
    return np.asarray(away)
