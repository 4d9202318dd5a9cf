"""Control points: pairs of points that a person has marked in both pictures."""

from __future__ import annotations

import csv
import os
from itertools import islice
from pathlib import Path

import numpy as np

from osmofuse.documents import read_document, text_of
from osmofuse.errors import InputError, UnreadableError
from osmofuse.typing import ArrayLike, FloatArray

FARTHEST = 1e6  # pixels from the first pixel; larger than any picture
MOST_POINTS = 10_000  # limit on files; anything above some hundred works
HEADER = ("background_x", "background_y", "foreground_x", "foreground_y")  # of CSV files


def read_points(path: str | os.PathLike[str]) -> FloatArray:
    """Read control points from a CSV file.

    Its header is background_x,background_y,foreground_x,foreground_y.

    Parameters
    ----------
    path : path
        Path of the file, with at most 10,000 points. Columns may be in any order, and other
        columns are ignored.

    Returns
    -------
    array of shape (n, 4)
        In the order of the header, in pixels; (0, 0) is the centre of the first pixel.
    """
    path = Path(path)
    content = read_document(path)
    try:
        return _points(path, text_of(content))
    except (ValueError, csv.Error) as error:
        raise UnreadableError(f"{path}: cannot be read as text ({error})") from error


def _points(path: Path, text: str) -> FloatArray:
    rows = csv.DictReader(text.splitlines(), skipinitialspace=True)
    names = [name.strip() for name in rows.fieldnames or ()]
    if missing := [name for name in HEADER if name not in names]:
        raise UnreadableError(
            f"{path}: no column {', '.join(missing)}; the first line must be {','.join(HEADER)}"
        )
    rows.fieldnames = names
    found = [_numbers(path, rows.line_num, row) for row in islice(rows, MOST_POINTS + 1)]
    if len(found) > MOST_POINTS:
        raise UnreadableError(f"{path}: more than {MOST_POINTS:,} points; give the best of them")
    return np.array(found).reshape(-1, 4)


def _numbers(path: Path, line: int, row: dict[str, str]) -> list[float]:
    try:
        numbers = [float(row[name]) for name in HEADER]
    except (TypeError, ValueError) as error:
        raise UnreadableError(
            f"{path}: line {line} has an entry that is missing or no number"
        ) from error
    if not all(abs(one) <= FARTHEST for one in numbers):
        raise UnreadableError(
            f"{path}: line {line} has an entry that is not finite, or beyond {FARTHEST:g} pixels"
        )
    return numbers


def as_points(points: ArrayLike | str | os.PathLike[str]) -> FloatArray:
    """Return control points as an array of shape (n, 4), from one or from a file."""
    if isinstance(points, str | os.PathLike):
        return read_points(points)
    try:
        array = np.asarray(points, np.float64)
    except (TypeError, ValueError) as error:
        raise InputError(f"points: no numbers (n, 4): {', '.join(HEADER)}") from error
    if array.ndim != 2 or array.shape[1] != 4 or not (np.abs(array) <= FARTHEST).all():
        raise InputError(
            f"points: shape {array.shape}; must be finite numbers (n, 4), at most {FARTHEST:g}: "
            f"{', '.join(HEADER)}"
        )
    return array
