"""What every scene of the gallery hands over, and the checks of its two arguments."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Integral

import numpy as np

from osmofuse.errors import InputError
from osmofuse.typing import Array, FloatArray

__all__ = ["Scene", "checked_shape", "finished", "generator"]


@dataclass(frozen=True, eq=False)
class Scene:
    """Hold the inputs of one fusion together with its known answer.

    All arrays are C-contiguous float32 with values in [0, 1].

    Parameters
    ----------
    name : str
        The name of the scene.
    foreground : array of shape (rows, cols, 3)
        The picture whose colours are kept.
    background : array of shape (rows, cols) or (rows, cols, 3), or None
        The picture whose structure enters; None for a scene with one picture.
    alpha : array of shape (rows, cols)
        1 where the foreground is kept, 0 where the background's structure enters.
    truth : array of shape (rows, cols, 3)
        The picture that a perfect method would make.
    """

    name: str
    foreground: FloatArray
    background: FloatArray | None
    alpha: FloatArray
    truth: FloatArray


def checked_shape(shape: Sequence[int]) -> tuple[int, int]:
    """Return `shape` as two plain positive integers.

    Parameters
    ----------
    shape : sequence of int
        Rows and columns.

    Returns
    -------
    tuple of int
        The same two numbers.

    Raises
    ------
    InputError
        If `shape` is anything but two positive integers.

    Examples
    --------
    >>> checked_shape([4, 3])
    (4, 3)
    """
    sides = tuple(shape) if isinstance(shape, Sequence | np.ndarray) else ()
    if len(sides) != 2 or not all(_is_positive_integer(side) for side in sides):
        raise InputError(
            f"shape must be two positive integers (rows, cols), not {shape!r}; "
            "give for example shape=(600, 450)"
        )
    return int(sides[0]), int(sides[1])


def generator(seed: int) -> np.random.Generator:
    """Return the random generator of a scene.

    Parameters
    ----------
    seed : int
        Zero or more; the same seed draws the same scene.

    Returns
    -------
    numpy.random.Generator
        A fresh generator.

    Raises
    ------
    InputError
        If `seed` is not an integer or is negative.
    """
    if isinstance(seed, bool) or not isinstance(seed, Integral) or int(seed) < 0:
        raise InputError(f"seed must be an integer of 0 or more, not {seed!r}; give seed=0")
    return np.random.default_rng(int(seed))


def finished(picture: Array) -> FloatArray:
    """Return `picture` as a scene carries it: contiguous float32 within [0, 1].

    Parameters
    ----------
    picture : array
        Values near [0, 1].

    Returns
    -------
    array
        A clipped copy of the same shape.
    """
    return np.ascontiguousarray(np.clip(picture, 0.0, 1.0), dtype=np.float32)


def _is_positive_integer(side: object) -> bool:
    # bool is an Integral, but shape=(True, 5) is a mistake and not a wish.
    return isinstance(side, Integral) and not isinstance(side, bool) and int(side) > 0
