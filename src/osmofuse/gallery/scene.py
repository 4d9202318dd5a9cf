"""Result type of all scenes, checks of their arguments, and coordinates of their pixels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Integral

import numpy as np

from osmofuse.errors import InputError
from osmofuse.typing import Array, FloatArray

Colour = tuple[float, float, float]
"""Red, green and blue within [0, 1]."""


@dataclass(frozen=True, eq=False)
class Panel:
    """One exposure of a mosaic and its place.

    Parameters
    ----------
    top, left : int
        First row and column of the panel in the mosaic.
    picture : array of shape (rows, cols) or (rows, cols, 3)
        Exposure, overlaps included.
    """

    top: int
    left: int
    picture: FloatArray

    @property
    def box(self) -> tuple[slice, slice]:
        """Rows and columns of the panel in the mosaic."""
        rows, cols = self.picture.shape[:2]
        return slice(self.top, self.top + rows), slice(self.left, self.left + cols)


@dataclass(frozen=True, eq=False)
class Scene:
    """Inputs of one fusion, with the known answer.

    All arrays are C-contiguous float32 with values in [0, 1].

    Parameters
    ----------
    name : str
        Name of the scene.
    foreground : array of shape (rows, cols, 3), or (rows, cols) for a scene without colour
        Picture whose colours are kept.
    background : array of shape (rows, cols) or (rows, cols, 3), a tuple of them, or None
        Picture whose structure enters, or several; None for a scene with one picture.
    alpha : array of shape (rows, cols), or a tuple of them
        1 where the foreground is kept, 0 where the background's structure enters. With several
        backgrounds one for each picture, foreground first; they sum to 1.
    truth : array of the shape of `foreground`
        Result of a perfect method.
    panels : tuple of Panel
        Exposures of a mosaic; empty for other scenes.
    ink : array of uint8, shape (rows, cols), or None
        Map of the wanted writing: 0 on ink, 255 on ground, 128 undecided; None without writing.
    contrast_left : float
        Share of the contrast of what is lost that the foreground still shows.
    """

    name: str
    foreground: FloatArray
    background: FloatArray | tuple[FloatArray, ...] | None
    alpha: FloatArray | tuple[FloatArray, ...]
    truth: FloatArray
    panels: tuple[Panel, ...] = ()
    ink: Array | None = None
    contrast_left: float = 0.0


def checked_shape(shape: Sequence[int]) -> tuple[int, int]:
    """Return `shape` as two plain positive integers, or raise InputError."""
    sides = tuple(shape) if isinstance(shape, Sequence | np.ndarray) else ()
    if len(sides) != 2 or not all(_is_positive_integer(side) for side in sides):
        raise InputError(
            f"shape must be two positive integers (rows, cols), not {shape!r}; "
            "give for example shape=(600, 450)"
        )
    return int(sides[0]), int(sides[1])


def generator(seed: int) -> np.random.Generator:
    """Return a fresh random generator for a seed, an integer of 0 or more."""
    if isinstance(seed, bool) or not isinstance(seed, Integral) or int(seed) < 0:
        raise InputError(f"seed must be an integer of 0 or more, not {seed!r}; give seed=0")
    return np.random.default_rng(int(seed))


def finished(picture: Array) -> FloatArray:
    """Return a copy of `picture` as a scene stores it: contiguous float32 within [0, 1]."""
    return np.ascontiguousarray(np.clip(picture, 0.0, 1.0), dtype=np.float32)


def ink_map(ink: FloatArray, *, hidden: FloatArray | float = 0.0) -> Array:
    """Return the map of a scene's writing: 0 on ink, 255 on ground, 128 on edges of strokes.

    Parameters
    ----------
    ink : array of shape (rows, cols)
        Coverage of the wanted ink.
    hidden : array, optional
        Coverage of what lies over it; pixels under it are undecided.
    """
    found = np.full(ink.shape, 128, np.uint8)
    free = np.broadcast_to(hidden, ink.shape) < 0.05
    found[(ink > 0.6) & free] = 0
    found[(ink < 0.02) & free] = 255
    return found


def _is_positive_integer(side: object) -> bool:
    # bool is an Integral, but shape=(True, 5) is a mistake.
    return isinstance(side, Integral) and not isinstance(side, bool) and int(side) > 0


def axes(shape: tuple[int, int]) -> tuple[FloatArray, FloatArray]:
    """Return the pixel centres as fractions of height, (rows, 1), and width, (1, cols)."""
    rows, cols = shape
    down = (np.arange(rows, dtype=np.float32) + 0.5) / rows
    right = (np.arange(cols, dtype=np.float32) + 0.5) / cols
    return down[:, None], right[None, :]


def side_of(shape: tuple[int, int]) -> float:
    """Return the side in pixels of a square of the same area, the unit of length of a scene."""
    return float(np.sqrt(shape[0] * shape[1]))
