"""The sparse factors of a transport matrix: slow and sure, where cycles do not help.

Black pixels beside white ones, all over a picture, leave no coarser grid that resembles it.
"""

from __future__ import annotations

import numpy as np

from osmofuse.linalg.stencil import inside
from osmofuse.linalg.transport import Transport
from osmofuse.typing import BoolArray, FloatArray


class Factors:
    """B = L U on the free pixels, without pivoting, which an M-matrix does not need.

    Parameters
    ----------
    matrix : Transport
        B.
    anchors : array of bool, (rows, cols)
        Pixels whose diagonal entry is doubled: one in each piece that B leaves singular.
    """

    def __init__(self, matrix: Transport, anchors: BoolArray) -> None:
        # Loaded when they are needed, which is seldom.
        from scipy.sparse import coo_array
        from scipy.sparse.linalg import splu

        shape = matrix.shape
        diagonal = inside(matrix.diagonal, shape)
        self.shape, self.free = shape, diagonal > 0
        index = np.arange(self.free.size).reshape(shape)
        above, below, before, after = index[:-1], index[1:], index[:, :-1], index[:, 1:]
        entries = [  # in the row of the first, in the column of the second
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
        self._factors = splu(
            whole[:, free][free].tocsc(),
            permc_spec="MMD_AT_PLUS_A",
            diag_pivot_thresh=0.0,
            options={"SymmetricMode": True},
        )

    def __call__(self, r: FloatArray) -> FloatArray:
        """Return the solution x of B x = r; both padded."""
        x = np.zeros_like(r)
        inside(x, self.shape)[self.free] = self._factors.solve(inside(r, self.shape)[self.free])
        return x
