"""Inner product of planes."""

from __future__ import annotations

import numpy as np

from osmofuse.kernels import kernel, prange
from osmofuse.typing import FloatArray


def inner(x: FloatArray, y: FloatArray) -> float:
    r"""Return :math:`\langle x, y \rangle = \sum_i x_i y_i` of two planes.

    Summed row by row: the same bits for any number of threads, which BLAS does not guarantee, and
    no BLAS threads compete with those of the kernels.
    """
    return float(_inner_rows(x, y).sum())


@kernel
def _inner_rows(x: FloatArray, y: FloatArray) -> FloatArray:
    rows, cols = x.shape
    total = np.zeros(rows)
    for i in prange(rows):
        s = 0.0
        for j in range(cols):
            s += x[i, j] * y[i, j]
        total[i] = s
    return total
