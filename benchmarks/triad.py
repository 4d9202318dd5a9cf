"""Speed of a = b + s c by the size of its three arrays: the limit of each cache, and of memory."""

from __future__ import annotations

from collections.abc import Sequence

import numba
import numpy as np
from numba import njit, prange

from benchmarks.timing import seconds_of

# Bytes of the three arrays. A step of four shows each cache, whatever its size.
SIZES = tuple(4**k * 2**18 for k in range(7))  # 256 KiB to 1 GiB
WORK = 2**28  # bytes of one timing, at least
RUNS = 5


class Triad:
    """Gigabytes a second of the triad, each array counted once, by bytes of the arrays."""

    def __init__(self, sizes: Sequence[int] = SIZES, work: int = WORK) -> None:
        self.sizes = sizes
        self.speeds = [speed(size, work) for size in sizes]

    def seconds(self, moved: float) -> float:
        """Return how long a pass takes that moves some bytes at the speed of a triad of them."""
        rate = np.interp(np.log(max(moved, 1.0)), np.log(self.sizes), self.speeds)
        return moved / 1e9 / float(rate)

    def told(self) -> dict[str, float]:
        """Return the speeds by size."""
        told = zip(self.sizes, self.speeds, strict=True)
        return {f"triad of {size / 2**20:g} MiB, GB/s": rate for size, rate in told}


def speed(size: int, work: int) -> float:
    """Return the gigabytes a second, of one thread or of all, whichever are faster."""
    n, repeats = size // 12, -(-work // size)
    a, b, c = np.zeros(n, np.float32), np.ones(n, np.float32), np.ones(n, np.float32)
    threads = numba.get_num_threads()
    best = 0.0
    for used in {1, threads}:
        numba.set_num_threads(used)
        triad(a, b, c, np.float32(3.0), 1)
        runs = [seconds_of(lambda: triad(a, b, c, np.float32(3.0), repeats)) for _ in range(RUNS)]
        best = max(best, 3 * a.nbytes * repeats / 1e9 / float(np.median(runs)))
    numba.set_num_threads(threads)
    return best


@njit(parallel=True)
def triad(a, b, c, s, repeats):
    for _ in range(repeats):
        for i in prange(a.size):
            a[i] = b[i] + s * c[i]
