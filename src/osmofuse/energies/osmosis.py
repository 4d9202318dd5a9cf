r"""The osmosis term, which is 0 where u is a multiple of the structure v.

On the edges of the grid, with the ratio :math:`r = u/v` and the harmonic mean
:math:`m_{ij} = 2 v_i v_j/(v_i + v_j)`,

.. math::

    O(u, v) = \tfrac12 \sum_{ij} m_{ij} (r_i - r_j)^2
    \;\approx\; \tfrac12 \int v\, |\nabla (u/v)|^2 .

Its gradient in u is :math:`-(1/v) A u`, with :math:`A` the matrix of linear osmosis
(:class:`osmofuse.operators.OsmosisEdges`); both gradients vanish at :math:`u = c\,v`.
"""

from __future__ import annotations

import numpy as np

from osmofuse.kernels import kernel, prange
from osmofuse.typing import FloatArray


def osmosis(u: FloatArray, v: FloatArray) -> float:
    r"""Return :math:`O(u, v)` on harmonic edges; quadratic in u.

    Parameters
    ----------
    u, v : array, shape (rows, cols)
        The fused picture and the structure, v > 0.
    """
    return float(_harmonic_rows(u / v, v).sum())


def osmosis_forward(u: FloatArray, v: FloatArray) -> float:
    r"""Return :math:`\tfrac12 \sum_i v_i |(D(u/v))_i|^2`, the energy of the paper's experiments.

    The weight of an edge is v at its base pixel. Kept to compare with published values: its
    gradient in u is not the osmosis matrix.
    """
    return float(_forward_rows(u / v, v).sum())


def osmosis_gradients(u: FloatArray, v: FloatArray) -> tuple[FloatArray, FloatArray]:
    r"""Return the exact gradients of :func:`osmosis` in u and in v.

    .. math::

        \partial_{u_i} O = \frac1{v_i} \sum_j m_{ij} (r_i - r_j), \qquad
        \partial_{v_i} O = \sum_j \Big(\frac{v_j}{v_i + v_j}\Big)^2 (r_i - r_j)^2
                           - r_i\, \partial_{u_i} O .
    """
    return _gradients(u / v, v)


@kernel
def _harmonic_rows(r: FloatArray, v: FloatArray) -> FloatArray:
    """Return the energy of the edges that start in each row."""
    rows, cols = r.shape
    total = np.zeros(rows)
    for i in prange(rows):
        s = 0.0
        if i < rows - 1:
            for j in range(cols):
                m = v[i, j] * v[i + 1, j] / (v[i, j] + v[i + 1, j])
                s += m * (r[i, j] - r[i + 1, j]) ** 2
        for j in range(cols - 1):
            m = v[i, j] * v[i, j + 1] / (v[i, j] + v[i, j + 1])
            s += m * (r[i, j] - r[i, j + 1]) ** 2
        total[i] = s
    return total


@kernel
def _forward_rows(r: FloatArray, v: FloatArray) -> FloatArray:
    """Return the energy of the edges that start in each row, v at their base."""
    rows, cols = r.shape
    total = np.zeros(rows)
    for i in prange(rows):
        s = 0.0
        if i < rows - 1:
            for j in range(cols):
                s += 0.5 * v[i, j] * (r[i + 1, j] - r[i, j]) ** 2
        for j in range(cols - 1):
            s += 0.5 * v[i, j] * (r[i, j + 1] - r[i, j]) ** 2
        total[i] = s
    return total


@kernel
def _gradients(r: FloatArray, v: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Gather both gradients at each pixel from its four edges."""
    rows, cols = r.shape
    gu = np.zeros_like(r)
    gv = np.zeros_like(r)
    for i in prange(rows):
        for k in (i - 1, i + 1):
            if 0 <= k < rows:
                for j in range(cols):
                    d = r[i, j] - r[k, j]
                    q = v[k, j] / (v[i, j] + v[k, j])
                    gu[i, j] += 2.0 * q * d
                    gv[i, j] += (q * d) ** 2
        for j in range(cols - 1):
            d = r[i, j] - r[i, j + 1]
            q = v[i, j + 1] / (v[i, j] + v[i, j + 1])
            gu[i, j] += 2.0 * q * d
            gv[i, j] += (q * d) ** 2
        for j in range(1, cols):
            d = r[i, j] - r[i, j - 1]
            q = v[i, j - 1] / (v[i, j] + v[i, j - 1])
            gu[i, j] += 2.0 * q * d
            gv[i, j] += (q * d) ** 2
        for j in range(cols):
            gv[i, j] -= r[i, j] * gu[i, j]  # gu holds (1/v_i) Σ m d: m / v_i = 2 q
    return gu, gv
