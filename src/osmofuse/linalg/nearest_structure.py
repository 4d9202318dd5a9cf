r"""Structure nearest to a drift.

A drift is compatible with a positive plane v where :math:`(1 + d/2)/(1 - d/2) = v_j/v_i` on every
edge. A drift made of several pictures is compatible with none. The nearest one,

.. math::

    w = \arg\min_w \sum_{ij} \Big[\log w_j - \log w_i
        - \log \frac{1 + d_{ij}/2}{1 - d_{ij}/2}\Big]^2,

solves a Poisson equation for its logarithm. Written for the ratio to w, a `Transport` is as
symmetric as possible: the mismatch at a seam is spread over the picture.
"""

from __future__ import annotations

import math

import numpy as np

from osmofuse.kernels import kernel, pixel, prange
from osmofuse.linalg.kinds import FREE, Kinds
from osmofuse.linalg.multigrid import Hierarchy
from osmofuse.linalg.stencil import inside, zeros
from osmofuse.typing import FloatArray

STRUCTURE_CYCLES = 3  # multigrid cycles; more do not speed up the solves with the structure
LEAST_MISMATCH = 1e-3  # of logarithms; below it the given structure is kept
MOST_MISMATCH = 50.0  # replaces an infinite one
DARKEST = 1e-12  # lower bound of the structure, relative to its maximum


def nearest_structure(drift: FloatArray, w: FloatArray, kind: Kinds, grid: Hierarchy) -> FloatArray:
    """Return a structure closer to compatible with a drift than w, with maximum 1.

    Parameters
    ----------
    drift : array, (2, rows, cols)
        d on the edges to the lower and to the right neighbour; those between free pixels count.
    w : array
        Initial structure; padded, positive on free pixels.
    kind : array of uint8, (rows, cols)
        `CLOSED`, `FREE` or `HELD`.
    grid : Hierarchy
        Hierarchy of the same shape; its matrix is overwritten.
    """
    s = grid.finest
    number = s.mass.dtype.type
    b, x, y = (zeros(s.shape, number) for _ in range(3))
    s.mass.fill(0.0)
    near = w.copy()
    if mismatch(s.down, s.right, b, drift, w, kind).max() > LEAST_MISMATCH:
        grid.update()
        x, y = grid.cycle(x, y, b, count=STRUCTURE_CYCLES)
        exponent = inside(x, s.shape)
        inside(near, s.shape)[...] *= np.exp(exponent - exponent.max())
    near /= near.max()
    np.maximum(inside(near, s.shape), DARKEST, out=inside(near, s.shape))
    return near


@pixel
def excess(d: float, here: float, there: float) -> float:
    """Return the difference between the step of log w along an edge and that of the drift."""
    leaves, comes = (2.0 + d) * here, (2.0 - d) * there
    if abs(leaves - comes) <= 1e-12 * leaves:
        return 0.0
    return min(max(math.log(leaves) - math.log(comes), -MOST_MISMATCH), MOST_MISMATCH)


@kernel
def mismatch(
    down: FloatArray,
    right: FloatArray,
    b: FloatArray,
    d: FloatArray,
    w: FloatArray,
    kind: Kinds,
) -> FloatArray:
    """Set the Poisson equation; return the largest mismatch of each row."""
    rows, cols = kind.shape
    most = np.zeros(rows)
    for k in prange(rows):
        i = k + 1
        for n in range(cols):
            j, free = n + 1, kind[k, n] == FREE
            below = free and k < rows - 1 and kind[k + 1, n] == FREE
            beside = free and n < cols - 1 and kind[k, n + 1] == FREE
            down[i, j], right[i, j] = 1.0 if below else 0.0, 1.0 if beside else 0.0
            total = 0.0
            if below:
                t = excess(d[0, k, n], w[i, j], w[i + 1, j])
                most[k] = max(most[k], abs(t))
                total -= t
            if beside:
                t = excess(d[1, k, n], w[i, j], w[i, j + 1])
                most[k] = max(most[k], abs(t))
                total -= t
            if free and k > 0 and kind[k - 1, n] == FREE:
                total += excess(d[0, k - 1, n], w[i - 1, j], w[i, j])
            if free and n > 0 and kind[k, n - 1] == FREE:
                total += excess(d[1, k, n - 1], w[i, j - 1], w[i, j])
            b[i, j] = total
    return most
