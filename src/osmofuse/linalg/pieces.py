"""Pieces of free pixels, and which of them nothing held determines.

A piece that touches no held pixel exchanges nothing with the rest: it keeps its mass, and its
stationary state is known up to a factor only, which that mass gives.
"""

from __future__ import annotations

import numpy as np

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
        labels, count = _labels(kind == FREE)
        alone = np.ones(count + 1, bool)
        alone[0] = False
        alone[labels[_beside(kind == HELD)]] = False
        # The pieces that count, from 1; all other pixels are 0.
        self.count = int(alone.sum())
        self.labels = np.where(alone, np.cumsum(alone), 0)[labels]
        self.whole = self.count == 1 and bool(self.labels.all())

    def with_mass_of(self, u: FloatArray, x: FloatArray) -> FloatArray:
        """Return x, scaled in each piece to the mass of u there."""
        if not self.count:
            return x
        before, now = self._sums(u), self._sums(x)
        factor = np.divide(before, now, out=np.ones_like(now), where=now > 0)
        return np.asarray(x * self._spread(factor, 1.0))

    def without_mass(self, r: FloatArray, w: FloatArray) -> FloatArray:
        """Return r, less a constant in each piece: then the mass of w r is 0 there."""
        if not self.count:
            return r
        return np.asarray(r - self._spread(self._sums(w * r) / self._sums(w), 0.0))

    def peaks(self, w: FloatArray) -> BoolArray:
        """Return the pixel of each piece where w is largest."""
        from scipy.ndimage import maximum_position

        where = maximum_position(w, self.labels, np.arange(1, self.count + 1))
        found = np.zeros(w.shape, bool)
        found[tuple(np.reshape(where, (self.count, 2)).T.astype(int))] = True
        return found

    def _sums(self, x: FloatArray) -> FloatArray:
        """Return the mass of each piece."""
        if self.whole:
            return np.array([x.sum()])
        return np.bincount(self.labels.ravel(), x.ravel(), self.count + 1)[1:].astype(np.float64)

    def _spread(self, values: FloatArray, elsewhere: float) -> FloatArray:
        """Return the value of its piece at each pixel."""
        return values[0] if self.whole else np.append(elsewhere, values)[self.labels]


def _labels(free: BoolArray) -> tuple[Array, int]:
    """Return the number of each pixel's piece, from 1, and how many there are."""
    if free.all():
        return np.ones(free.shape, np.intp), 1
    from scipy.ndimage import label

    labels, count = label(free)
    return labels, count


def _beside(held: BoolArray) -> BoolArray:
    """Return the pixels that have a neighbour of a kind."""
    near = np.zeros_like(held)
    near[1:] |= held[:-1]
    near[:-1] |= held[1:]
    near[:, 1:] |= held[:, :-1]
    near[:, :-1] |= held[:, 1:]
    return near
