r"""Passes of multigrid cycles: rows of a strip are swept in turn, while they are in a cache.

A sweep is :math:`x \leftarrow x + \omega\,(D^{-1}(b + \sum_j m_{ij} x_j) - x)`. Sweep k of row i
needs the rows i - 1 to i + 1 after sweep k - 1; so when row i enters a strip, sweep k can be done
on row i - k. Of each sweep the last four rows are kept, in a ring. A strip computes the rows it
needs of its neighbours itself and writes its own rows only: results do not depend on the number
of strips.

Coarse levels lie in one array. A table gives the rows and columns of each grid, the width of its
planes, where the first of them begins and how far apart they are.
"""

from __future__ import annotations

import math
from typing import Any, TypeAlias

from osmofuse.kernels import fast_kernel, pixel, prange, row_kernel, view
from osmofuse.typing import Array, FloatArray

Planes: TypeAlias = tuple[FloatArray, ...]
Sizes: TypeAlias = tuple[int, ...]
"""Rows, columns and width of a grid, and the same of the coarse one."""

RING = 4  # rows of a ring; a power of two, at least 3
PLANES = 9  # of a coarse level: those below
X, Y, B, DOWN, RIGHT, MASS, INVERSE, PLAIN_DOWN, PLAIN_RIGHT = range(PLANES)
FRESH, CORRECTED, RESTRICTED, EXTENDED, DIRECT = 1, 2, 4, 8, 16  # what a pass does
TINY = 1e-30  # avoids 0 / 0
# Pixels of a strip, at least: on fewer a second thread costs more than it saves.
LEAST_STRIP = 10_000


@view
def plane(memory: FloatArray, table: Array, k: int, which: int) -> FloatArray:
    """Return a flat plane of a coarse level."""
    start, size = table[k, 3] + which * table[k, 4], table[k, 4]
    return memory[start : start + size]


@view
def row(x: FloatArray, i: int, width: int) -> FloatArray:
    """Return a row of a flat plane."""
    return x[i * width : (i + 1) * width]


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
def enter_row(
    ring: FloatArray,
    i: int,
    x: FloatArray,
    coarse_x: FloatArray,
    empty: FloatArray,
    sizes: Sizes,
    how: int,
) -> None:
    """Set a row of the ring before the first sweep: x or 0, with the correction, if any."""
    rows, cols, w, coarse_rows, coarse_cols, coarse_w = sizes
    new = ring[i % RING]
    if i > rows:
        clear(new)
        return
    old = empty if how & FRESH else row(x, i, w)
    if how & CORRECTED:
        k = (i + 1) // 2
        near = min(k + 1, coarse_rows) if i % 2 == 0 else max(k - 1, 1)
        here, beside = row(coarse_x, k, coarse_w), row(coarse_x, near, coarse_w)
        interpolate(new, old, here, beside, coarse_cols)
    else:
        copy(new, old, -math.inf, cols)


@row_kernel
def sweep_row(
    ring: FloatArray, m: int, t: int, b: FloatArray, matrix: Planes, omega: float, sizes: Sizes
) -> None:
    """Set row t of the ring after sweep m + 1 from that after sweep m."""
    rows, cols, w = sizes[0], sizes[1], sizes[2]
    down, right, _, inverse = matrix
    before, new = RING * m, ring[RING * (m + 1) + t % RING]
    if t > rows:
        clear(new)
        return
    relax(
        new,
        ring[before + (t - 1) % RING],
        ring[before + t % RING],
        ring[before + (t + 1) % RING],
        row(b, t, w),
        row(down, t - 1, w),
        row(down, t, w),
        row(right, t, w),
        row(inverse, t, w),
        omega,
        cols,
    )


