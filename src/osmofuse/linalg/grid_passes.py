r"""Passes of multigrid cycles: rows of a strip are swept in turn, while they are in a cache.

A sweep is :math:`x \leftarrow x + \omega\,(D^{-1}(b + \sum_j m_{ij} x_j) - x)`. Sweep k of row i
needs the rows i - 1 to i + 1 after sweep k - 1; so when row i enters a strip, sweep k can be done
on row i - k. Of each sweep the last four rows are kept, in a ring. A strip computes the rows it
needs of its neighbours itself and writes its own rows only: results do not depend on the number
of strips.

Coarse levels lie in one array. A table gives the rows and columns of each grid, those of its
planes, where the first plane begins and how far apart they are.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from osmofuse.kernels import parallel_part, pixel, prange, row_kernel, serial_kernel
from osmofuse.typing import Array, FloatArray

RING = 4  # rows of a ring; a power of two, at least 3
PLANES = 9  # of a coarse level: those below
X, Y, B, DOWN, RIGHT, MASS, INVERSE, PLAIN_DOWN, PLAIN_RIGHT = range(PLANES)
FRESH, CORRECTED, RESTRICTED, EXTENDED = 1, 2, 4, 8  # what a pass does, see `smooth_strip`
TINY = 1e-30  # avoids 0 / 0
# Pixels of a strip, at least: on fewer a second thread costs more than it saves.
LEAST_STRIP = 10_000


@pixel
def plane(memory: Array, table: Array, k: int, which: int) -> FloatArray:
    """Return a plane of a coarse level."""
    height, width = table[k, 2], table[k, 3]
    start = table[k, 4] + which * table[k, 5]
    return memory[start : start + height * width].reshape(height, width)


@row_kernel
def relax(
    out: FloatArray,
    above: FloatArray,
    x: FloatArray,
    below: FloatArray,
    b: FloatArray,
    over: FloatArray,
    down: FloatArray,
    right: FloatArray,
    inverse: FloatArray,
    omega: float,
    cols: int,
) -> None:
    """Set a row to that of x after a sweep."""
    for j in range(1, cols + 1):
        near = over[j] * above[j] + down[j] * below[j] + right[j - 1] * x[j - 1]
        near += right[j] * x[j + 1]
        out[j] = x[j] + omega * (inverse[j] * (b[j] + near) - x[j])


@row_kernel
def residual(
    out: FloatArray,
    above: FloatArray,
    x: FloatArray,
    below: FloatArray,
    b: FloatArray,
    over: FloatArray,
    down: FloatArray,
    right: FloatArray,
    mass: FloatArray,
    cols: int,
) -> None:
    """Set a row to that of b - A x."""
    for j in range(1, cols + 1):
        z = x[j]
        left = b[j] - mass[j] * z + over[j] * (above[j] - z) + down[j] * (below[j] - z)
        out[j] = left + right[j - 1] * (x[j - 1] - z) + right[j] * (x[j + 1] - z)


@row_kernel
def interpolate(
    out: FloatArray, x: FloatArray, here: FloatArray, near: FloatArray, cols: int
) -> None:
    """Set a row to x plus the interpolation of a coarse row and the nearer of its neighbours."""
    most, rest = out.dtype.type(0.75), out.dtype.type(0.25)
    for n in range(1, cols + 1):
        middle = most * here[n] + rest * near[n]
        before = most * here[n - 1] + rest * near[n - 1]
        after = most * here[n + 1] + rest * near[n + 1]
        out[2 * n - 1] = x[2 * n - 1] + (most * middle + rest * before)
        out[2 * n] = x[2 * n] + (most * middle + rest * after)


@row_kernel
def copy(out: FloatArray, x: FloatArray, least: float, cols: int) -> None:
    """Copy a row, with a lower bound; NaN stays NaN."""
    for j in range(1, cols + 1):
        out[j] = least if x[j] < least else x[j]


@row_kernel
def extend(x: FloatArray, cols: int) -> None:
    """Copy the ends of a row into the frame, for the interpolation."""
    x[0] = x[1]
    x[cols + 1] = x[cols]


@row_kernel
def clear(out: FloatArray) -> None:
    """Set a row to 0."""
    for j in range(out.size):
        out[j] = 0


@row_kernel
def sum_blocks(out: FloatArray, one: FloatArray, two: FloatArray, cols: int) -> None:
    """Set a coarse row to the sums of blocks of two rows."""
    for n in range(1, cols + 1):
        out[n] = one[2 * n - 1] + two[2 * n - 1] + one[2 * n] + two[2 * n]


@row_kernel
def smooth_strip(
    y: FloatArray,
    x: FloatArray,
    coarse_x: FloatArray,
    b: FloatArray,
    down: FloatArray,
    right: FloatArray,
    mass: FloatArray,
    inverse: FloatArray,
    coarse_b: FloatArray,
    steps: FloatArray,
    ring: FloatArray,
    least: float,
    first: int,
    last: int,
    rows: int,
    cols: int,
    how: int,
) -> None:
    """Set y to x after a correction and sweeps, from one coarse row to another.

    `how` is a sum of FRESH (x is 0), CORRECTED (the interpolated coarse x is added to it),
    RESTRICTED (the coarse b is set to the residual, summed over blocks) and EXTENDED (y is to be
    interpolated). `least` bounds y below.
    """
    n = steps.size
    fresh, corrected, restricted = how & FRESH, how & CORRECTED, how & RESTRICTED
    coarse_rows, coarse_cols = (rows + 1) // 2, (cols + 1) // 2
    top, bottom = 2 * first - 1, 2 * last
    halo = n + 1 if restricted else n
    rest = RING * (n + 1)  # two rows of the residual, and one of zeros
    for k in range(rest + 3):
        clear(ring[k])
    for i in range(max(top - halo, 1), bottom + halo + 1):
        new = ring[i % RING]
        if i > rows:
            clear(new)
        else:
            old = ring[rest + 2] if fresh else x[i]
            if corrected:
                k = (i + 1) // 2
                near = min(k + 1, coarse_rows) if i % 2 == 0 else max(k - 1, 1)
                interpolate(new, old, coarse_x[k], coarse_x[near], coarse_cols)
            else:
                copy(new, old, least, cols)
        for m in range(n):
            t = i - m - 1
            if t > rows:
                clear(ring[RING * (m + 1) + t % RING])
            elif t >= 1 and t > top - halo + m:
                before = RING * m
                relax(
                    ring[RING * (m + 1) + t % RING],
                    ring[before + (t - 1) % RING],
                    ring[before + t % RING],
                    ring[before + (t + 1) % RING],
                    b[t],
                    down[t - 1],
                    down[t],
                    right[t],
                    inverse[t],
                    steps[m],
                    cols,
                )
        t, done = i - n, RING * n
        if top <= t <= min(bottom, rows) and n > 0:
            copy(y[t], ring[done + t % RING], least, cols)
            if how & EXTENDED:
                extend(y[t], cols)
        t -= 1
        if restricted and top <= t <= bottom:
            if t > rows:
                clear(ring[rest + t % 2])
            else:
                residual(
                    ring[rest + t % 2],
                    ring[done + (t - 1) % RING],
                    ring[done + t % RING],
                    ring[done + (t + 1) % RING],
                    b[t],
                    down[t - 1],
                    down[t],
                    right[t],
                    mass[t],
                    cols,
                )
            if t % 2 == 0:
                sum_blocks(coarse_b[t // 2], ring[rest + 1], ring[rest], coarse_cols)


@pixel
def strips_of(pixels: int, most: int) -> int:
    """Return the number of strips for a grid."""
    return min(most, max(pixels // LEAST_STRIP, 1))


@parallel_part
def smooth(
    y: FloatArray,
    x: FloatArray,
    coarse_x: FloatArray,
    b: FloatArray,
    down: FloatArray,
    right: FloatArray,
    mass: FloatArray,
    inverse: FloatArray,
    coarse_b: FloatArray,
    steps: FloatArray,
    scratch: FloatArray,
    least: float,
    rows: int,
    cols: int,
    how: int,
) -> None:
    """Do `smooth_strip` on a whole grid."""
    half, strips = (rows + 1) // 2, strips_of(rows * cols, scratch.shape[0])
    matrix = down, right, mass, inverse
    if strips == 1:
        smooth_strip(
            y, x, coarse_x, b, *matrix, coarse_b, steps, scratch[0], least,
            1, half, rows, cols, how,
        )  # fmt: skip
    else:
        for s in prange(strips):
            smooth_strip(
                y, x, coarse_x, b, *matrix, coarse_b, steps, scratch[s], least,
                s * half // strips + 1, (s + 1) * half // strips, rows, cols, how,
            )  # fmt: skip


@parallel_part
def sum_all_blocks(out: FloatArray, b: FloatArray, rows: int, cols: int, strips: int) -> None:
    """Set a coarse plane to the sums of blocks."""
    if strips == 1:
        for k in range(1, rows + 1):
            sum_blocks(out[k], b[2 * k - 1], b[2 * k], cols)
    else:
        for k in prange(1, rows + 1):
            sum_blocks(out[k], b[2 * k - 1], b[2 * k], cols)


@pixel
def solve_directly(x: FloatArray, b: FloatArray, matrix: FloatArray, rows: int, cols: int) -> None:
    """Set x to the product of a small dense matrix and b."""
    for i in range(rows):
        for j in range(cols):
            total = matrix.dtype.type(0.0)
            for n in range(rows * cols):
                total += matrix[i * cols + j, n] * b[n // cols + 1, n % cols + 1]
            x[i + 1, j + 1] = total
        x[i + 1, 0] = x[i + 1, 1]
        x[i + 1, cols + 1] = x[i + 1, cols]


@pixel
def coarse_cycle(
    memory: Array,
    table: Array,
    direct: FloatArray,
    coarse_steps: FloatArray,
    last_steps: FloatArray,
    scratch: FloatArray,
    depth: int,
    again: bool,
) -> None:
    """Do a V-cycle from level 1, from 0; or a second one, whose residual is already restricted."""
    most, least = scratch.shape[0], memory.dtype.type(-np.inf)
    for k in range(2 if again else 1, depth - 1):
        fine, coarse = plane(memory, table, k, B), plane(memory, table, k + 1, B)
        strips = strips_of(table[k, 0] * table[k, 1], most)
        sum_all_blocks(coarse, fine, table[k + 1, 0], table[k + 1, 1], strips)
    for k in range(depth - 1, 0, -1):
        rows, cols, last = table[k, 0], table[k, 1], k == depth - 1
        x, b = plane(memory, table, k, X), plane(memory, table, k, B)
        if last and direct.size > 0:
            solve_directly(x, b, direct, rows, cols)
            continue
        coarse_x = x if last else plane(memory, table, k + 1, X)
        coarse_b = b if last else plane(memory, table, k + 1, B)
        steps, how = coarse_steps, FRESH | CORRECTED
        old = new = x
        if last:
            steps, how = last_steps, FRESH
        elif k == 1 and again:
            old, how = plane(memory, table, 1, Y), CORRECTED
        elif k == 1:
            new, how = plane(memory, table, 1, Y), FRESH | CORRECTED | RESTRICTED
        how |= EXTENDED
        smooth(
            new, old, coarse_x, b,
            plane(memory, table, k, DOWN), plane(memory, table, k, RIGHT),
            plane(memory, table, k, MASS), plane(memory, table, k, INVERSE),
            coarse_b, steps, scratch, least, rows, cols, how,
        )  # fmt: skip


@serial_kernel
def v_cycles(
    x: FloatArray,
    y: FloatArray,
    b: FloatArray,
    down: FloatArray,
    right: FloatArray,
    mass: FloatArray,
    inverse: FloatArray,
    memory: Array,
    table: Array,
    direct: FloatArray,
    fine_steps: FloatArray,
    coarse_steps: FloatArray,
    last_steps: FloatArray,
    scratch: FloatArray,
    depth: int,
    count: int,
    start: int,
) -> None:
    """Improve x by V-cycles over the first levels; the result is in y if their number is odd.

    `start` is FRESH if x is 0, and RESTRICTED if b of level 1 has been set to its residual.
    """
    rows, cols = table[0, 0], table[0, 1]
    next_x, next_b = plane(memory, table, 1, X), plane(memory, table, 1, B)
    most, least = scratch.shape[0], memory.dtype.type(-np.inf)
    if start == FRESH:
        sum_all_blocks(next_b, b, table[1, 0], table[1, 1], strips_of(rows * cols, most))
    elif start != RESTRICTED:
        smooth(
            y, x, next_x, b, down, right, mass, inverse, next_b,
            fine_steps[:0], scratch, least, rows, cols, RESTRICTED,
        )  # fmt: skip
    for c in range(count):
        for again in range(2 if depth > 2 else 1):
            coarse_cycle(
                memory, table, direct, coarse_steps, last_steps, scratch, depth, again == 1
            )
        how = CORRECTED | (start & FRESH if c == 0 else 0) | (RESTRICTED if c < count - 1 else 0)
        smooth(
            y, x, next_x, b, down, right, mass, inverse, next_b,
            fine_steps, scratch, least, rows, cols, how,
        )  # fmt: skip
        x, y = y, x


@serial_kernel
def sweeps(
    x: FloatArray,
    y: FloatArray,
    b: FloatArray,
    down: FloatArray,
    right: FloatArray,
    mass: FloatArray,
    inverse: FloatArray,
    steps: FloatArray,
    scratch: FloatArray,
    least: float,
    rows: int,
    cols: int,
) -> None:
    """Set y to x after sweeps, with a lower bound."""
    smooth(y, x, x, b, down, right, mass, inverse, b, steps, scratch, least, rows, cols, 0)


@parallel_part
def coarsen_level(
    down: FloatArray,
    right: FloatArray,
    mass: FloatArray,
    fine_down: FloatArray,
    fine_right: FloatArray,
    fine_mass: FloatArray,
    rows: int,
    cols: int,
) -> None:
    """Set plain edges and mass of a coarse matrix."""
    for k in prange(1, rows + 1):
        coarsen_row(
            down[k], right[k], mass[k], fine_down[2 * k], fine_right[2 * k - 1],
            fine_right[2 * k], fine_mass[2 * k - 1], fine_mass[2 * k], cols,
        )  # fmt: skip


@row_kernel
def coarsen_row(
    down: FloatArray,
    right: FloatArray,
    mass: FloatArray,
    below: FloatArray,
    one_right: FloatArray,
    two_right: FloatArray,
    one: FloatArray,
    two: FloatArray,
    cols: int,
) -> None:
    """Set a row of plain edges and of the mass from two fine rows."""
    half = mass.dtype.type(0.5)
    for n in range(1, cols + 1):
        j = 2 * n - 1
        down[n] = half * (below[j] + below[j + 1])
        right[n] = half * (one_right[j + 1] + two_right[j + 1])
        mass[n] = one[j] + one[j + 1] + two[j] + two[j + 1]


@pixel
def _tightened(edge: Any, mass: Any, other: Any, most: Any, six: Any, tiny: Any) -> Any:
    """Return the tightened weight of an edge between two blocks; all numbers of one type."""
    scale = six * edge + tiny
    share = math.sqrt((scale + min(mass, other)) / (scale + max(mass, other)))
    return edge + most * edge - most * edge * share


@parallel_part
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


@serial_kernel
def coarsen(
    down: FloatArray,
    right: FloatArray,
    mass: FloatArray,
    memory: Array,
    table: Array,
    depth: int,
) -> None:
    """Set the matrices of the coarse levels from the finest."""
    for k in range(1, depth):
        rows, cols = table[k, 0], table[k, 1]
        next_down, next_right = plane(memory, table, k, PLAIN_DOWN), plane(memory, table, k, PLAIN_RIGHT)
        next_mass = plane(memory, table, k, MASS)
        coarsen_level(next_down, next_right, next_mass, down, right, mass, rows, cols)
        down, right, mass = next_down, next_right, next_mass
        tighten(
            plane(memory, table, k, DOWN), plane(memory, table, k, RIGHT),
            plane(memory, table, k, INVERSE), down, right, mass, rows, cols,
        )  # fmt: skip
