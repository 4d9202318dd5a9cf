"""Sparse LU factorisation of a transport matrix, where multigrid cycles do not converge.

That happens for black pixels next to white ones all over a picture: no coarser grid resembles it.
"""

from __future__ import annotations

import numpy as np

from osmofuse.linalg.stencil import inside
from osmofuse.linalg.transport import Transport
from osmofuse.typing import BoolArray, FloatArray


class SparseLU:
    """Factorisation B = L U on the free pixels, without pivoting: B is an M-matrix.

    Parameters
    ----------
    matrix : Transport
        Matrix B.
    anchors : array of bool, (rows, cols)
        Pixels whose diagonal entry is doubled: one in each component on which B is singular.
    """

    def __init__(self, matrix: Transport, anchors: BoolArray) -> None:
        # Loaded on first use, which is rare.
        from scipy.sparse import coo_array
        from scipy.sparse.linalg import splu

        shape = matrix.shape
        diagonal = inside(matrix.diagonal, shape)
        self.shape, self.free = shape, diagonal > 0
        index = np.arange(self.free.size).reshape(shape)
        above, below, before, after = index[:-1], index[1:], index[:, :-1], index[:, 1:]
        entries = [  # row, column, value
            (index, index, np.where(anchors, 2.0, 1.0) * diagonal),
            (below, above, -inside(matrix.down, shape)[:-1]),
            (above, below, -inside(matrix.up, shape)[:-1]),
            (after, before, -inside(matrix.right, shape)[:, :-1]),
            (before, after, -inside(matrix.left, shape)[:, :-1]),
        ]
        rows, cols, values = (
            np.concatenate([entry[k].ravel() for entry in entries]) for k in range(3)
        )
        whole = coo_array((values, (rows, cols)), 2 * (self.free.size,)).tocsc()
        free = np.flatnonzero(self.free)
        self._lu = splu(
            whole[:, free][free].tocsc(),
            permc_spec="MMD_AT_PLUS_A",
            diag_pivot_thresh=0.0,
            options={"SymmetricMode": True},
        )

    def __call__(self, r: FloatArray) -> FloatArray:
        """Return the solution x of B x = r; both padded."""
        x = np.zeros_like(r)
        inside(x, self.shape)[self.free] = self._lu.solve(inside(r, self.shape)[self.free])
        return x
