r"""Forward differences on a grid with Neumann borders, and their adjoint.

.. math::

    (D u)^1_{i,j} = u_{i+1,j} - u_{i,j}, \qquad (D u)^2_{i,j} = u_{i,j+1} - u_{i,j},

with :math:`(D u)^1 = 0` in the last row and :math:`(D u)^2 = 0` in the last column.
The adjoint :math:`D^* = -\operatorname{div}` does not read those entries.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from osmofuse.kernels import kernel, prange
from osmofuse.typing import FloatArray


@dataclass(frozen=True)
class ForwardDifference:
    r"""Map :math:`D` from planes (rows, cols) to fields (2, rows, cols).

    Parameters
    ----------
    shape : tuple of int
        Rows and columns of the grid; either may be 1.

    Examples
    --------
    >>> import numpy as np
    >>> D = ForwardDifference((2, 2))
    >>> D(np.array([[1.0, 2.0], [4.0, 8.0]])).tolist()
    [[[3.0, 6.0], [0.0, 0.0]], [[1.0, 0.0], [4.0, 0.0]]]
    """

    shape: tuple[int, int]

    def __call__(self, u: FloatArray) -> FloatArray:
        """Apply :math:`D` to a plane."""
        return forward_difference(np.require(u, requirements=("C", "W")))

    def adjoint(self, p: FloatArray) -> FloatArray:
        """Apply :math:`D^*` to a field."""
        return backward_divergence(np.require(p, requirements=("C", "W")))

    @property
    def norm_bound(self) -> float:
        r"""Norm of D: each axis of n pixels adds :math:`4 \cos^2(\pi / 2n)` to its square.

        It is below :math:`\sqrt 8` for every shape.
        """
        return math.sqrt(sum(4.0 * math.cos(math.pi / (2 * n)) ** 2 for n in self.shape))


@kernel
def forward_difference(u: FloatArray) -> FloatArray:
    """Return D u as (2, rows, cols)."""
    rows, cols = u.shape
    p = np.zeros((2, rows, cols), u.dtype)
    for i in prange(rows):
        if i < rows - 1:
            for j in range(cols):
                p[0, i, j] = u[i + 1, j] - u[i, j]
        for j in range(cols - 1):
            p[1, i, j] = u[i, j + 1] - u[i, j]
    return p


@kernel
def backward_divergence(p: FloatArray) -> FloatArray:
    """Return D* p = -div p."""
    rows, cols = p.shape[1:]
    u = np.zeros((rows, cols), p.dtype)
    for i in prange(rows):
        if i < rows - 1:
            for j in range(cols):
                u[i, j] -= p[0, i, j]
        if i > 0:
            for j in range(cols):
                u[i, j] += p[0, i - 1, j]
        for j in range(cols - 1):
            u[i, j] -= p[1, i, j]
        for j in range(1, cols):
            u[i, j] += p[1, i, j - 1]
    return u
