r"""Warnings about a map: probably inverted, or with hard edges.

The map itself is never changed; callers turn a warning into a note.

A map lets the background enter where that has structure that the foreground lacks. In blocks of
pixels with the standard deviations :math:`s_f, s_b`, this is :math:`e = \max(s_b - s_f, 0)^2`; of
all of it a part p lies where the map lets the background enter, which is a part q of the
picture. The maps of the gallery's scenes have p above q by 0.26 to 0.81. An inverted map has
:math:`1 - p` and :math:`1 - q` in their place.
"""

from __future__ import annotations

import math

import numpy as np

from osmofuse.picture import Picture
from osmofuse.pixels import scaled
from osmofuse.typing import Array, BoolArray, FloatArray

BLOCKS = 120  # of a picture's side
FINEST = 4  # pixels of a block's side
LOOKED_AT = 8  # samples along a side of large blocks
# By how much p is below q, as a difference and as a ratio, in a map that seems inverted.
BELOW, BELOW_RATIO = 0.4, 0.5
# Least weighted mean of the squared correlation in blocks: the pictures must show the same scene.
# Unrelated pictures have 0.08 to 0.25.
LEAST_AGREEMENT = 0.3
LEAST_LACKING = 0.01  # of the background's variance must be structure that the foreground lacks
# Jumps that no soft map has, and how much of a map's variation they are if its edges are hard.
JUMP, HARD_SHARE = 0.25, 0.8
LINES = 500  # least number of lines sampled along a map's longer side


def looks_inverted(
    foreground: Picture, background: Picture, alpha: FloatArray, valid: BoolArray | None = None
) -> bool:
    """Return True if a map is probably inverted; never for a number.

    Conservative: the pictures, of one size, must show the same scene, and nearly all structure that
    only the background has must lie where the map keeps it out.
    """
    if alpha.ndim < 2:
        return False
    side = math.sqrt(alpha.shape[0] * alpha.shape[1])
    size = max(FINEST, math.ceil(side / BLOCKS))
    step = max(1, size // LOOKED_AT)
    pictures = (one.colour[::step, ::step] for one in (foreground, background))
    f, b = (_blocks(_mean(scaled(one, np.float32)), size // step) for one in pictures)
    enters = 1.0 - _blocks(_mean(alpha[::step, ::step]), size // step).mean(axis=(1, 3))
    seen = np.ones(enters.shape)
    if valid is not None:
        seen = _blocks(valid[::step, ::step], size // step).all(axis=(1, 3)).astype(float)
    if not seen.any():
        return False
    f -= f.mean(axis=(1, 3), keepdims=True)
    b -= b.mean(axis=(1, 3), keepdims=True)
    sf, sb = (np.sqrt((x * x).mean(axis=(1, 3))) * seen for x in (f, b))
    lacking = np.maximum(sb - sf, 0.0) ** 2
    enough = lacking.sum() > LEAST_LACKING * (sb * sb).sum()
    if not (enough and _agreement(f, b, sf * sb) > LEAST_AGREEMENT):
        return False
    p = float((lacking * enters).sum() / lacking.sum())
    q = float((enters * seen).sum() / seen.sum())
    return q - p > BELOW and p < BELOW_RATIO * q


def has_hard_edges(alpha: FloatArray) -> bool:
    """Return True if nearly all variation of a map is in jumps, as in anti-aliased masks."""
    if alpha.ndim < 2:
        return False
    step = max(1, max(alpha.shape[:2]) // LINES)
    jumps = [
        np.abs(np.diff(lines, axis=axis))
        for axis, lines in enumerate((alpha[:, ::step], alpha[::step]))
    ]
    whole = math.fsum(float(jump.sum()) for jump in jumps)
    hard = math.fsum(float(jump[jump >= JUMP].sum()) for jump in jumps)
    return whole > 0.0 and hard > HARD_SHARE * whole


def _mean(array: Array) -> FloatArray:
    """Return the mean over channels, as a plane."""
    return array.mean(axis=2, dtype=np.float32) if array.ndim == 3 else array


def _blocks(plane: Array, size: int) -> Array:
    """Return a plane in blocks, (rows of blocks, rows, columns of blocks, columns)."""
    size = max(1, min(size, *plane.shape))
    rows, cols = (n // size for n in plane.shape)
    return plane[: rows * size, : cols * size].reshape(rows, size, cols, size)


def _agreement(f: FloatArray, b: FloatArray, weight: FloatArray) -> float:
    """Return the mean squared correlation of the blocks, weighted by their structure."""
    together = (f * b).mean(axis=(1, 3)) ** 2
    agree = np.divide(together, weight, out=np.zeros_like(together), where=weight > 0)
    return float(agree.sum() / weight.sum()) if weight.any() else 0.0
