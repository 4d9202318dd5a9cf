"""Direct solution of the equations of pixels with links, as a part of a preconditioner.

Cycles of a five-point matrix do not see what flows along links. Where they leave a residual, on
the pixels that have links, its equations are solved with sparse LU factors.
"""

from __future__ import annotations

import numpy as np

from osmofuse.kernels import fast_kernel, prange
from osmofuse.linalg.link_transport import LinkTransport
from osmofuse.linalg.sparse_lu import SparseLU
from osmofuse.linalg.transport import Transport
from osmofuse.typing import Array, FloatArray


class BandSolver:
    """Block of a matrix with links, for the pixels that have them.

    Parameters
    ----------
    matrix : Transport
        Matrix B.
    links : LinkTransport
        Its links.
    """

    def __init__(self, matrix: Transport, links: LinkTransport) -> None:
        where = np.zeros(matrix.shape, bool)
        where.ravel()[links.ends[0]] = True
        self._lu = SparseLU(matrix, np.zeros_like(where), where)
        self._links = links.pixel, links.first, links.there, links.values
        self._edges = matrix.down, matrix.up, matrix.right, matrix.left, matrix.diagonal
        self._free = matrix.diagonal.ravel()[links.pixel] > 0

    def correct(self, x: FloatArray, r: FloatArray) -> None:
        """Make x, an approximate solution of B x = r, exact on the block."""
        rest = np.empty(self._free.size)
        residual(rest, x, r, *self._links, *self._edges)
        place = self._links[0][self._free]
        x.ravel()[place] += self._lu.solve(rest[self._free])


@fast_kernel
def residual(
    rest: FloatArray,
    x: FloatArray,
    r: FloatArray,
    pixel: Array,
    first: Array,
    there: Array,
    values: FloatArray,
    down: FloatArray,
    up: FloatArray,
    right: FloatArray,
    left: FloatArray,
    diagonal: FloatArray,
) -> None:
    """Set r - B x at the pixels that have links, which are indices into flat planes."""
    width, flat = x.shape[1], x.ravel()
    for k in prange(pixel.size):
        i, j, total = pixel[k] // width, pixel[k] % width, 0.0
        for n in range(first[k], first[k + 1]):
            total += values[n] * flat[there[n]]
        total += up[i, j] * x[i + 1, j] + down[i - 1, j] * x[i - 1, j]
        total += left[i, j] * x[i, j + 1] + right[i, j - 1] * x[i, j - 1]
        rest[k] = r[i, j] - diagonal[i, j] * x[i, j] + total
