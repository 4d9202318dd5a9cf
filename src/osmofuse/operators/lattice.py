r"""Lattice-basis reduction of positive tensors (Selling), for diffusion along grid offsets.

Every positive tensor of a plane is a sum over three offsets of the grid,

.. math::

    W = \sum_{k=0}^{2} w_k\, e_k e_k^T, \qquad w_k \ge 0, \quad e_k \in \mathbb{Z}^2 .

So a diffusion with tensor W is one along the edges :math:`p \to p \pm e_k`, with nonnegative
weights, however anisotropic W is (Fehrenbach and Mirebeau 2014, "Sparse non-negative stencils for
anisotropic diffusion", J. Math. Imaging Vis. 49).

Selling's algorithm begins with :math:`b = (1, 0), (0, 1), (-1, -1)`. While a pair has
:math:`\langle b_i, W b_j \rangle > 0`, it replaces :math:`(b_i, b_j, b_k)` by
:math:`(-b_i, b_j, b_i - b_j)`. Then :math:`e_k` is :math:`b_k` turned by a right angle, and
:math:`w_k = -\langle b_i, W b_j \rangle`. The identity gives its rows and columns, with weights 1,
and the offset (1, -1) with weight 0, exactly.
"""

from __future__ import annotations

import numpy as np

from osmofuse.errors import InputError
from osmofuse.kernels import kernel, pixel, prange
from osmofuse.typing import Array, FloatArray

# Products up to this part of the trace are rounding, and count as 0.
ROUNDING = 1e-14
# Replacements; about the square root of the ratio of the eigenvalues at worst, so for up to 1e6.
MOST_FLIPS = 1000


def lattice_basis(W: FloatArray) -> tuple[Array, FloatArray]:
    """Return the offsets and the weights of positive tensors.

    Parameters
    ----------
    W : array, (3, n)
        Entries of n tensors: row-row, row-column and column-column.

    Returns
    -------
    tuple of array
        Offsets as (3, 2, n), in rows and columns, and weights as (3, n).

    Raises
    ------
    InputError
        If a tensor is not positive definite.

    Examples
    --------
    >>> import numpy as np
    >>> offsets, weights = lattice_basis(np.array([[2.0], [1.0], [2.0]]))
    >>> offsets[..., 0].tolist(), weights[:, 0].tolist()
    ([[0, -1], [-1, 0], [1, 1]], [1.0, 1.0, 1.0])
    """
    definite = (W[0] > 0) & (W[2] > 0) & (W[0] * W[2] > W[1] * W[1])
    if not (definite.all() and np.isfinite(W).all()):
        raise InputError("tensor: must be positive definite and finite at every pixel")
    e = np.empty((3, 2, W.shape[1]), np.int64)
    weights = np.empty((3, W.shape[1]))
    reduce_bases(e, weights, np.ascontiguousarray(W, np.float64))
    return e, weights


@pixel
def product(W: FloatArray, n: int, i: int, j: int, k: int, m: int) -> float:
    """Return <(i, j), W (k, m)>."""
    total: float = W[0, n] * (i * k) + W[1, n] * (i * m + j * k) + W[2, n] * (j * m)
    return total


@kernel
def reduce_bases(e: Array, weights: FloatArray, W: FloatArray) -> None:
    """Set the offsets and weights of each tensor."""
    for n in prange(W.shape[1]):
        x0, y0, x1, y1, x2, y2 = 1, 0, 0, 1, -1, -1
        least = ROUNDING * (W[0, n] + W[2, n])
        for _ in range(MOST_FLIPS):
            if product(W, n, x0, y0, x1, y1) > least:
                x0, y0, x2, y2 = -x0, -y0, x0 - x1, y0 - y1
            elif product(W, n, x1, y1, x2, y2) > least:
                x1, y1, x0, y0 = -x1, -y1, x1 - x2, y1 - y2
            elif product(W, n, x2, y2, x0, y0) > least:
                x2, y2, x1, y1 = -x2, -y2, x2 - x0, y2 - y0
            else:
                break
        e[0, 0, n], e[0, 1, n] = -y0, x0
        e[1, 0, n], e[1, 1, n] = -y1, x1
        e[2, 0, n], e[2, 1, n] = -y2, x2
        weights[0, n] = max(-product(W, n, x1, y1, x2, y2), 0.0)
        weights[1, n] = max(-product(W, n, x2, y2, x0, y0), 0.0)
        weights[2, n] = max(-product(W, n, x0, y0, x1, y1), 0.0)
