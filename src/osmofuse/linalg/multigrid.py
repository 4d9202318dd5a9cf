r"""Geometric multigrid for five-point M-matrices.

The hierarchy (which depends on the matrix) is separate from the cycle (which depends on b).

**Smoother.** Sweeps :math:`x \leftarrow x + \omega_k D^{-1}(b - A x)` whose steps
:math:`\omega_k` are the inverse roots of a Chebyshev polynomial: they damp the eigenvalues of
:math:`D^{-1} A` in an interval, up to the largest, 2.

**Cycle.** V(0, n): on the way down the residual is summed over blocks, level by level; on the way
up a correction is interpolated and swept n times. Nothing is swept on the way down, so all work on
a level is one pass: rows of a strip are interpolated, swept and their residual summed in turn,
while they are in a cache (`smooth_strip`).

**Coarsening.** Blocks of 2 × 2 pixels become one. Its mass is the sum of theirs, and an edge
between two blocks carries half the sum of the two edges across their border, or more if one block
is held by a large mass and the other is not (`_tightened`). A grid of one row is that of two, one
of them empty. Residuals are summed over blocks, corrections interpolated bilinearly.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from osmofuse.kernels import threads
from osmofuse.linalg.grid_passes import (
    B,
    DOWN,
    FRESH,
    INVERSE,
    MASS,
    PLANES,
    RIGHT,
    RING,
    X,
    coarsen,
    sweeps,
    v_cycles,
)
from osmofuse.linalg.stencil import Stencil, flat_zeros, inside, padded_shape, zeros
from osmofuse.typing import Array, FloatArray

COARSEST_SIDE = 4  # grids with no longer side are solved directly
# Above this ratio of mass to edge weight a level is solved by three sweeps, without coarser levels.
HEAVY = 8.0
# Sweeps of a cycle, and the lowest eigenvalue they damp. Of those tried these converge best for
# masses from 1 to 1e-4: a cycle leaves 0.14 of the residual, or less.
FINE_SWEEPS, FINE_LOW = 3, 0.4
COARSE_SWEEPS, COARSE_LOW = 4, 0.3
MOST_SWEEPS = 8  # of a pass
STRIPS = 4  # of a grid, for each thread
APART = 80  # samples between planes, so that they begin in different sets of a cache


def chebyshev_steps(low: float, high: float, degree: int) -> FloatArray:
    r"""Return the steps of sweeps that damp the eigenvalues of :math:`D^{-1}A` in an interval."""
    angles = (np.arange(degree) + 0.5) * (math.pi / degree)
    return np.asarray(1.0 / (0.5 * (high + low) - 0.5 * (high - low) * np.cos(angles)))


def semi_iteration(rho: float, degree: int) -> FloatArray:
    r"""Return the steps for a spectrum of :math:`D^{-1}A` in :math:`[1-\rho, 1+\rho]`.

    They damp every error, for a matrix whose mass is not small compared with its edges.
    """
    return chebyshev_steps(1.0 - rho, 1.0 + rho, degree)


_FINE = chebyshev_steps(FINE_LOW, 2.0, FINE_SWEEPS)
_COARSE = chebyshev_steps(COARSE_LOW, 2.0, COARSE_SWEEPS)
# Optimal for masses from half of HEAVY; for lighter ones these sweeps still amplify no error.
_HEAVY = semi_iteration(8.0 / (8.0 + HEAVY), 3)


@dataclass(frozen=True, eq=False)
class Level:
    """Coarse level of a hierarchy: its matrix, correction and right-hand side; padded."""

    stencil: Stencil
    x: FloatArray
    b: FloatArray


class Hierarchy:
    """Multigrid hierarchy of a five-point matrix.

    Parameters
    ----------
    shape : tuple of int
        Rows and columns of the grid.
    dtype : type
        float32 or float64.
    levels : int, optional
        Largest number of levels; with one, only sweeps converge well.

    Attributes
    ----------
    finest : Stencil
        Matrix.
    levels : list of Level
        Coarser levels.
    depth : int
        Number of levels in use, the finest included.
    coarse_b : array
        Right-hand side of the first coarse level; padded.
    scratch : array, (strips, rows, columns)
        Rows for passes over strips.

    Notes
    -----
    Fill ``finest`` and call `update`; the memory is allocated once and reused for every matrix.
    """

    def __init__(
        self, shape: tuple[int, int], dtype: type = np.float32, *, levels: int | None = None
    ) -> None:
        self.finest = Stencil.empty(shape, dtype)
        self._table = layout(shape, levels)
        self._memory = flat_zeros(int(self._table[-1, 4] + PLANES * self._table[-1, 5]), dtype)
        self.levels = [self._level(k) for k in range(1, len(self._table))]
        self.depth = len(self._table)
        self.coarse_b = self.levels[0].b if self.levels else zeros(shape, dtype)
        rows, width = RING * (MOST_SWEEPS + 1) + 3, self.finest.mass.shape[1]
        strips = STRIPS * threads()
        self.scratch = flat_zeros(strips * rows * width, dtype).reshape(strips, rows, width)
        self._fine, self._coarse, self._heavy = (x.astype(dtype) for x in (_FINE, _COARSE, _HEAVY))
        self._direct: FloatArray = np.zeros((0, 0), dtype)

    def _level(self, k: int) -> Level:
        rows, cols, height, width, start, step = map(int, self._table[k])
        starts = range(start, start + PLANES * step, step)
        planes = [self._memory[n : n + height * width].reshape(height, width) for n in starts]
        matrix = (planes[n] for n in (DOWN, RIGHT, MASS, INVERSE))
        return Level(Stencil((rows, cols), *matrix), planes[X], planes[B])

    def update(self, *, heaviness: float = 0.0) -> None:
        """Compute the coarser matrices and the inverse diagonal from the finest matrix.

        Parameters
        ----------
        heaviness : float
            Typical ratio of mass to edge weight on the finest grid. It grows fourfold from level
            to level; above `HEAVY` a few sweeps solve a level and coarser ones are omitted.
        """
        self.finest.invert_diagonal()
        self.coarsen(heaviness=heaviness)

    def coarsen(self, *, heaviness: float = 0.0) -> None:
        """Compute the coarser matrices; the inverse diagonal of the finest must be up to date."""
        self.depth = 1
        while self.depth < len(self._table) and heaviness * 4.0 ** (self.depth - 1) <= HEAVY:
            self.depth += 1
        s = self.finest
        coarsen(s.down, s.right, s.mass, self._memory, self._table, self.depth)
        last = self.levels[self.depth - 2].stencil if self.depth > 1 else s
        small = max(last.shape) <= COARSEST_SIDE
        self._direct = _pseudo_inverse(last) if small else self._direct[:0]

    def clear(self) -> None:
        """Clear the coarse levels, which an overflow may have left with NaN."""
        self._memory.fill(0.0)

    def cycle(
        self, x: FloatArray, y: FloatArray, b: FloatArray, *, count: int = 1, start: int = 0
    ) -> tuple[FloatArray, FloatArray]:
        """Improve x, an approximate solution of A x = b, by V-cycles.

        Parameters
        ----------
        x, y : array
            Approximate solution, and a second buffer of the same shape; padded.
        b : array
            Right-hand side; padded.
        count : int
            Number of cycles.
        start : int
            `FRESH` to start from 0, whatever x is; `RESTRICTED` if `coarse_b` has been set to the
            residual of x, summed over blocks.

        Returns
        -------
        tuple of array
            The same two planes, the solution first.
        """
        s = self.finest
        if self.depth == 1:
            return self._solve_alone(x, y, b, count, fresh=start == FRESH)
        v_cycles(
            x, y, b, s.down, s.right, s.mass, s.inverse, self._memory, self._table, self._direct,
            self._fine, self._coarse, self._heavy, self.scratch, self.depth, count, start,
        )  # fmt: skip
        return (y, x) if count % 2 else (x, y)

    def sweep(
        self,
        x: FloatArray,
        y: FloatArray,
        b: FloatArray,
        steps: FloatArray,
        *,
        least: float = -math.inf,
    ) -> tuple[FloatArray, FloatArray]:
        """Improve x by sweeps with given steps on the finest grid alone, with a lower bound."""
        s, bound = self.finest, x.dtype.type(least)
        for first in range(0, len(steps), MOST_SWEEPS):
            some = steps[first : first + MOST_SWEEPS].astype(x.dtype)
            sweeps(x, y, b, s.down, s.right, s.mass, s.inverse, some, self.scratch, bound, *s.shape)
            x, y = y, x
        return x, y

    def precondition(self, r: FloatArray) -> FloatArray:
        """Return the result of one V-cycle on A x = r from zero: an approximate inverse."""
        return self.cycle(np.zeros_like(r), np.zeros_like(r), r, start=FRESH)[0]

    def _solve_alone(
        self, x: FloatArray, y: FloatArray, b: FloatArray, count: int, *, fresh: bool
    ) -> tuple[FloatArray, FloatArray]:
        """Improve x on the finest grid, the only one: directly if it is small, else by sweeps."""
        s = self.finest
        if fresh:
            x.fill(0.0)
        for _ in range(count):
            if self._direct.size:
                rest = inside(b, s.shape) - inside(s(x), s.shape)
                inside(x, s.shape)[...] += (self._direct @ rest.ravel()).reshape(s.shape)
            else:
                x, y = self.sweep(x, y, b, self._heavy)
        return x, y


def layout(shape: tuple[int, int], levels: int | None) -> Array:
    """Return the table of the grids, see `osmofuse.linalg.grid_passes`: the finest first."""
    table, start = [[*shape, *padded_shape(shape), 0, 0]], 0
    while max(shape) > COARSEST_SIDE and (levels is None or len(table) < levels):
        shape = (-(-shape[0] // 2), -(-shape[1] // 2))
        height, width = padded_shape(shape)
        step = height * width + APART
        table.append([*shape, height, width, start, step])
        start += PLANES * step
    return np.array(table, np.int64)


def _pseudo_inverse(s: Stencil) -> FloatArray:
    """Return the pseudo-inverse of a small matrix."""
    rows, cols = s.shape
    columns = []
    for i, j in np.ndindex(rows, cols):
        unit = zeros(s.shape, s.mass.dtype.type)
        unit[i + 1, j + 1] = 1.0
        columns.append(inside(s(unit), s.shape).ravel())
    matrix = np.array(columns, np.float64)
    return np.asarray(np.linalg.pinv(matrix, hermitian=True, rcond=1e-7), s.mass.dtype)
