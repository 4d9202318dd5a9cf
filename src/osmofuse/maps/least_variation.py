r"""Map of minimal variation that agrees with a trimap.

.. math:: \min_\alpha \alpha^\top L \alpha \quad
    \text{with } \alpha \text{ as in the trimap where it is known.}

It is solved by conjugate gradients.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from osmofuse.linalg.krylov import Map, flexible_cg
from osmofuse.maps.trimap import Trimap
from osmofuse.progress import Guard, Status
from osmofuse.typing import FloatArray

CG_RTOL, MAX_ITER = 1e-5, 2000  # of the conjugate gradients: relative residual, iterations
EXACT = 2e-3  # values within half a grey level of 8 bits of 0 or 1 are rounded


def by_diagonal(matrix: Any) -> Map:
    """Return the diagonal (Jacobi) preconditioner of a matrix."""
    diagonal = matrix.diagonal()
    scale = (1.0 / np.where(diagonal > 0, diagonal, 1.0))[None]
    return lambda r: scale * r


def least_variation(laplacian: Any, trimap: Trimap, guard: Guard) -> tuple[FloatArray, Status]:
    """Solve for the open pixels of the trimap; known ones keep their value.

    L is a sparse array, (pixels, pixels) in row-major order. The guard is called before each
    iteration; the status is that of the conjugate gradients. A pixel without a tie to a known one
    gets 0.5.
    """
    known = trimap.known.ravel()
    if known.all():
        return trimap.levels, Status.direct
    rows = laplacian[~known]
    right = -(rows[:, known] @ trimap.levels.ravel()[known])
    return solve_open(rows[:, ~known], right, trimap, guard)


def solve_open(
    matrix: Any,
    right: FloatArray,
    trimap: Trimap,
    guard: Guard,
    preconditioner: Callable[[Any], Map] = by_diagonal,
) -> tuple[FloatArray, Status]:
    """Solve a system for the open pixels of the trimap; known ones keep their value.

    `preconditioner` makes an approximate inverse of the matrix.
    """
    alpha = trimap.levels
    values, wanted = alpha.ravel(), ~trimap.known.ravel()
    found = flexible_cg(
        lambda p: (matrix @ p[0])[None],
        right[None],
        values[wanted][None],
        precondition=preconditioner(matrix),
        rtol=CG_RTOL,
        max_iter=MAX_ITER,
        go_on=guard.next_pass,
    )
    values[wanted] = _snapped(found.x[0])
    if guard.cancelled:
        return alpha, Status.cancelled
    return alpha, Status.converged if found.converged else Status.max_iter


def _snapped(alpha: FloatArray) -> FloatArray:
    """Return values clipped to [0, 1], rounded to 0 or 1 where nearly so."""
    alpha = np.clip(alpha, 0.0, 1.0)
    return np.where(alpha < EXACT, 0.0, np.where(alpha > 1.0 - EXACT, 1.0, alpha))
