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
from functools import cache
from typing import Any

import numpy as np

from osmofuse.kernels import threads
from osmofuse.linalg.grid_passes import (
    CORRECTED,
    DIRECT,
    DOWN,
    EXTENDED,
    FRESH,
    INVERSE,
    MASS,
    PLANES,
    RESTRICTED,
    RIGHT,
    RING,
    B,
    X,
    Y,
    coarsen,
    run_passes,
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
_ON_FINEST, _ON_COARSE, _ON_LAST, _GIVEN = range(4)  # rows of the table of steps


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
        self._memory = flat_zeros(int(self._table[-1, 3] + PLANES * self._table[-1, 4]), dtype)
        self.levels = [self._level(k) for k in range(1, len(self._table))]
        self.depth = len(self._table)
        self.coarse_b = self.levels[0].b if self.levels else zeros(shape, dtype)
        rows, width = RING * (MOST_SWEEPS + 1) + 3, self.finest.mass.shape[1]
        strips = STRIPS * threads()
        self.scratch = flat_zeros(strips * rows * width, dtype).reshape(strips, rows, width)
        self._steps: FloatArray = np.zeros((4, MOST_SWEEPS), dtype)
        for kind, steps in enumerate((_FINE, _COARSE, _HEAVY)):
            self._steps[kind, : len(steps)] = steps
        self._direct: FloatArray = np.zeros((0, 0), dtype)
        self._number: Any = dtype

    def _level(self, k: int) -> Level:
        rows, cols, _, start, step = map(int, self._table[k])
        height, width = padded_shape((rows, cols))
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
        down, right, mass = (plane.ravel() for plane in (s.down, s.right, s.mass))
        coarsen(down, right, mass, self._memory, self._table, self.depth)
        last = self.levels[self.depth - 2].stencil if self.depth > 1 else s
        small = max(last.shape) <= COARSEST_SIDE
        self._direct = _pseudo_inverse(last) if small else self._direct[:0]

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
        if self.depth == 1:
            return self._solve_alone(x, y, b, count, fresh=start == FRESH)
        self._run(v_cycles(self.depth, self._direct.size > 0, count, start), x, y, b, -math.inf)
        return (y, x) if count % 2 else (x, y)

    def _run(
        self,
        passes: Array,
        x: FloatArray,
        y: FloatArray,
        b: FloatArray,
        least: float,
    ) -> None:
        s, number = self.finest, self._number
        finest = tuple(p.ravel() for p in (x, y, b, s.down, s.right, s.mass, s.inverse))
        tables = self._table, self._direct, self._steps, self.scratch
        run_passes(passes, finest, self._memory, *tables, number(least))

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
        for first in range(0, len(steps), MOST_SWEEPS):
            some = steps[first : first + MOST_SWEEPS]
            self._steps[_GIVEN, : len(some)] = some
            self._run(np.array([(0, X, Y, _GIVEN, len(some), 0)]), x, y, b, least)
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
                x, y = self.sweep(x, y, b, _HEAVY)
        return x, y


@cache
def v_cycles(depth: int, direct: bool, count: int, start: int) -> Array:
    """Return the passes of V-cycles over the first levels, see `run_passes`.

    `start` is as in `Hierarchy.cycle`. The result is in Y if the number of cycles is odd.
    """
    passes: list[tuple[int, ...]] = []
    if start != RESTRICTED:
        passes.append((0, X, X, 0, 0, start | RESTRICTED))
    old, new = X, Y
    for c in range(count):
        passes += _coarse_cycles(depth, direct)
        how = CORRECTED | (start & FRESH if c == 0 else 0) | (RESTRICTED if c < count - 1 else 0)
        passes.append((0, old, new, _ON_FINEST, FINE_SWEEPS, how))
        old, new = new, old
    return np.array(passes, np.int64)


def _coarse_cycles(depth: int, direct: bool) -> list[tuple[int, ...]]:
    """Return the passes of two V-cycles from level 1 and 0, after which it is solved well.

    Slow errors are its part; it takes a quarter of the time of the finest level.
    """
    last = depth - 1
    bottom = (last, X, X, _ON_LAST, len(_HEAVY), DIRECT if direct else FRESH | EXTENDED)
    if last == 1:
        return [bottom]
    down = [(k, X, X, 0, 0, FRESH | RESTRICTED) for k in range(2, last)]
    up = [
        (k, X, X, _ON_COARSE, COARSE_SWEEPS, FRESH | CORRECTED | EXTENDED)
        for k in range(last - 1, 1, -1)
    ]
    begin = (1, X, X, 0, 0, FRESH | RESTRICTED)
    first = (1, X, Y, _ON_COARSE, COARSE_SWEEPS, FRESH | CORRECTED | RESTRICTED | EXTENDED)
    second = (1, Y, X, _ON_COARSE, COARSE_SWEEPS, CORRECTED | EXTENDED)
    return [begin, *down, bottom, *up, first, *down, bottom, *up, second]


def layout(shape: tuple[int, int], levels: int | None) -> Array:
    """Return the table of the grids, see `osmofuse.linalg.grid_passes`: the finest first."""
    table, start = [[*shape, padded_shape(shape)[1], 0, 0]], 0
    while max(shape) > COARSEST_SIDE and (levels is None or len(table) < levels):
        shape = (-(-shape[0] // 2), -(-shape[1] // 2))
        height, width = padded_shape(shape)
        step = height * width + APART
        table.append([*shape, width, start, step])
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
