"""Georeference of a GeoTIFF: described in words, and adapted when the picture is rotated."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from osmofuse.io.tags import Directory, pack_exif, parse_tags, tag_numbers
from osmofuse.picture import Metadata
from osmofuse.typing import FloatArray

# Numbers of tags, all that hold a georeference; and the kind of value of a double.
_SCALE, _TIE_POINTS, _TRANSFORMATION, _KEYS, _RATIONAL = 33550, 33922, 34264, 34735, 50844
_ALL = (_SCALE, _TIE_POINTS, _TRANSFORMATION, _KEYS, 34736, 34737, _RATIONAL)
_DOUBLE = 12
# GeoTIFF keys: coordinate systems by EPSG number; and the raster type, by which coordinates count
# from a pixel's corner (1, the default) or its centre (2).
_SYSTEMS = {3072: "projected", 2048: "geographic"}
_RASTER_TYPE, _CENTRE = 1025, 2


def geography_in(tags: Directory) -> str | None:
    """Return the georeference in words; None if there is none."""
    keys = _keys(tags)
    words = [f"{name} EPSG:{keys[key]}" for key, name in _SYSTEMS.items() if key in keys]
    placed = {_SCALE: "pixel scale", _TIE_POINTS: "tie points", _TRANSFORMATION: "transformation",
              _RATIONAL: "rational polynomials"}  # fmt: skip
    words += [name for tag, name in placed.items() if tag in tags]
    return ", ".join(words) or ("geographic keys" if keys else None)


def placed_like(metadata: Metadata, other: Metadata) -> Metadata:
    """Return metadata with the georeference and resolution of `other`, instead of their own.

    They are for a picture that was registered to the one that `other` belongs to.
    """
    ours, theirs = (parse_tags(one.exif) if one.exif else {} for one in (metadata, other))
    tags = {tag: value for tag, value in ours.items() if tag not in _ALL}
    tags |= {tag: theirs[tag] for tag in _ALL if tag in theirs}
    return replace(metadata, exif=pack_exif(tags), resolution=other.resolution)


def turned(tags: Directory, orientation: int, rows: int, cols: int) -> Directory:
    """Return the tags of a GeoTIFF for the upright picture, given size and orientation as stored.

    Stored tags refer to the picture as stored, with columns to the right and rows downwards. A
    scale with a tie point becomes a transformation, which can express a rotation. Rational
    polynomials, which would be wrong for a rotated picture, are left out.
    """
    if orientation == 1:
        return tags
    centre = int(_keys(tags).get(_RASTER_TYPE) == _CENTRE)
    turn = _turn(orientation, rows - centre, cols - centre)
    kept = {tag: value for tag, value in tags.items() if tag != _RATIONAL}
    world, points = _world(tags), _doubles(tags, _TIE_POINTS)
    if world is not None:
        for tag in (_SCALE, _TIE_POINTS):
            kept.pop(tag, None)
        kept[_TRANSFORMATION] = _packed(world @ turn)
    elif len(points) and len(points) % 6 == 0:
        moved = points.reshape(-1, 6).copy()
        moved[:, :2] -= turn[:2, 3]
        moved[:, :2] = moved[:, :2] @ turn[:2, :2]  # orthogonal: its transpose is its inverse
        kept[_TIE_POINTS] = _packed(moved)
    return kept


def _turn(orientation: int, rows: int, cols: int) -> FloatArray:
    """Return the matrix from (column, row) of the upright picture to those as stored."""
    turn = np.eye(4)
    if orientation > 4:  # rows and columns are swapped
        turn[:2, :2] = [[0, 1], [1, 0]]
    if orientation in (2, 3, 7, 8):  # stored from right to left
        turn[0] *= -1
        turn[0, 3] = cols
    if orientation in (3, 4, 6, 7):  # stored from bottom to top
        turn[1] *= -1
        turn[1, 3] = rows
    return turn


def _world(tags: Directory) -> FloatArray | None:
    """Return the matrix from (column, row, 0, 1) to world coordinates; None if tags have none."""
    matrix, scale, point = (_doubles(tags, tag) for tag in (_TRANSFORMATION, _SCALE, _TIE_POINTS))
    if len(matrix) == 16:
        return matrix.reshape(4, 4)
    if len(scale) != 3 or len(point) != 6:
        return None
    world = np.diag([scale[0], -scale[1], scale[2], 1.0])
    world[:3, 3] = point[3:] - world[:3, :3] @ point[:3]
    return world


def _doubles(tags: Directory, tag: int) -> FloatArray:
    value = tags.get(tag)
    if not isinstance(value, tuple) or value[0] != _DOUBLE:
        return np.empty(0)
    return np.frombuffer(value[2], "<f8").astype(np.float64)


def _packed(numbers: FloatArray) -> tuple[int, int, bytes]:
    return _DOUBLE, numbers.size, numbers.astype("<f8").tobytes()


def _keys(tags: Directory) -> dict[int, int]:
    """Return the GeoTIFF keys whose value is stored in the key directory itself."""
    numbers = tag_numbers(tags, _KEYS)
    entries = zip(*(numbers[start::4] for start in range(4, 8)), strict=False)
    return {key: value for key, place, _, value in entries if place == 0}