@row_kernel
def restrict_row(
    coarse_b: FloatArray,
    ring: FloatArray,
    n: int,
    t: int,
    b: FloatArray,
    matrix: Planes,
    sizes: Sizes,
) -> None:
    """Compute the residual of row t after n sweeps, and after an even row sum blocks of two."""
    rows, cols, w, _, coarse_cols, coarse_w = sizes
    down, right, mass, _ = matrix
    done, rest = RING * n, RING * (n + 1)
    left = ring[rest + t % 2]
    if t > rows:
        clear(left)
    else:
        residual(
            left,
            ring[done + (t - 1) % RING],
            ring[done + t % RING],
            ring[done + (t + 1) % RING],
            row(b, t, w),
            row(down, t - 1, w),
            row(down, t, w),
            row(right, t, w),
            row(mass, t, w),
            cols,
        )
    if t % 2 == 0:
        sum_blocks(row(coarse_b, t // 2, coarse_w), ring[rest + 1], left, coarse_cols)


@row_kernel
def sum_strip(coarse_b: FloatArray, b: FloatArray, first: int, last: int, sizes: Sizes) -> None:
    """Sum b over blocks: the residual of x = 0."""
    w, coarse_cols, coarse_w = sizes[2], sizes[4], sizes[5]
    for k in range(first, last + 1):
        one, two = row(b, 2 * k - 1, w), row(b, 2 * k, w)
        sum_blocks(row(coarse_b, k, coarse_w), one, two, coarse_cols)


@row_kernel
def smooth_strip(
    y: FloatArray,
    x: FloatArray,
    b: FloatArray,
    matrix: Planes,
    coarse: Planes,
    steps: FloatArray,
    ring: FloatArray,
    least: float,
    first: int,
    last: int,
    sizes: Sizes,
    how: int,
) -> None:
    """Set y to x after a correction and sweeps, from one coarse row to another; planes are flat.

    `how` is a sum of FRESH (x is 0), CORRECTED (the interpolated coarse x is added to it),
    RESTRICTED (the coarse b is set to the residual, summed over blocks) and EXTENDED (y is to be
    interpolated). Without sweeps only the residual is summed. `least` bounds y below.
    """
    n, rows, cols, w = steps.size, sizes[0], sizes[1], sizes[2]
    coarse_x, coarse_b = coarse
    top, bottom = 2 * first - 1, 2 * last
    halo = n + 1 if how & RESTRICTED else n
    for k in range(RING * (n + 1) + 3):
        clear(ring[k])
    empty = ring[RING * (n + 1) + 2]
    for i in range(max(top - halo, 1), bottom + halo + 1):
        enter_row(ring, i, x, coarse_x, empty, sizes, how)
        for m in range(n):
            t = i - m - 1
            if t > max(top - halo + m, 0):
                sweep_row(ring, m, t, b, matrix, steps[m], sizes)
        t = i - n
        if n > 0 and top <= t <= min(bottom, rows):
            end = row(y, t, w)
            copy(end, ring[RING * n + t % RING], least, cols)
            if how & EXTENDED:
                extend(end, cols)
        if how & RESTRICTED and top <= t - 1 <= bottom:
            restrict_row(coarse_b, ring, n, t - 1, b, matrix, sizes)


@row_kernel
def solve_directly(
    x: FloatArray, b: FloatArray, matrix: FloatArray, rows: int, cols: int, w: int
) -> None:
    """Set a flat plane x to the product of a small dense matrix and b."""
    for i in range(rows):
        for j in range(cols):
            total = matrix.dtype.type(0.0)
            for n in range(rows * cols):
                total += matrix[i * cols + j, n] * b[(n // cols + 1) * w + n % cols + 1]
            x[(i + 1) * w + j + 1] = total
        extend(row(x, i + 1, w), cols)


@fast_kernel
def run_passes(
    passes: Array,
    finest: Planes,
    memory: FloatArray,
    table: Array,
    direct: FloatArray,
    all_steps: FloatArray,
    scratch: FloatArray,
    least: float,
) -> None:
    """Do passes over grids in turn.

    Each has the level, the planes X or Y that it reads and sets, the row of its steps and their
    number, and how: as in `smooth_strip`, or DIRECT. The planes X to INVERSE of the finest level
    are given, flat.
    """
    x, y, b, down, right, mass, inverse = finest
    for n in range(len(passes)):
        k, old, new, kind, degree, how = passes[n]
        steps = all_steps[kind, :degree]
        deeper = min(k + 1, len(table) - 1)
        own, below = table[k], table[deeper]
        sizes = own[0], own[1], own[2], below[0], below[1], below[2]
        coarse = plane(memory, table, deeper, X), plane(memory, table, deeper, B)
        if k == 0:
            source, target, side = x if old == X else y, x if new == X else y, b
            matrix = down, right, mass, inverse
        else:
            source, target = plane(memory, table, k, old), plane(memory, table, k, new)
            side = plane(memory, table, k, B)
            matrix = (
                plane(memory, table, k, DOWN), plane(memory, table, k, RIGHT),
                plane(memory, table, k, MASS), plane(memory, table, k, INVERSE),
            )  # fmt: skip
        if how == DIRECT:
            solve_directly(target, side, direct, sizes[0], sizes[1], sizes[2])
            continue
        half = (sizes[0] + 1) // 2
        strips = min(scratch.shape[0], max(sizes[0] * sizes[1] // LEAST_STRIP, 1))
        summed = how == FRESH | RESTRICTED and degree == 0
        for s in prange(strips):
            first, last = s * half // strips + 1, (s + 1) * half // strips
            if summed:
                sum_strip(coarse[1], side, first, last, sizes)
            else:
                ring = scratch[s]
                smooth_strip(
                    target, source, side, matrix, coarse, steps, ring, least, first, last, sizes,
                    how,
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


@row_kernel
def tighten_row(
    down: FloatArray,
    right: FloatArray,
    inverse: FloatArray,
    plain_over: FloatArray,
    plain_down: FloatArray,
    plain_right: FloatArray,
    mass_above: FloatArray,
    mass: FloatArray,
    mass_below: FloatArray,
    cols: int,
) -> None:
    r"""Set a row of the edges of a coarse level and of its inverse diagonal.

    Where one of two blocks is held by its mass, the free region ends at the border of that block,
    not at its centre: the edge is up to twice as strong, depending on where in the block the border
    lies. With :math:`s = c/m` a block has the screening factor :math:`\varphi = 1/\sqrt{1 + s/6}`,
    close to :math:`\tanh x / x` of its half-width x in screening lengths; the edge is multiplied
    by :math:`1 + 0.7\,(1 - \varphi_</\varphi_>)`. Without this, cycles diverge for a long step
    next to a held region; the value 0.7 converged best over regions of all kinds.
    """
    one, zero = mass.dtype.type(1.0), mass.dtype.type(0.0)
    most, six, tiny = mass.dtype.type(0.7), mass.dtype.type(6.0), mass.dtype.type(TINY)
    for j in range(1, cols + 1):
        c = mass[j]
        above = _tightened(plain_over[j], c, mass_above[j], most, six, tiny)
        below = _tightened(plain_down[j], c, mass_below[j], most, six, tiny)
        before = _tightened(plain_right[j - 1], c, mass[j - 1], most, six, tiny)
        after = _tightened(plain_right[j], c, mass[j + 1], most, six, tiny)
        down[j] = below
        right[j] = after
        d = c + above + below + before + after
        inverse[j] = one / d if d > zero else zero


@fast_kernel
def coarsen(
    down: FloatArray,
    right: FloatArray,
    mass: FloatArray,
    memory: FloatArray,
    table: Array,
    depth: int,
) -> None:
    """Set the matrices of the coarse levels from that of the finest, whose planes are flat."""
    for level in range(1, depth):
        rows, cols, w, fine_w = (
            table[level, 0],
            table[level, 1],
            table[level, 2],
            table[level - 1, 2],
        )
        m0, m1 = plane(memory, table, level, PLAIN_DOWN), plane(memory, table, level, PLAIN_RIGHT)
        m2 = plane(memory, table, level, MASS)
        for k in prange(1, rows + 1):
            i = 2 * k
            coarsen_row(
                row(m0, k, w), row(m1, k, w), row(m2, k, w), row(down, i, fine_w),
                row(right, i - 1, fine_w), row(right, i, fine_w),
                row(mass, i - 1, fine_w), row(mass, i, fine_w), cols,
            )  # fmt: skip
        t0, t1 = plane(memory, table, level, DOWN), plane(memory, table, level, RIGHT)
        t3 = plane(memory, table, level, INVERSE)
        for k in prange(1, rows + 1):
            tighten_row(
                row(t0, k, w), row(t1, k, w), row(t3, k, w), row(m0, k - 1, w), row(m0, k, w),
                row(m1, k, w), row(m2, k - 1, w), row(m2, k, w), row(m2, k + 1, w), cols,
            )  # fmt: skip
        down, right, mass = m0, m1, m2
