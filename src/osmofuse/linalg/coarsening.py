"""Between a grid and the next coarser one: its matrix, residuals down, corrections up.

Blocks of 2 × 2 pixels become one: its mass is the sum of theirs, and an edge between two blocks
carries half the sum of the two edges that cross their border, and more where one block is held
by a heavy mass and the other is not (`tighten`). A direction of one pixel stays; the other is
then coarsened alone. Residuals are summed into blocks and corrections interpolated
bilinearly.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from osmofuse.kernels import fast_kernel, pixel, prange
from osmofuse.linalg.stencil import Stencil, inside, zeros
from osmofuse.typing import FloatArray

SMALL = 4  # a grid with no longer side is solved directly
TINY = 1e-30  # keeps 0 / 0 from becoming NaN


@dataclass(frozen=True, eq=False)
class Level:
    """A matrix of the hierarchy, room for a solution and a right side, and how it coarsens.

    Attributes
    ----------
    stencil : Stencil
        The matrix.
    down, right : array
        Its edges before they are tightened, for the next coarser level; padded.
    x, y, b : array
        The correction, its double buffer, and the right side; padded. The finest level
        works on planes that it is given.
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


def levels_of(finest: Stencil, dtype: type) -> list[Level]:
    """Return the finest grid and its coarser ones, with room for what they will hold."""
    empty: FloatArray = np.zeros((0, 0), dtype)
    levels = [Level(finest, finest.down, finest.right, empty, empty, empty, (1, 1))]
    shape = finest.shape
    while max(shape) > SMALL:
        block = (min(shape[0], 2), min(shape[1], 2))
        shape = (-(-shape[0] // block[0]), -(-shape[1] // block[1]))
        down, right, x, y, b = (zeros(shape, dtype) for _ in range(5))
        levels.append(Level(Stencil.empty(shape, dtype), down, right, x, y, b, block))
    return levels


def restrict(s: Stencil, x: FloatArray, b: FloatArray, coarse: Level) -> None:
    """Sum the residual of a level into the blocks of the coarser one."""
    if coarse.block == (2, 2):
        restrict_blocks(coarse.b, x, b, s.down, s.right, s.mass, *coarse.stencil.shape)
        return
    residual = inside(b, s.shape) - inside(s(x), s.shape)
    inside(coarse.b, coarse.stencil.shape)[...] = _sum_blocks(residual, coarse)


def prolong(x: FloatArray, correction: FloatArray, coarse: Level) -> None:
    """Add the interpolated correction of the coarser level."""
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
    """Set the mass and the edges of the coarser matrix."""
    s, c = fine.stencil, coarse.stencil
    if coarse.block == (2, 2):
        coarsen_blocks(coarse.down, coarse.right, c.mass, fine.down, fine.right, s.mass, *c.shape)
        return
    inside(c.mass, c.shape)[...] = _sum_blocks(inside(s.mass, s.shape), coarse)
    for axis, (old, edges) in enumerate(((fine.down, coarse.down), (fine.right, coarse.right))):
        # The edges that leave a block start in its last row or column.
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
    """Sum b - A x over blocks of 2 × 2; what flows inside a block cancels."""
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
    """Set edges and mass of blocks of 2 × 2."""
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
    """Return the weight of an edge between blocks of a mass and another; numbers of one type."""
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
    r"""Set the edges of a coarse level and one over its diagonal.

    Where one of two blocks is held, what is free ends at its border, not at its centre: the
    edge is up to twice as strong, or as it was, according to where in the block the border
    lies. With :math:`s = c/m` a block is screened to :math:`\varphi = 1/\sqrt{1 + s/6}`, near
    :math:`\tanh x / x` of its half-width x in screening lengths; the edge grows by
    :math:`1 + 0.7\,(1 - \varphi_</\varphi_>)`. Without this, cycles diverge for a long step
    beside a held region; with 0.7 they converged best over regions of all kinds.
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
