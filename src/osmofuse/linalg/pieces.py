"""Pieces of free pixels, and which of them nothing held determines.

A piece that touches no held pixel exchanges nothing with the rest: it keeps its mass, and its
stationary state is known up to a factor only.
"""

from __future__ import annotations

import numpy as np
from scipy import ndimage

from osmofuse.linalg.transport import FREE, HELD, Kinds
from osmofuse.typing import Array, BoolArray, FloatArray


class Pieces:
    """The connected pieces of free pixels that touch no held one.

    Parameters
    ----------
    kind : array of uint8, (rows, cols)
        `CLOSED`, `FREE` or `HELD`.
    """

    def __init__(self, kind: Kinds) -> None:
        self.kind = kind
        labels, count = _labels(kind == FREE)
        alone = np.ones(count + 1, bool)
        alone[0] = False
        alone[labels[_beside(kind == HELD)]] = False
        # The pieces that count, from 1; all other pixels are 0.
        self.count = int(alone.sum())
        number = np.where(alone, np.cumsum(alone), 0)
        self.labels = number[labels]
        self.whole = bool(self.labels.all()) and self.count == 1

    def anchored(self, w: FloatArray) -> Kinds:
        """Return the kinds with the pixel of each piece held where w is largest."""
        kind = self.kind.copy()
        if self.count:
            where = ndimage.maximum_position(w, self.labels, np.arange(1, self.count + 1))
            kind[tuple(np.transpose(where))] = HELD
        return kind

    def with_mass_of(self, u: FloatArray, x: FloatArray) -> FloatArray:
        """Return x, scaled in each piece to the mass of u there."""
        if not self.count:
            return x
        if self.whole:
            return np.asarray(x * (u.sum() / x.sum()))
        before, now = (np.bincount(self.labels.ravel(), plane.ravel()) for plane in (u, x))
        factor = np.divide(before, now, out=np.ones_like(now), where=now > 0)
        factor[0] = 1.0
        return np.asarray(x * factor[self.labels])


def _labels(free: BoolArray) -> tuple[Array, int]:
    """Return the number of each pixel's piece, from 1, and how many there are."""
    if free.all():
        return np.ones(free.shape, np.intp), 1
    labels, count = ndimage.label(free)
    return labels, count


def _beside(held: BoolArray) -> BoolArray:
    """Return the pixels that have a neighbour of a kind."""
    near = np.zeros_like(held)
    near[1:] |= held[:-1]
    near[:-1] |= held[1:]
    near[:, 1:] |= held[:, :-1]
    near[:, :-1] |= held[:, 1:]
    return near
