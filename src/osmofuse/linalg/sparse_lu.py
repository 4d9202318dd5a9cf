"""Sparse LU factorisation of a transport matrix, where multigrid cycles do not converge.

That happens for black pixels next to white ones all over a picture, and along links in a narrow
band: no coarser grid resembles them.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from osmofuse.linalg.stencil import inside
from osmofuse.linalg.transport import Transport
from osmofuse.typing import Array, BoolArray, FloatArray


class SparseLU:
    """Factorisation B = L U on free pixels, without pivoting: B is an M-matrix.

    Parameters
    ----------
    matrix : Transport
        Matrix B.
    anchors : array of bool, (rows, cols)
        Pixels whose diagonal entry is doubled: one in each component on which B is singular.
    where : array of bool, (rows, cols), optional
        Pixels of the block of B to factorise; all by default.
    """

    def __init__(
        self, matrix: Transport, anchors: BoolArray, where: BoolArray | None = None
    ) -> None:
        # Loaded on first use, which is rare.
        from scipy.sparse import csc_array
        from scipy.sparse.linalg import splu

        shape = matrix.shape
        diagonal = inside(matrix.diagonal, shape)
        self.shape, self.free = shape, (diagonal > 0) & (True if where is None else where)
        number = np.cumsum(self.free).reshape(shape) - 1
        parts = [  # rows, columns, values
            (number[self.free], number[self.free],
             np.where(anchors, 2.0, 1.0)[self.free] * diagonal[self.free]),
            *_beside(matrix, self.free, number),
            *_along_links(matrix, self.free, number),
        ]  # fmt: skip
        rows, cols, values = (np.concatenate([part[k] for part in parts]) for k in range(3))
        size = np.count_nonzero(self.free)
        self._lu = splu(
            csc_array((values, (rows, cols)), (size, size)),
            permc_spec="MMD_AT_PLUS_A",
            diag_pivot_thresh=0.0,
            options={"SymmetricMode": True},
        )

    def __call__(self, r: FloatArray) -> FloatArray:
        """Return the solution x of B x = r; both padded."""
        x = np.zeros_like(r)
        inside(x, self.shape)[self.free] = self.solve(inside(r, self.shape)[self.free])
        return x

    def solve(self, r: FloatArray) -> FloatArray:
        """Return the solution for the free pixels alone, in their order."""
        return np.asarray(self._lu.solve(r))


def _beside(matrix: Transport, free: BoolArray, number: Array) -> Iterator[tuple[Array, ...]]:
    """Yield the entries of edges between direct neighbours: rows, columns, values."""
    for axis, weights in ((0, (matrix.down, matrix.up)), (1, (matrix.right, matrix.left))):
        planes = (free, number, *(inside(x, matrix.shape) for x in weights))
        is_free, names, leaves, comes = (np.moveaxis(x, axis, 0) for x in planes)
        both = is_free[:-1] & is_free[1:]
        p, q = names[:-1][both], names[1:][both]
        yield q, p, -leaves[:-1][both]
        yield p, q, -comes[:-1][both]


def _along_links(matrix: Transport, free: BoolArray, number: Array) -> Iterator[tuple[Array, ...]]:
    """Yield the entries of links: rows, columns, values."""
    if matrix.links is not None:
        ends, values = matrix.links.ends, matrix.links.values
        both = free.ravel()[ends[0]] & free.ravel()[ends[1]]
        p, q = (number.ravel()[end[both]] for end in ends)
        yield p, q, -values[both]
