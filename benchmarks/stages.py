"""What each pass of the flow takes, and how near it comes to the memory's limit."""

from __future__ import annotations

import time

import numba
import numpy as np
from numba import njit, prange

from osmofuse.energies import HuberTV
from osmofuse.energies.flow_kernels import implicit_step, structure_system
from osmofuse.linalg import Hierarchy
from osmofuse.linalg.multigrid import chebyshev, interpolate_blocks, restrict_blocks
from osmofuse.linalg.stencil import zeros
from osmofuse.optimise.sdirk import end_step, second_stage

SHAPE = (6000, 6000)  # 144 MB a plane: out of every cache


def run() -> dict[str, float]:
    limit = stream()
    found = {"STREAM triad, GB/s": limit}
    for name, (job, planes) in passes().items():
        gigabytes = planes * SHAPE[0] * SHAPE[1] * 4 / 1e9
        found[f"{name}, part of the triad"] = gigabytes / seconds_of(job) / limit
    return found


def seconds_of(job) -> float:
    job()
    times = []
    for _ in range(5):
        start = time.perf_counter()
        job()
        times.append(time.perf_counter() - start)
    return float(np.median(times))


@njit(parallel=True)
def triad(a, b, c, s):
    for i in prange(a.size):
        a[i] = b[i] + s * c[i]


def stream() -> float:
    """Return the gigabytes a second of a = b + s c, each array counted once."""
    n = 80_000_000
    a, b, c = np.zeros(n, np.float32), np.ones(n, np.float32), np.ones(n, np.float32)
    return 3 * a.nbytes / 1e9 / seconds_of(lambda: triad(a, b, c, np.float32(3.0)))


def passes():
    """Return each pass with the number of planes it must move."""
    x, y, b, u, v, w, a, end, first = (zeros(SHAPE) for _ in range(9))
    for plane in (x, u, v, w):
        plane[1:-1, 1:-1] = 1.5
    grid = Hierarchy(SHAPE)
    s, coarse, one = grid.finest, grid.levels[1], np.float32(1.0)
    half, huber = coarse.stencil.shape, HuberTV(1.0, 1.0)
    matrix = (s.down, s.right, s.mass, s.inverse)
    return {
        "implicit_step": (lambda: implicit_step(*matrix, b, u, v, w, a, one, one, *SHAPE), 9),
        "second_stage": (lambda: second_stage(x, b, first, v, one, *SHAPE), 6),
        "end_step": (
            lambda: end_step(
                end, x, b, s.down, s.right, s.mass, first, u, v, one, *SHAPE
            ), 9,
        ),
        "chebyshev": (
            lambda: chebyshev(y, x, b, s.down, s.right, s.inverse, one, one, *SHAPE), 7,
        ),
        "restrict": (
            lambda: restrict_blocks(coarse.b, x, b, s.down, s.right, s.mass, *half), 5.25,
        ),
        "prolong": (lambda: interpolate_blocks(x, coarse.x, *half), 2.25),
        "structure_system": (
            lambda: structure_system(s.mass, b, u, v, w, a, w, one, one, *SHAPE), 6,
        ),
        "regulariser": (lambda: huber.set_edges(s.down, s.right, [v], 0, SHAPE), 3),
    }  # fmt: skip


def threads() -> int:
    return int(numba.get_num_threads())
