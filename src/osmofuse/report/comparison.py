"""Sheets of a comparison: what each method made, and a part of it with the errors of colour."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from osmofuse.errors import InputError, SettingError
from osmofuse.metrics import chromaticity_map
from osmofuse.picture import Picture, as_alpha, samples
from osmofuse.pixels import quantise, scaled
from osmofuse.report.canvas import Bar
from osmofuse.report.colours import brightest, coloured
from osmofuse.report.sheet import side_by_side
from osmofuse.typing import Array, ArrayLike, BoolArray, FloatArray

if TYPE_CHECKING:
    from osmofuse.tasks import Comparison

__all__ = ["Box", "contact_sheet", "zoom_sheet"]

Box = tuple[slice, slice]

_COLUMNS = 4  # of zooms in a row, at most, so that their captions stay legible
_ZOOMED = 480  # zooms are magnified up to so many pixels


def contact_sheet(
    comparisons: Sequence[Comparison],
    foreground: ArrayLike | Picture,
    background: ArrayLike | Picture,
    *,
    title: str = "",
) -> Array:
    """Draw the two pictures and what each method made of them, with the time it took.

    Parameters
    ----------
    comparisons : sequence of Comparison
        What `osmofuse.compare` returned. A method that made no picture is left out.
    foreground, background : array or Picture
        The pair.
    title : str
        Stands above the pictures.

    Returns
    -------
    array of uint8, (rows, cols, 3)
        The sheet, ready for `osmofuse.io.write`.

    Raises
    ------
    InputError
        A picture cannot be used.
    MissingExtraError
        matplotlib is not installed.
    """
    given = [("Foreground", foreground), ("Background", background)]
    panels: list[tuple[str, Array | None]] = [
        (caption, _shown(samples(picture, caption.lower()))) for caption, picture in given
    ]
    for found in comparisons:
        if found.fusion is not None:
            caption = f"{found.name} ({_seconds(found.fusion.seconds)})"
            panels.append((caption, _shown(found.fusion.image)))
    return side_by_side(panels, title=title)


def zoom_sheet(
    comparisons: Sequence[Comparison],
    foreground: ArrayLike | Picture,
    alpha: ArrayLike | Picture,
    *,
    box: Box | None = None,
    title: str = "",
) -> Array:
    r"""Draw a part of each method's picture, and below it the chromaticity error there.

    All maps have one scale of colours, which ends at the 99th percentile of their values; it is
    explained at the foot. Values are those of pictures of 8 bits, as the metric's are. The
    number below a map is the mean over the whole picture.

    Parameters
    ----------
    comparisons : sequence of Comparison
        What `osmofuse.compare` returned. A method that made no picture is left out.
    foreground : array or Picture
        With three channels: the colours to be kept.
    alpha : array or number
        Its lower half says where to look, if there is no box.
    box : tuple of slice, optional
        Rows and columns to look at.
    title : str
        Stands above the pictures.

    Returns
    -------
    array of uint8, (rows, cols, 3)
        The sheet.

    Raises
    ------
    InputError
        There is no picture, or one without colours.
    SettingError
        The box holds no pixel.
    MissingExtraError
        matplotlib is not installed.
    """
    f = _stored(samples(foreground, "foreground"))
    box = _around(as_alpha(alpha), f.shape[:2]) if box is None else box
    if f[box].size == 0:
        raise SettingError(f"box: {box} holds no pixel of the picture's {f.shape[:2]}")
    made = [(c.name, _stored(c.fusion.image)) for c in comparisons if c.fusion is not None]
    if not made:
        raise InputError("comparisons: none has a picture to show")
    errors = [chromaticity_map(u, f).mean(axis=-1) for _, u in made]
    highest = brightest([error[box] for error in errors])
    zooms = [(name, _magnified(u[box])) for name, u in made]
    maps = [(f"error {e.mean():.4f}", coloured(_magnified(e[box]), highest)) for e in errors]
    columns = _columns(len(made))
    bar = Bar("Chromaticity error:", highest)
    return side_by_side(_in_pairs(zooms, maps, columns), title=title, columns=columns, bar=bar)


def _magnified(part: FloatArray) -> FloatArray:
    """Return a small part with every pixel as a square of so many that details can be seen."""
    times = max(1, _ZOOMED // max(part.shape[:2]))
    return part.repeat(times, axis=0).repeat(times, axis=1)


def _in_pairs(
    zooms: list[tuple[str, FloatArray]], maps: list[tuple[str, FloatArray]], columns: int
) -> list[tuple[str, Array | None]]:
    """Return rows of zooms, each above the row of its maps; the last two may end early."""
    panels: list[tuple[str, Array | None]] = []
    for start in range(0, len(zooms), columns):
        part = slice(start, start + columns)
        empty = [("", None)] * (columns - len(zooms[part]))
        panels += [*zooms[part], *empty, *maps[part], *empty]
    return panels


def _columns(count: int) -> int:
    """Return the columns that leave the fewest places empty, in as few rows as may be."""
    return math.ceil(count / math.ceil(count / _COLUMNS))


def _around(alpha: FloatArray, shape: tuple[int, ...]) -> Box:
    """Return the box around where alpha is below a half, with a tenth more on every side."""
    bands = alpha if alpha.ndim == 3 else np.broadcast_to(alpha, shape)[..., np.newaxis]
    low: BoolArray = np.any(bands < 0.5, axis=-1)
    if not low.any():
        return slice(0, shape[0]), slice(0, shape[1])
    return _span(low, 1), _span(low, 0)


def _span(low: BoolArray, axis: int) -> slice:
    places = np.flatnonzero(low.any(axis=axis))
    more = (places[-1] - places[0] + 1) // 10 + 1
    return slice(max(int(places[0] - more), 0), int(places[-1] + more + 1))


def _stored(u: FloatArray) -> FloatArray:
    """Return a picture as a file of 8 bits would give it back."""
    return scaled(quantise(u, np.uint8)[0], np.float64)


def _shown(u: FloatArray) -> FloatArray:
    """Return a picture with one band or three, whatever it has."""
    return u[..., 0] if u.ndim == 3 and u.shape[2] != 3 else u


def _seconds(seconds: float) -> str:
    return f"{seconds:.2f} s" if seconds < 10 else f"{seconds:.0f} s"
