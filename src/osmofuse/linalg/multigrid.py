"""Geometric multigrid for five-point M-matrices.

A few sweeps (:mod:`osmofuse.linalg.smoothing`) take what is rough from an error, and the next
coarser grid (:mod:`osmofuse.linalg.coarsening`) the rest. The hierarchy (what depends on the
matrix) is apart from the cycle (what depends on b).
"""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np

from osmofuse.kernels import threads_for
from osmofuse.linalg.coarsening import SMALL, coarsen, levels_of, prolong, restrict, tighten
from osmofuse.linalg.smoothing import Schedule, fourth_kind, semi_iteration, sweep
from osmofuse.linalg.stencil import Stencil, inside, zeros
from osmofuse.typing import FloatArray

# Beyond this ratio of mass to edges a few sweeps solve a level, and no coarser one is needed.
HEAVY = 8.0

_BEFORE, _AFTER = fourth_kind(1), fourth_kind(2)
# For masses from half of HEAVY: where they are lighter, sweeps still increase no error.
_HEAVY = semi_iteration(8.0 / (8.0 + HEAVY), 3)


class Hierarchy:
    """The matrices of a grid and of its coarser grids.

    Parameters
    ----------
    shape : tuple of int
        Rows and columns of the grid.
    dtype : type
        float32 or float64.

    Notes
    -----
    Fill ``finest`` and call `update`; room is taken once and used for every matrix.
    """

    def __init__(self, shape: tuple[int, int], dtype: type = np.float32) -> None:
        self.finest = Stencil.empty(shape, dtype)
        self.levels = levels_of(self.finest, dtype)
        self.depth = len(self.levels)
        self._inverse: FloatArray | None = None

    def update(self, *, heaviness: float = 0.0) -> None:
        """Bring the coarser matrices up to date with the finest.

        Parameters
        ----------
        heaviness : float
            A typical ratio of mass to edge weight on the finest grid. It grows fourfold from
            level to level; where it is large, a few sweeps solve and coarser levels are left
            out.
        """
        self.finest.invert_diagonal()
        self.coarsen(heaviness=heaviness)

    def coarsen(self, *, heaviness: float = 0.0) -> None:
        """Bring the coarser matrices up to date where the finest is whole already."""
        self.depth = 1
        for fine, coarse in pairwise(self.levels):
            if heaviness * 4.0 ** (self.depth - 1) > HEAVY:
                break
            c = coarse.stencil
            with threads_for(math.prod(c.shape)):
                coarsen(fine, coarse)
                tighten(c.down, c.right, c.inverse, coarse.down, coarse.right, c.mass, *c.shape)
            self.depth += 1
        last = self.levels[self.depth - 1].stencil
        self._inverse = _pseudo_inverse(last) if max(last.shape) <= SMALL else None

    def clear(self) -> None:
        """Forget what cycles left behind: a NaN there would come back in every cycle."""
        for level in self.levels[1:]:
            level.x.fill(0.0)
            level.y.fill(0.0)

    def cycle(self, x: FloatArray, y: FloatArray, b: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Improve x, an approximate solution of A x = b, by one V-cycle.

        Parameters
        ----------
        x, y : array
            The solution so far, and a plane of the same shape to work on; padded.
        b : array
            The right side; padded.

        Returns
        -------
        tuple of array
            The two planes, the solution first.
        """
        return self._cycle(0, x, y, b)

    def sweep(
        self, x: FloatArray, y: FloatArray, b: FloatArray, schedule: Schedule
    ) -> tuple[FloatArray, FloatArray]:
        """Improve x by sweeps on the finest grid alone."""
        return sweep(self.finest, x, y, b, schedule)

    def precondition(self, r: FloatArray) -> FloatArray:
        """Return what one V-cycle makes of A x = r from zero: an approximate inverse."""
        return self.cycle(np.zeros_like(r), np.zeros_like(r), r)[0]

    def _cycle(
        self, k: int, x: FloatArray, y: FloatArray, b: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        s = self.levels[k].stencil
        if k + 1 == self.depth:
            return self._solve_coarsest(s, x, y, b)
        x, y = sweep(s, x, y, b, _BEFORE)
        coarse = self.levels[k + 1]
        restrict(s, x, b, coarse)
        coarse.x.fill(0.0)
        # Small grids are not worth waking a second thread for.
        with threads_for(math.prod(coarse.stencil.shape)):
            correction, _ = self._cycle(k + 1, coarse.x, coarse.y, coarse.b)
        prolong(x, correction, coarse)
        return sweep(s, x, y, b, _AFTER)

    def _solve_coarsest(
        self, s: Stencil, x: FloatArray, y: FloatArray, b: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        if self._inverse is None:
            return sweep(s, x, y, b, _HEAVY)
        residual = inside(b, s.shape) - inside(s(x), s.shape)
        inside(x, s.shape)[...] += (self._inverse @ residual.ravel()).reshape(s.shape)
        _replicate(x, s.shape)
        return x, y


def _pseudo_inverse(s: Stencil) -> FloatArray:
    """Return the inverse of a small matrix; of a singular one, that of its range."""
    rows, cols = s.shape
    columns = []
    for i, j in np.ndindex(rows, cols):
        unit = zeros(s.shape, s.mass.dtype.type)
        unit[i + 1, j + 1] = 1.0
        columns.append(inside(s(unit), s.shape).ravel())
    matrix = np.array(columns, np.float64)
    return np.asarray(np.linalg.pinv(matrix, hermitian=True, rcond=1e-7), s.mass.dtype)


def _replicate(x: FloatArray, shape: tuple[int, int]) -> None:
    """Copy the outer columns into the frame beside them, for the interpolation."""
    x[:, 0], x[:, shape[1] + 1] = x[:, 1], x[:, shape[1]]
