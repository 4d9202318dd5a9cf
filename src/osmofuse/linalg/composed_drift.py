r"""Drift composed of several planes, each of which covers a part of a grid.

On an edge of which planes :math:`x_k` cover both pixels, with weights :math:`w_k > 0`, it is

.. math::

    d = \frac{\sum_k \bar w_k \, \Delta x_k}{\sum_k \bar w_k}, \qquad
    \bar w_k = \sqrt{w_k w_k'},

and 0 on an edge that no plane covers. Adding a constant to a plane changes nothing, and a plane
whose weight falls to 0 ends without a jump.
"""

from __future__ import annotations

import numpy as np

from osmofuse.kernels import kernel, prange
from osmofuse.typing import Array, FloatArray


class ComposedDrift:
    """Composed drift on a grid, built plane by plane.

    Attributes
    ----------
    drift : array, (2, rows, cols)
        On the edges to the lower and to the right neighbour; sums until `subtract` is called.
    """

    def __init__(self, shape: tuple[int, int], dtype: type = np.float32) -> None:
        self.drift: FloatArray = np.zeros((2, *shape), dtype)
        self._total: FloatArray = np.zeros((2, *shape), dtype)

    def add(self, box: tuple[slice, slice], x: FloatArray, w: FloatArray) -> None:
        """Add a plane that covers a box of the grid; its weights are 0 where it has no data."""
        add_weighted(self.drift[:, box[0], box[1]], self._total[:, box[0], box[1]], x, w)

    def subtract(self, phi: FloatArray) -> None:
        """Divide by the weights, and subtract the drift of a plane on the covered edges."""
        subtract_drift(self.drift, self._total, phi)

    def set_uncovered(
        self, here: tuple[Array, Array], there: tuple[Array, Array], values: FloatArray
    ) -> None:
        """Set the drift from pixels to their neighbours, on edges that no plane covers."""
        for axis in (0, 1):
            for start, end, sign in ((here, there, 1.0), (there, here, -1.0)):
                forward = end[axis] > start[axis]
                edges = (axis, start[0][forward], start[1][forward])
                old, found = self.drift[edges], sign * values[forward]
                self.drift[edges] = np.where(self._total[edges] > 0.0, old, found)


@kernel
def add_weighted(d: FloatArray, s: FloatArray, x: FloatArray, w: FloatArray) -> None:
    """Add to d the weighted differences of x, and to s the weights."""
    rows, cols = x.shape
    for i in prange(rows):
        for j in range(cols):
            if i < rows - 1:
                mean = np.sqrt(w[i, j] * w[i + 1, j])
                d[0, i, j] += mean * (x[i + 1, j] - x[i, j])
                s[0, i, j] += mean
            if j < cols - 1:
                mean = np.sqrt(w[i, j] * w[i, j + 1])
                d[1, i, j] += mean * (x[i, j + 1] - x[i, j])
                s[1, i, j] += mean


@kernel
def subtract_drift(d: FloatArray, s: FloatArray, phi: FloatArray) -> None:
    """Set d to d / s minus the differences of phi where s is positive."""
    rows, cols = phi.shape
    for i in prange(rows):
        for j in range(cols):
            if i < rows - 1 and s[0, i, j] > 0.0:
                d[0, i, j] = d[0, i, j] / s[0, i, j] - (phi[i + 1, j] - phi[i, j])
            if j < cols - 1 and s[1, i, j] > 0.0:
                d[1, i, j] = d[1, i, j] / s[1, i, j] - (phi[i, j + 1] - phi[i, j])
