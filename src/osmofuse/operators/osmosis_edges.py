r"""Osmosis matrix: diffusion with a drift on every edge of the grid.

The flux along an edge from pixel i to its lower or right neighbour j with drift :math:`d_{ij}` is

.. math::

    F_{ij} = (1 - d_{ij}/2)\, u_j - (1 + d_{ij}/2)\, u_i,
    \qquad (A u)_i = \sum_j F_{ij} ,

and nothing crosses the border (Neumann). The inflow of a pixel is the outflow of its neighbours,
so the columns of :math:`A` sum to zero and :math:`u_t = A u` keeps the mass; for :math:`|d| < 2`
the off-diagonal entries are positive and it keeps positivity.

An edge may have a weight :math:`m_{ij} \ge 0`, by which its flux is multiplied. Then A is a
discretisation of :math:`\operatorname{div}(m (\nabla u - d\, u))`.

The canonical drift of a positive structure v is :math:`d_{ij} = 2 (v_j - v_i)/(v_j + v_i)`.
Then :math:`F_{ij} = H(v_i, v_j) (u_j / v_j - u_i / v_i)` with the harmonic mean
:math:`H(v_i, v_j) = 2 v_i v_j / (v_i + v_j)`: the flux vanishes at every multiple of v
(Vogel et al. 2013, doi:10.1007/978-3-642-38267-3_31).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from osmofuse.kernels import kernel, pixel, prange
from osmofuse.typing import Array, FloatArray


@dataclass(frozen=True, eq=False)
class OsmosisEdges:
    r"""Matrix :math:`A` of linear osmosis for a drift given on edges.

    Parameters
    ----------
    drift : array, shape (2, rows, cols)
        :math:`d` on the edges to the lower (0) and to the right neighbour (1). The last row of
        the first plane and the last column of the second belong to no edge and are not read.
    weight : array, shape (2, rows, cols), optional
        :math:`m` on the same edges; 1 by default.

    Examples
    --------
    >>> import numpy as np
    >>> v = np.array([[1.0, 2.0], [3.0, 4.0]])
    >>> A = OsmosisEdges.canonical(v)
    >>> bool(abs(A(5.0 * v)).max() < 1e-14)
    True
    """

    drift: FloatArray
    weight: FloatArray | None = None

    @classmethod
    def canonical(cls, v: FloatArray) -> OsmosisEdges:
        """Build the matrix whose steady states are the multiples of a positive structure v."""
        return cls(canonical_drift(np.require(v, requirements=("C", "W"))))

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns of the grid."""
        rows, cols = self.drift.shape[1:]
        return rows, cols

    def __call__(self, u: FloatArray) -> FloatArray:
        """Apply :math:`A`."""
        return _flow_in(self.drift, self._weights, np.require(u, requirements=("C", "W")))

    def adjoint(self, u: FloatArray) -> FloatArray:
        r"""Apply :math:`A^*`: :math:`(A^* u)_i = \sum_j m_{ij} (1 + d_{ij}/2)(u_j - u_i)`.

        Here :math:`d_{ij}` is the drift from i to j, so :math:`-d` for the upper and left
        neighbour.
        """
        return _flow_back(self.drift, self._weights, np.require(u, requirements=("C", "W")))

    @property
    def norm_bound(self) -> float:
        r"""Bound of the norm, :math:`\|A\|^2 \le \|A\|_1 \|A\|_\infty`.

        A row and a column hold at most four entries of size up to :math:`m (1 + |d|/2)` and a
        diagonal one no larger than their sum.
        """
        down, right = self.drift[0, :-1], self.drift[1, :, :-1]
        largest = max(float(np.abs(d).max(initial=0.0)) for d in (down, right))
        most = 4.0 if self.weight is None else float(self.degree.max())
        return 2.0 * most * (1.0 + largest / 2.0)

    @property
    def degree(self) -> FloatArray:
        """Sum of the weights of the edges of each pixel."""
        down, right = self._weights[0, :-1], self._weights[1, :, :-1]
        total = np.zeros(self.shape)
        total[:-1] += down
        total[1:] += down
        total[:, :-1] += right
        total[:, 1:] += right
        return total

    @cached_property
    def _weights(self) -> FloatArray:
        return np.ones_like(self.drift) if self.weight is None else self.weight


def at_edges(x: Array, rule: np.ufunc) -> Array:
    """Return a rule, such as the minimum, of both ends of each edge, as (2, rows, cols).

    The last row and column, which belong to no edge, are 0.

    Examples
    --------
    >>> at_edges(np.array([[1.0, 2.0, 4.0]]), np.add)[1].tolist()
    [[3.0, 6.0, 0.0]]
    """
    found = np.zeros((2, *x.shape), x.dtype)
    rule(x[:-1], x[1:], out=found[0, :-1])
    rule(x[:, :-1], x[:, 1:], out=found[1, :, :-1])
    return found


@pixel
def drift_between(here: float, there: float) -> float:
    """Return d = 2 (v_j - v_i)/(v_j + v_i) on the edge from a pixel to its neighbour."""
    return 2.0 * (there - here) / (there + here)


@kernel
def canonical_drift(v: FloatArray) -> FloatArray:
    """Return d = 2 (v_j - v_i)/(v_j + v_i) on edges, as (2, rows, cols)."""
    rows, cols = v.shape
    d = np.zeros((2, rows, cols), v.dtype)
    for i in prange(rows):
        if i < rows - 1:
            for j in range(cols):
                d[0, i, j] = drift_between(v[i, j], v[i + 1, j])
        for j in range(cols - 1):
            d[1, i, j] = drift_between(v[i, j], v[i, j + 1])
    return d


@kernel
def _flow_in(d: FloatArray, m: FloatArray, u: FloatArray) -> FloatArray:
    """Return A u, the inflow of each pixel."""
    rows, cols = u.shape
    out = np.zeros_like(u)
    for i in prange(rows):
        if i < rows - 1:
            for j in range(cols):
                h = 0.5 * d[0, i, j]
                out[i, j] += m[0, i, j] * ((1.0 - h) * u[i + 1, j] - (1.0 + h) * u[i, j])
        if i > 0:
            for j in range(cols):
                h = 0.5 * d[0, i - 1, j]
                out[i, j] -= m[0, i - 1, j] * ((1.0 - h) * u[i, j] - (1.0 + h) * u[i - 1, j])
        for j in range(cols - 1):
            h = 0.5 * d[1, i, j]
            flux = m[1, i, j] * ((1.0 - h) * u[i, j + 1] - (1.0 + h) * u[i, j])
            out[i, j] += flux
            out[i, j + 1] -= flux
    return out


@kernel
def _flow_back(d: FloatArray, m: FloatArray, u: FloatArray) -> FloatArray:
    """Return A* u."""
    rows, cols = u.shape
    out = np.zeros_like(u)
    for i in prange(rows):
        if i < rows - 1:
            for j in range(cols):
                step = m[0, i, j] * (u[i + 1, j] - u[i, j])
                out[i, j] += (1.0 + 0.5 * d[0, i, j]) * step
        if i > 0:
            for j in range(cols):
                step = m[0, i - 1, j] * (u[i - 1, j] - u[i, j])
                out[i, j] += (1.0 - 0.5 * d[0, i - 1, j]) * step
        for j in range(cols - 1):
            step = m[1, i, j] * (u[i, j + 1] - u[i, j])
            out[i, j] += (1.0 + 0.5 * d[1, i, j]) * step
            out[i, j + 1] -= (1.0 - 0.5 * d[1, i, j]) * step
    return out
