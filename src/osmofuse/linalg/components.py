"""Connected components of free pixels that touch no held pixel.

Such a component exchanges nothing with the rest, so it keeps its mass. Its stationary state is
determined up to a factor, which that mass gives.
"""

from __future__ import annotations

import numpy as np

from osmofuse.linalg.kinds import FREE, HELD, Kinds
from osmofuse.typing import Array, BoolArray, FloatArray


class Components:
    """Isolated components: connected sets of free pixels that touch no held one.

    Parameters
    ----------
    kind : array of uint8, (rows, cols)
        `CLOSED`, `FREE` or `HELD`.

    Attributes
    ----------
    count : int
        Number of isolated components.
    labels : array of int, (rows, cols)
        Number of each pixel's isolated component, from 1; 0 for all other pixels.
    whole : bool
        True if one component covers the grid.
    """

    def __init__(self, kind: Kinds) -> None:
        labels, count = _labels(kind == FREE)
        alone = np.ones(count + 1, bool)
        alone[0] = False
        alone[labels[_beside(kind == HELD)]] = False
        self.count = int(alone.sum())
        self.labels = np.where(alone, np.cumsum(alone), 0)[labels]
        self.whole = self.count == 1 and bool(self.labels.all())

    def with_mass_of(self, u: FloatArray, x: FloatArray) -> FloatArray:
        """Return x, scaled in each component to the mass of u there."""
        if not self.count:
            return x
        before, now = self._sums(u), self._sums(x)
        factor = np.divide(before, now, out=np.ones_like(now), where=now > 0)
        return np.asarray(x * self._spread(factor, 1.0))

    def without_mass(self, r: FloatArray, w: FloatArray) -> FloatArray:
        """Return r minus a constant in each component, such that w r has mass 0 there."""
        if not self.count:
            return r
        return np.asarray(r - self._spread(self._sums(w * r) / self._sums(w), 0.0))

    def peaks(self, w: FloatArray) -> BoolArray:
        """Return a mask of the pixel of each component where w is largest."""
        from scipy.ndimage import maximum_position

        where = maximum_position(w, self.labels, np.arange(1, self.count + 1))
        found = np.zeros(w.shape, bool)
        found[tuple(np.reshape(where, (self.count, 2)).T.astype(int))] = True
        return found

    def _sums(self, x: FloatArray) -> FloatArray:
        """Return the mass of each component."""
        if self.whole:
            return np.array([x.sum()])
        return np.bincount(self.labels.ravel(), x.ravel(), self.count + 1)[1:].astype(np.float64)

    def _spread(self, values: FloatArray, elsewhere: float) -> FloatArray:
        """Return a plane with the value of each pixel's component."""
        return values[0] if self.whole else np.append(elsewhere, values)[self.labels]


def _labels(free: BoolArray) -> tuple[Array, int]:
    """Return the number of each pixel's component, from 1, and their count."""
    if free.all():
        return np.ones(free.shape, np.intp), 1
    from scipy.ndimage import label

    labels, count = label(free)
    return labels, count


def _beside(held: BoolArray) -> BoolArray:
    """Return a mask of the pixels with a neighbour in another mask."""
    near = np.zeros_like(held)
    near[1:] |= held[:-1]
    near[:-1] |= held[1:]
    near[:, 1:] |= held[:, :-1]
    near[:, :-1] |= held[:, 1:]
    return near
