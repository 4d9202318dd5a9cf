r"""A coarse space for maps: in each block of pixels, a level and a multiple of each band.

What a matting matrix penalises least is a combination of the picture's bands, over wide areas.
Conjugate gradients find it slowly pixel by pixel, and fast if the preconditioner holds it:

.. math:: M^{-1} = D^{-1} + P (P^\top A P)^{-1} P^\top

with D the diagonal of A, and columns of P that are orthonormal in each block.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from osmofuse.linalg.krylov import Map
from osmofuse.preparation.least_variation import by_diagonal
from osmofuse.typing import Array, BoolArray, FloatArray

__all__ = ["with_block_colours"]

COLUMNS = 2000  # of P, about
DISTINCT = 1e-3  # a direction with a smaller part of the largest one is left out
RIDGE = 1e-10  # of the mean of the diagonal, at first: pixels may be tied to nothing


def with_block_colours(matrix: Any, image: FloatArray, wanted: BoolArray) -> Map:
    """Return the preconditioner of a matrix over the wanted pixels.

    Parameters
    ----------
    matrix : sparse array, (wanted pixels, wanted pixels)
        A, symmetric and positive semidefinite.
    image : array, (rows, cols, channels)
        The bands.
    wanted : array of bool, (rows, cols)
        Which pixels A is of.
    """
    from scipy.linalg import cho_solve

    near = by_diagonal(matrix)
    space = _space(image, wanted)
    factor = _factor((space.T @ (matrix @ space)).toarray())
    across = space.T.tocsr()

    def apply(r: FloatArray) -> FloatArray:
        wide = space @ cho_solve(factor, across @ r[0], check_finite=False)
        return np.asarray(near(r) + wide[None])

    return apply


def _factor(coarse: FloatArray) -> Any:
    """Return the Cholesky factor of the coarse matrix, with a ridge on its diagonal."""
    from scipy.linalg import cho_factor

    ridge = RIDGE * (abs(np.trace(coarse)) / len(coarse) or 1.0)
    while True:
        try:
            return cho_factor(coarse + ridge * np.eye(len(coarse)), overwrite_a=True)
        except np.linalg.LinAlgError:
            ridge *= 100.0  # rounding has made it a little indefinite


def _space(image: FloatArray, wanted: BoolArray) -> Any:
    """Return P, a row for each wanted pixel."""
    from scipy.sparse import block_diag, csr_array

    down, right = np.nonzero(wanted)
    colours = np.asarray(image[wanted], np.float64)
    functions = np.concatenate([np.ones((len(colours), 1)), colours], axis=1)
    side = math.ceil(math.sqrt(functions.size / COLUMNS))
    order, starts = _blocks(down // side, right // side)
    parts = np.split(functions[order], starts[1:])
    stacked = block_diag([_orthonormal(part) for part in parts], format="csr")
    return csr_array(stacked)[np.argsort(order)]


def _blocks(down: Array, right: Array) -> tuple[Array, Array]:
    """Return the pixels block after block, and where each block starts."""
    number = down * (int(right.max()) + 1) + right
    order = np.argsort(number, kind="stable")
    return order, np.unique(number[order], return_index=True)[1]


def _orthonormal(functions: FloatArray) -> FloatArray:
    left, sizes, _ = np.linalg.svd(functions, full_matrices=False)
    return np.asarray(left[:, sizes > DISTINCT * sizes[0]])
