"""Control points: pairs of places that a person has marked in both pictures."""

from __future__ import annotations

import csv
import math
import os
from pathlib import Path

import numpy as np

from osmofuse.errors import InputError, UnreadableError
from osmofuse.typing import ArrayLike, FloatArray

HEADER = ("moving_x", "moving_y", "fixed_x", "fixed_y")


def read_points(path: str | os.PathLike[str]) -> FloatArray:
    """Read control points from a CSV file with the header moving_x,moving_y,fixed_x,fixed_y.

    Parameters
    ----------
    path : path
        The file. Columns may stand in any order, and others beside them.

    Returns
    -------
    array of shape (n, 4)
        In the order of the header, in pixels; (0, 0) is the centre of the first pixel.

    Raises
    ------
    UnreadableError
        It cannot be read, a column is missing, or an entry is no number.
    """
    path = Path(path)
    try:
        text = path.read_text(encoding="utf-8-sig")
    except FileNotFoundError as error:
        raise UnreadableError(f"{path}: no such file") from error
    except (OSError, UnicodeDecodeError) as error:
        raise UnreadableError(f"{path}: cannot be read as text ({error})") from error
    rows = csv.DictReader(text.splitlines(), skipinitialspace=True)
    names = [name.strip() for name in rows.fieldnames or ()]
    if missing := [name for name in HEADER if name not in names]:
        raise UnreadableError(
            f"{path}: no column {', '.join(missing)}; the first line must be {','.join(HEADER)}"
        )
    rows.fieldnames = names
    return np.array([_numbers(path, rows.line_num, row) for row in rows]).reshape(-1, 4)


def _numbers(path: Path, line: int, row: dict[str, str]) -> list[float]:
    try:
        numbers = [float(row[name]) for name in HEADER]
    except (TypeError, ValueError) as error:
        raise UnreadableError(
            f"{path}: line {line} has an entry that is missing or no number"
        ) from error
    if not all(map(math.isfinite, numbers)):
        raise UnreadableError(f"{path}: line {line} has an entry that is not finite")
    return numbers


def as_points(points: ArrayLike | str | os.PathLike[str]) -> FloatArray:
    """Return control points as an array of shape (n, 4), from one or from a file."""
    if isinstance(points, str | os.PathLike):
        return read_points(points)
    array = np.asarray(points, np.float64)
    if array.ndim != 2 or array.shape[1] != 4 or not np.isfinite(array).all():
        raise InputError(
            f"points: shape {array.shape}; must be finite numbers (n, 4): {', '.join(HEADER)}"
        )
    return array
