r"""Diffusivity of nonlinear osmosis on the edges of the grid.

With the flux :math:`F_{ij} = (1 - d_{ij}/2) u_j - (1 + d_{ij}/2) u_i` of
`osmofuse.operators.OsmosisEdges`, a pixel's gradient along an axis is the mean flux of its
two edges, a central difference of :math:`\nabla u - d u` (at the border half of the one edge). Then

.. math::

    g_i = \frac{1}{|F|_i^p + \epsilon}, \qquad m_{ij} = \frac{g_i + g_j}{2} .
"""

from __future__ import annotations

import numpy as np

from osmofuse.kernels import kernel, pixel, prange
from osmofuse.operators.osmosis_edges import at_edges
from osmofuse.typing import FloatArray


@pixel
def flux(here: float, there: float, d: float) -> float:
    """Return the flux along an edge."""
    return (1.0 - 0.5 * d) * there - (1.0 + 0.5 * d) * here


def edge_diffusivity(u: FloatArray, d: FloatArray, power: float, epsilon: float) -> FloatArray:
    """Return the weights of the edges to the lower and right neighbour, as (2, rows, cols)."""
    return 0.5 * at_edges(diffusivity(u, d, power, epsilon), np.add)


@kernel
def diffusivity(u: FloatArray, d: FloatArray, power: float, epsilon: float) -> FloatArray:
    """Return g at each pixel."""
    rows, cols = u.shape
    g = np.empty_like(u)
    for i in prange(rows):
        for j in range(cols):
            down = right = 0.0
            if i < rows - 1:
                down += flux(u[i, j], u[i + 1, j], d[0, i, j])
            if i > 0:
                down += flux(u[i - 1, j], u[i, j], d[0, i - 1, j])
            if j < cols - 1:
                right += flux(u[i, j], u[i, j + 1], d[1, i, j])
            if j > 0:
                right += flux(u[i, j - 1], u[i, j], d[1, i, j - 1])
            s = 0.5 * np.sqrt(down * down + right * right)
            g[i, j] = 1.0 / (s**power + epsilon)
    return g
