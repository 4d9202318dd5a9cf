r"""Map of minimal variation that agrees with a trimap.

.. math:: \min_\alpha \alpha^\top L \alpha + \|B \alpha\|^2 \quad
    \text{with } \alpha \text{ as in the trimap where it is known.}

It is solved by conjugate gradients. Maps that L penalises least are combinations of the picture's
bands over wide areas. They are found slowly pixel by pixel, and fast with a preconditioner that has
a coarse space: in each block of pixels, a level and a multiple of each band,

.. math:: M^{-1} = D^{-1} + P (P^\top A P)^{-1} P^\top

with D the diagonal of A, and columns of P that are orthonormal in each block.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from osmofuse.linalg.krylov import Map, flexible_cg
from osmofuse.maps.trimap import Trimap
from osmofuse.progress import Guard, Status
from osmofuse.typing import Array, BoolArray, FloatArray

CG_RTOL, MAX_ITER = 1e-5, 2000  # of the conjugate gradients: relative residual, iterations
EXACT = 2e-3  # values within half a grey level of 8 bits of 0 or 1 are rounded


@dataclass(frozen=True, eq=False)
class WithSquares:
    """Matrix L + B^T B; the product of B is not formed, since it is much denser."""

    laplacian: Any
    rows: Any

    def __matmul__(self, x: Any) -> Any:
        return self.laplacian @ x + self.rows.T @ (self.rows @ x)

    def diagonal(self) -> FloatArray:
        """Return the diagonal."""
        return np.asarray(self.laplacian.diagonal() + (self.rows**2).sum(axis=0))


def by_diagonal(matrix: Any) -> Map:
    """Return the diagonal (Jacobi) preconditioner of a matrix."""
    diagonal = matrix.diagonal()
    scale = (1.0 / np.where(diagonal > 0, diagonal, 1.0))[None]
    return lambda r: scale * r


def least_variation(
    laplacian: Any,
    trimap: Trimap,
    guard: Guard,
    preconditioner: Callable[[Any], Map] = by_diagonal,
    squares: Any = None,
) -> tuple[FloatArray, Status]:
    """Solve for the open pixels of the trimap; known ones keep their value.

    L is a sparse array, (pixels, pixels) in row-major order, B (`squares`) one with a column for
    each pixel, and `preconditioner` makes an approximate inverse of the part for the open pixels.
    The guard is called before each iteration; the status is that of the conjugate gradients. A
    pixel without a tie to a known one gets 0.5.
    """
    alpha = trimap.levels
    known, values = trimap.known.ravel(), alpha.ravel()
    if known.all():
        return alpha, Status.direct
    rows = laplacian[~known]
    inner, right = rows[:, ~known], -(rows[:, known] @ values[known])
    if squares is not None:
        inner = WithSquares(inner, squares[:, ~known])
        right -= inner.rows.T @ (squares[:, known] @ values[known])
    found = flexible_cg(
        lambda p: (inner @ p[0])[None],
        right[None],
        values[~known][None],
        precondition=preconditioner(inner),
        rtol=CG_RTOL,
        max_iter=MAX_ITER,
        go_on=guard.next_pass,
    )
    values[~known] = _snapped(found.x[0])
    if guard.cancelled:
        return alpha, Status.cancelled
    return alpha, Status.converged if found.converged else Status.max_iter


def _snapped(alpha: FloatArray) -> FloatArray:
    """Return values clipped to [0, 1], rounded to 0 or 1 where nearly so."""
    alpha = np.clip(alpha, 0.0, 1.0)
    return np.where(alpha < EXACT, 0.0, np.where(alpha > 1.0 - EXACT, 1.0, alpha))


COLUMNS = 2000  # of P, about: a dense factor of that size takes 32 MB
DISTINCT = 1e-3  # directions with smaller relative singular values are dropped
RIDGE = 1e-10  # first ridge, relative to the mean diagonal: pixels may have no ties


def with_block_colours(matrix: Any, image: FloatArray, wanted: BoolArray) -> Map:
    """Return the preconditioner of a matrix A over the wanted pixels of an image."""
    from scipy.linalg import cho_solve

    near = by_diagonal(matrix)
    space = _space(image, wanted)
    factor = _factor(_projected(matrix, space))
    across = space.T.tocsr()

    def apply(r: FloatArray) -> FloatArray:
        wide = space @ cho_solve(factor, across @ r[0], check_finite=False)
        return np.asarray(near(r) + wide[None])

    return apply


def _projected(matrix: Any, space: Any) -> FloatArray:
    """Return P^T A P as a dense array."""
    if isinstance(matrix, WithSquares):
        wide = matrix.rows @ space
        return np.asarray(_projected(matrix.laplacian, space) + (wide.T @ wide).toarray())
    return np.asarray((space.T @ (matrix @ space)).toarray())


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
