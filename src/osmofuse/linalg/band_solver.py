"""Direct solution of the equations around links, as a part of a preconditioner.

Cycles of a five-point matrix do not see what flows along links. The equations of the residual that
they leave there are solved with sparse LU factors.
"""

from __future__ import annotations

import numpy as np

from osmofuse.kernels import fast_kernel, prange
from osmofuse.linalg.link_transport import LinkTransport
from osmofuse.linalg.sparse_lu import SparseLU
from osmofuse.linalg.stencil import padded
from osmofuse.linalg.transport import Transport
from osmofuse.typing import Array, FloatArray

OVERLAP = 6  # pixels around links: 16 iterations with 1, 10 with 6, 8 with 10, which costs as much


class BandSolver:
    """Block of a matrix with links, for the pixels that have them and some around them.

    Parameters
    ----------
    matrix : Transport
        Matrix B.
    links : LinkTransport
        Its links.
    """

    def __init__(self, matrix: Transport, links: LinkTransport) -> None:
        from scipy.ndimage import binary_dilation

        where = np.zeros(matrix.shape, bool)
        where.ravel()[links.ends[0]] = True
        where = binary_dilation(where, iterations=OVERLAP)
        self._lu = SparseLU(matrix, np.zeros_like(where), where)
        self._edges = matrix.down, matrix.up, matrix.right, matrix.left, matrix.diagonal
        self.pixel = np.flatnonzero(padded(self._lu.free.astype(np.float32)))
        counts = np.zeros(self.pixel.size, np.int64)
        linked = matrix.diagonal.ravel()[links.pixel] > 0
        counts[np.searchsorted(self.pixel, links.pixel[linked])] = np.diff(links.first)[linked]
        kept = np.repeat(linked, np.diff(links.first))
        self._links = np.append(0, np.cumsum(counts)), links.there[kept], links.values[kept]

    def correct(self, x: FloatArray, r: FloatArray) -> None:
        """Make x, an approximate solution of B x = r, exact on the block."""
        rest = np.empty(self.pixel.size)
        residual(rest, x, r, self.pixel, *self._links, *self._edges)
        x.ravel()[self.pixel] += self._lu.solve(rest)


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
    """Set r - B x at some pixels, which are indices into flat planes."""
    width, flat = x.shape[1], x.ravel()
    for k in prange(pixel.size):
        i, j, total = pixel[k] // width, pixel[k] % width, 0.0
        for n in range(first[k], first[k + 1]):
            total += values[n] * flat[there[n]]
        total += up[i, j] * x[i + 1, j] + down[i - 1, j] * x[i - 1, j]
        total += left[i, j] * x[i, j + 1] + right[i, j - 1] * x[i, j - 1]
        rest[k] = r[i, j] - diagonal[i, j] * x[i, j] + total
