r"""Geometric multigrid for five-point M-matrices.

The hierarchy (which depends on the matrix) is separate from the cycle (which depends on b).

**Smoother.** Chebyshev iteration of the fourth kind on :math:`D^{-1} A` (Lottes 2023,
doi:10.1002/nla.2518), whose spectrum lies in [0, 2]:

.. math::

    p \leftarrow \tfrac{2k-3}{2k+1}\, p + \tfrac{8k-4}{2k+1}\, \tfrac12 D^{-1}(b - A x),
    \qquad x \leftarrow x + p, \qquad k = 1, 2, \dots

**Coarsening.** Blocks of 2 × 2 pixels become one. Its mass is the sum of theirs, and an edge
between two blocks carries half the sum of the two edges across their border, or more if one block
is held by a large mass and the other is not (`tighten`). A direction of one pixel is not coarsened;
the other is coarsened alone. Residuals are summed over blocks, corrections interpolated bilinearly.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, TypeAlias

import numpy as np

from osmofuse.kernels import fast_kernel, pixel, prange, threads_for
from osmofuse.linalg.stencil import Stencil, inside, zeros
from osmofuse.typing import FloatArray

COARSEST_SIDE = 4  # grids with no longer side are solved directly
TINY = 1e-30  # avoids 0 / 0
# Above this ratio of mass to edge weight a level is solved by three sweeps, without coarser levels.
HEAVY = 8.0

Schedule: TypeAlias = Sequence[tuple[float, float]]  # momentum and step of each sweep


def fourth_kind(degree: int) -> Schedule:
    """Return Chebyshev sweeps of the fourth kind, which damp what a coarser grid cannot."""
    steps = [((2 * k - 3) / (2 * k + 1), (4 * k - 2) / (2 * k + 1)) for k in range(1, degree + 1)]
    return [(0.0, steps[0][1]), *steps[1:]]


def semi_iteration(rho: float, degree: int) -> Schedule:
    r"""Return Chebyshev sweeps for a spectrum of :math:`D^{-1}A` in :math:`[1-\rho, 1+\rho]`.

    They damp every error, for a matrix whose mass is not small compared with its edges.
    """
    schedule, omega = [(0.0, 1.0)], 2.0
    for _ in range(degree - 1):
        omega = 1.0 / (1.0 - 0.25 * rho * rho * omega)
        schedule.append((omega - 1.0, omega))
    return schedule


def sweep(
    s: Stencil, x: FloatArray, y: FloatArray, b: FloatArray, schedule: Schedule
) -> tuple[FloatArray, FloatArray]:
    """Return x after the sweeps of a schedule, and the second buffer."""
    number: Any = x.dtype.type
    for momentum, step in schedule:
        chebyshev(y, x, b, s.down, s.right, s.inverse, number(momentum), number(step), *s.shape)
        x, y = y, x
    return x, y


_BEFORE, _AFTER = fourth_kind(1), fourth_kind(2)  # sweeps before and after a correction
# Optimal for masses from half of HEAVY; for lighter ones these sweeps still amplify no error.
_HEAVY = semi_iteration(8.0 / (8.0 + HEAVY), 3)


@dataclass(frozen=True, eq=False)
class Level:
    """Level of the hierarchy: its matrix and working planes.

    Attributes
    ----------
    stencil : Stencil
        Matrix.
    down, right : array
        Edges of the matrix before `tighten`, for the next coarser level; padded.
    x, y, b : array
        Correction, its double buffer, and right-hand side; padded. Empty on the finest level,
        which works on the caller's planes.
    block : tuple of int
        Rows and columns of the next finer level that make one pixel of this one.
    """

    stencil: Stencil
    down: FloatArray
    right: FloatArray
    x: FloatArray
    y: FloatArray
    b: FloatArray
    block: tuple[int, int]


def levels_of(finest: Stencil, dtype: type, most: int | None = None) -> list[Level]:
    """Return the finest level and its coarser ones, at most a number, with their memory."""
    empty: FloatArray = np.zeros((0, 0), dtype)
    levels = [Level(finest, finest.down, finest.right, empty, empty, empty, (1, 1))]
    shape = finest.shape
    while max(shape) > COARSEST_SIDE and (most is None or len(levels) < most):
        block = (min(shape[0], 2), min(shape[1], 2))
        shape = (-(-shape[0] // block[0]), -(-shape[1] // block[1]))
        down, right, x, y, b = (zeros(shape, dtype) for _ in range(5))
        levels.append(Level(Stencil.empty(shape, dtype), down, right, x, y, b, block))
    return levels


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

    Notes
    -----
    Fill ``finest`` and call `update`; the memory is allocated once and reused for every matrix.
    """

    def __init__(
        self, shape: tuple[int, int], dtype: type = np.float32, *, levels: int | None = None
    ) -> None:
        self.finest = Stencil.empty(shape, dtype)
        self.levels = levels_of(self.finest, dtype, levels)
        self.depth = len(self.levels)
        self._inverse: FloatArray | None = None

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
        for fine, coarse in pairwise(self.levels):
            if heaviness * 4.0 ** (self.depth - 1) > HEAVY:
                break
            c = coarse.stencil
            with threads_for(math.prod(c.shape)):
                coarsen(fine, coarse)
                tighten(c.down, c.right, c.inverse, coarse.down, coarse.right, c.mass, *c.shape)
            self.depth += 1
        last = self.levels[self.depth - 1].stencil
        self._inverse = _pseudo_inverse(last) if max(last.shape) <= COARSEST_SIDE else None

    def clear(self) -> None:
        """Clear the working planes: a NaN left there would return in every cycle."""
        for level in self.levels[1:]:
            level.x.fill(0.0)
            level.y.fill(0.0)

    def cycle(self, x: FloatArray, y: FloatArray, b: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Improve x, an approximate solution of A x = b, by one V-cycle.

        Parameters
        ----------
        x, y : array
            Approximate solution, and a second buffer of the same shape; padded.
        b : array
            Right-hand side; padded.

        Returns
        -------
        tuple of array
            The same two planes, the solution first.
        """
        return self._cycle(0, x, y, b)

    def sweep(
        self, x: FloatArray, y: FloatArray, b: FloatArray, schedule: Schedule
    ) -> tuple[FloatArray, FloatArray]:
        """Improve x by sweeps on the finest grid alone."""
        return sweep(self.finest, x, y, b, schedule)

    def precondition(self, r: FloatArray) -> FloatArray:
        """Return the result of one V-cycle on A x = r from zero: an approximate inverse."""
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
        # On small grids a second thread costs more than it saves.
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
    """Return the pseudo-inverse of a small matrix."""
    rows, cols = s.shape
    columns = []
    for i, j in np.ndindex(rows, cols):
        unit = zeros(s.shape, s.mass.dtype.type)
        unit[i + 1, j + 1] = 1.0
        columns.append(inside(s(unit), s.shape).ravel())
    matrix = np.array(columns, np.float64)
    return np.asarray(np.linalg.pinv(matrix, hermitian=True, rcond=1e-7), s.mass.dtype)


def _replicate(x: FloatArray, shape: tuple[int, int]) -> None:
    """Copy the outer columns into the frame, for the interpolation."""
    x[:, 0], x[:, shape[1] + 1] = x[:, 1], x[:, shape[1]]


def restrict(s: Stencil, x: FloatArray, b: FloatArray, coarse: Level) -> None:
    """Set the right-hand side of the coarser level to the residual, summed over blocks."""
    if coarse.block == (2, 2):
        restrict_blocks(coarse.b, x, b, s.down, s.right, s.mass, *coarse.stencil.shape)
        return
    residual = inside(b, s.shape) - inside(s(x), s.shape)
    inside(coarse.b, coarse.stencil.shape)[...] = _sum_blocks(residual, coarse)


def prolong(x: FloatArray, correction: FloatArray, coarse: Level) -> None:
    """Add the interpolated correction of the coarser level to x."""
    rows, cols = coarse.stencil.shape
    if coarse.block == (2, 2):
        interpolate_blocks(x, correction, rows, cols)
        return
    fine = inside(correction, (rows, cols))
    for axis in (0, 1):
        if coarse.block[axis] == 2:
            fine = _interpolate(fine, axis)
    target = x[1 : fine.shape[0] + 1, 1 : fine.shape[1] + 1]
    target += fine


def coarsen(fine: Level, coarse: Level) -> None:
    """Set mass and edges of the coarser matrix."""
    s, c = fine.stencil, coarse.stencil
    if coarse.block == (2, 2):
        coarsen_blocks(coarse.down, coarse.right, c.mass, fine.down, fine.right, s.mass, *c.shape)
        return
    inside(c.mass, c.shape)[...] = _sum_blocks(inside(s.mass, s.shape), coarse)
    for axis, (old, edges) in enumerate(((fine.down, coarse.down), (fine.right, coarse.right))):
        # Edges between blocks start in the last row or column of a block.
        crossing = inside(old, s.shape).copy()
        if coarse.block[axis] == 2:
            first = [slice(None)] * 2
            first[axis] = slice(0, None, 2)
            crossing[tuple(first)] = 0.0
            crossing *= 0.5
        inside(edges, c.shape)[...] = _sum_blocks(crossing, coarse)


def _sum_blocks(x: FloatArray, coarse: Level) -> FloatArray:
    rows, cols = coarse.stencil.shape
    tall, wide = coarse.block
    even: FloatArray = np.zeros((rows * tall, cols * wide), x.dtype)
    even[: x.shape[0], : x.shape[1]] = x
    return np.asarray(even.reshape(rows, tall, cols, wide).sum(axis=(1, 3)))


def _interpolate(x: FloatArray, axis: int) -> FloatArray:
    """Return a plane with twice the cells along an axis, linear between cell centres."""
    x = np.moveaxis(x, axis, 0)
    before, after = np.concatenate([x[:1], x[:-1]]), np.concatenate([x[1:], x[-1:]])
    fine = np.stack([0.75 * x + 0.25 * before, 0.75 * x + 0.25 * after], axis=1)
    return np.moveaxis(fine.reshape(-1, x.shape[1]).astype(x.dtype), 0, axis)


@fast_kernel
def chebyshev(
    y: FloatArray,
    x: FloatArray,
    b: FloatArray,
    down: FloatArray,
    right: FloatArray,
    inverse: FloatArray,
    momentum: float,
    step: float,
    rows: int,
    cols: int,
) -> None:
    """Replace y, the iterate before x, by the one after x.

    Also copies the outer columns into the frame, for the interpolation.
    """
    for i in prange(1, rows + 1):
        for j in range(1, cols + 1):
            near = (
                down[i - 1, j] * x[i - 1, j]
                + down[i, j] * x[i + 1, j]
                + right[i, j - 1] * x[i, j - 1]
                + right[i, j] * x[i, j + 1]
            )
            z = inverse[i, j] * (b[i, j] + near) - x[i, j]
            y[i, j] = x[i, j] + momentum * (x[i, j] - y[i, j]) + step * z
        y[i, 0] = y[i, 1]
        y[i, cols + 1] = y[i, cols]


@fast_kernel
def restrict_blocks(
    coarse_b: FloatArray,
    x: FloatArray,
    b: FloatArray,
    down: FloatArray,
    right: FloatArray,
    mass: FloatArray,
    rows: int,
    cols: int,
) -> None:
    """Sum b - A x over blocks of 2 × 2; edges inside a block cancel."""
    for k in prange(1, rows + 1):
        i = 2 * k - 1
        for n in range(1, cols + 1):
            j = 2 * n - 1
            s = b[i, j] - mass[i, j] * x[i, j] + b[i, j + 1] - mass[i, j + 1] * x[i, j + 1]
            s += b[i + 1, j] - mass[i + 1, j] * x[i + 1, j]
            s += b[i + 1, j + 1] - mass[i + 1, j + 1] * x[i + 1, j + 1]
            s += down[i - 1, j] * (x[i - 1, j] - x[i, j])
            s += down[i - 1, j + 1] * (x[i - 1, j + 1] - x[i, j + 1])
            s += down[i + 1, j] * (x[i + 2, j] - x[i + 1, j])
            s += down[i + 1, j + 1] * (x[i + 2, j + 1] - x[i + 1, j + 1])
            s += right[i, j - 1] * (x[i, j - 1] - x[i, j])
            s += right[i + 1, j - 1] * (x[i + 1, j - 1] - x[i + 1, j])
            s += right[i, j + 1] * (x[i, j + 2] - x[i, j + 1])
            s += right[i + 1, j + 1] * (x[i + 1, j + 2] - x[i + 1, j + 1])
            coarse_b[k, n] = s


@fast_kernel
def interpolate_blocks(x: FloatArray, coarse: FloatArray, rows: int, cols: int) -> None:
    """Add the bilinear interpolation of the centres of 2 × 2 blocks."""
    most, rest = x.dtype.type(0.75), x.dtype.type(0.25)
    for i in prange(1, 2 * rows + 1):
        k = (i + 1) // 2
        near = min(k + 1, rows) if i % 2 == 0 else max(k - 1, 1)
        for n in range(1, cols + 1):
            here = most * coarse[k, n] + rest * coarse[near, n]
            before = most * coarse[k, n - 1] + rest * coarse[near, n - 1]
            after = most * coarse[k, n + 1] + rest * coarse[near, n + 1]
            x[i, 2 * n - 1] += most * here + rest * before
            x[i, 2 * n] += most * here + rest * after


@fast_kernel
def coarsen_blocks(
    coarse_down: FloatArray,
    coarse_right: FloatArray,
    coarse_mass: FloatArray,
    down: FloatArray,
    right: FloatArray,
    mass: FloatArray,
    rows: int,
    cols: int,
) -> None:
    """Set edges and mass of the coarse matrix for blocks of 2 × 2."""
    half = mass.dtype.type(0.5)
    for k in prange(1, rows + 1):
        i = 2 * k - 1
        for n in range(1, cols + 1):
            j = 2 * n - 1
            coarse_down[k, n] = half * (down[i + 1, j] + down[i + 1, j + 1])
            coarse_right[k, n] = half * (right[i, j + 1] + right[i + 1, j + 1])
            coarse_mass[k, n] = mass[i, j] + mass[i, j + 1] + mass[i + 1, j] + mass[i + 1, j + 1]


@pixel
def _tightened(edge: Any, mass: Any, other: Any, most: Any, six: Any, tiny: Any) -> Any:
    """Return the tightened weight of an edge between two blocks; all numbers of one type."""
    scale = six * edge + tiny
    share = math.sqrt((scale + min(mass, other)) / (scale + max(mass, other)))
    return edge + most * edge - most * edge * share


@fast_kernel
def tighten(
    down: FloatArray,
    right: FloatArray,
    inverse: FloatArray,
    plain_down: FloatArray,
    plain_right: FloatArray,
    mass: FloatArray,
    rows: int,
    cols: int,
) -> None:
    r"""Set the edges of a coarse level and its inverse diagonal.

    Where one of two blocks is held by its mass, the free region ends at the border of that block,
    not at its centre: the edge is up to twice as strong, depending on where in the block the border
    lies. With :math:`s = c/m` a block has the screening factor :math:`\varphi = 1/\sqrt{1 + s/6}`,
    close to :math:`\tanh x / x` of its half-width x in screening lengths; the edge is multiplied
    by :math:`1 + 0.7\,(1 - \varphi_</\varphi_>)`. Without this, cycles diverge for a long step
    next to a held region; the value 0.7 converged best over regions of all kinds.
    """
    one, zero = mass.dtype.type(1.0), mass.dtype.type(0.0)
    most, six, tiny = mass.dtype.type(0.7), mass.dtype.type(6.0), mass.dtype.type(TINY)
    for i in prange(1, rows + 1):
        for j in range(1, cols + 1):
            c = mass[i, j]
            above = _tightened(plain_down[i - 1, j], c, mass[i - 1, j], most, six, tiny)
            below = _tightened(plain_down[i, j], c, mass[i + 1, j], most, six, tiny)
            before = _tightened(plain_right[i, j - 1], c, mass[i, j - 1], most, six, tiny)
            after = _tightened(plain_right[i, j], c, mass[i, j + 1], most, six, tiny)
            down[i, j] = below
            right[i, j] = after
            d = c + above + below + before + after
            inverse[i, j] = one / d if d > zero else zero
