"""Bytes that the kernels of a fusion must move: each plane read once and written once.

A kernel does one pass or several: one for each plane that is read and written in rows, and
`run_passes` as many as its table has. A formula gives the bytes of each pass from the arguments.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from osmofuse.linalg.grid_passes import CORRECTED, DIRECT, FRESH, RESTRICTED


def passes_of(kernel: str, arguments: tuple[Any, ...]) -> list[int]:
    """Return the bytes of each pass of a call; none if there is no formula for the kernel."""
    formula = FORMULAS.get(kernel)
    return [] if formula is None else [int(n) for n in formula(*arguments)]


def planes(count: float) -> Callable[..., Iterator[float]]:
    """Return the formula of a kernel over planes, whose last arguments are rows and columns."""

    def formula(first, *rest):
        rows, cols = rest[-2:]
        yield count * rows * cols * first.itemsize

    return formula


def product(w, f, alpha, sums, least, cols):
    yield 4 * sums.size * cols * w.itemsize  # w is read and written


def read(plane, samples, down, right, white, offset, rows, cols):
    # Samples of other bands lie between those of one, and are moved with them.
    yield rows * cols * plane.itemsize + samples.nbytes


def store(picture, planes, offset):
    yield picture.nbytes + picture.size * planes[0].itemsize


def coarsen(down, right, mass, memory, table, depth):
    """Two passes for each coarse level; of the fine edges down, every other row is needed."""
    for level in range(1, depth):
        fine, coarse = (size(table[k], memory) for k in (level - 1, level))
        yield 2.5 * fine + 3 * coarse
        yield 6 * coarse


def multigrid(passes, finest, memory, table, direct, *rest):
    for k, _, _, _, sweeps, how in passes.tolist():
        own, coarse = (size(table[min(n, len(table) - 1)], memory) for n in (k, k + 1))
        if how == DIRECT:
            yield direct.nbytes + 2 * own
        else:
            many, few = planes_of_pass(sweeps, how)
            yield many * own + few * coarse


def planes_of_pass(sweeps: int, how: int) -> tuple[int, int]:
    """Return how many planes of a level and of the coarser one a pass of multigrid moves."""
    fresh, corrected, restricted = (bool(how & flag) for flag in (FRESH, CORRECTED, RESTRICTED))
    if fresh and not sweeps:
        return 1, 1  # b is summed
    own = 3 + (not fresh)  # b, down, right; x
    own += 2 if sweeps else 0  # inverse; y
    own += restricted  # mass
    return own, corrected + restricted


def size(grid, memory) -> int:
    """Return the bytes of a plane of a grid, given by its row of the table of grids."""
    return int(grid[0]) * int(grid[1]) * int(memory.itemsize)


FORMULAS: dict[str, Callable[..., Iterator[float]]] = {
    "implicit_step": planes(9),
    "second_stage": planes(9.25),  # b is read and written; the coarse residual is a quarter
    "end_step": planes(10),
    "blend": planes(4),  # the end is read and written
    "structure_system": planes(10),
    "resting_system": planes(7),
    "_huber_edges": planes(3),
    "_quadratic_edges": planes(3),
    "_multiply_powers": product,
    "_read": read,
    "_store": store,
    "coarsen": coarsen,
    "run_passes": multigrid,
}
