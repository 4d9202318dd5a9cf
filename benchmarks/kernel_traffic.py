"""Bytes that the kernels of a fusion must move: each plane is read once and set once in a pass.

Most kernels do one pass; `run_passes` does as many as its table has. What a pass moves follows from
the arguments of a call.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from osmofuse.linalg.grid_passes import CORRECTED, DIRECT, FRESH, RESTRICTED

# Of kernels over planes, whose last arguments are rows and columns.
PLANES = {
    "implicit_step": 9,
    "second_stage": 9.25,  # b is read and set; the coarse residual is a quarter
    "end_step": 10,
    "blend": 4,  # the end is read and set
    "structure_system": 10,
    "resting_system": 7,
    "_huber_edges": 3,
    "_quadratic_edges": 3,
}


def passes_of(kernel: str, arguments: tuple[Any, ...]) -> list[int]:
    """Return the bytes of each pass of a call; none if it is not known for the kernel."""
    if kernel in PLANES:
        rows, cols = arguments[-2:]
        return [int(PLANES[kernel] * rows * cols * arguments[0].itemsize)]
    return [int(n) for n in FORMULAS[kernel](*arguments)] if kernel in FORMULAS else []


def product(w, f, alpha, sums, least, cols):
    yield 4 * sums.size * cols * w.itemsize  # w is read and set


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
    "_multiply_powers": product,
    "_read": read,
    "_store": store,
    "coarsen": coarsen,
    "run_passes": multigrid,
}
