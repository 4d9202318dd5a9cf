"""A map laid over its picture, to see whether it lies right."""

from __future__ import annotations

import numpy as np

from osmofuse.errors import MismatchError
from osmofuse.picture import Picture, as_alpha, samples
from osmofuse.pixels import quantise
from osmofuse.report.colours import TINT
from osmofuse.typing import Array, ArrayLike, FloatArray

STRENGTH = 0.6
OUTLINE = (1.0, 1.0, 1.0)


def overlay(image: ArrayLike | Picture, alpha: ArrayLike | Picture) -> Array:
    """Tint a picture where its map lets the background enter, and draw the line at one half.

    Parameters
    ----------
    image : array, (rows, cols) or (rows, cols, 3), or Picture
        The foreground; shown in grey, so that the tint is seen.
    alpha : array, (rows, cols) or (rows, cols, channels)
        The map; of several channels, their mean.

    Returns
    -------
    array of uint8, (rows, cols, 3)
        For looking at; values outside 0 to 1 are clipped.

    Raises
    ------
    InputError, MismatchError
        They cannot be used, or are not of one size.
    """
    x, a = samples(image, "image"), as_alpha(alpha)
    a = a.mean(axis=2) if a.ndim == 3 else a
    if a.shape != x.shape[:2]:
        raise MismatchError(f"alpha: shape {a.shape}, but the image has {x.shape[:2]}")
    grey = x if x.ndim == 2 else x.mean(axis=2)
    shown = np.repeat(np.clip(grey, 0.0, 1.0)[..., None], 3, axis=2).astype(np.float64)
    tint = STRENGTH * (1.0 - a)[..., None]
    shown = (1.0 - tint) * shown + tint * np.asarray(TINT) * (0.4 + 0.6 * shown)
    shown[_edge(a)] = OUTLINE
    return quantise(shown, np.uint8)[0]


def _edge(alpha: FloatArray) -> Array:
    """Return the kept pixels beside one that is not: a line one pixel wide."""
    kept = alpha >= 0.5
    inner = kept.copy()
    inner[1:] &= kept[:-1]
    inner[:-1] &= kept[1:]
    inner[:, 1:] &= kept[:, :-1]
    inner[:, :-1] &= kept[:, 1:]
    return np.asarray(kept & ~inner)
