r"""The map of least variation that agrees with a trimap.

.. math:: \min_\alpha \alpha^\top L \alpha \quad \text{with } \alpha \text{ as the trimap says
    where it is known.}
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from osmofuse.linalg.krylov import Map, flexible_cg
from osmofuse.preparation.trimap import Trimap
from osmofuse.progress import Guard, Status
from osmofuse.typing import FloatArray

__all__ = ["by_diagonal", "least_variation"]

RTOL, MAX_ITER = 1e-5, 2000
EXACT = 2e-3  # so near to 0 or 1, half a grey level of 8 bits, it is no transparency


def by_diagonal(matrix: Any) -> Map:
    """Return the division by a matrix's diagonal, the plainest preconditioner."""
    diagonal = matrix.diagonal()
    scale = (1.0 / np.where(diagonal > 0, diagonal, 1.0))[None]
    return lambda r: scale * r


def least_variation(
    laplacian: Any, trimap: Trimap, guard: Guard, preconditioner: Callable[[Any], Map] = by_diagonal
) -> tuple[FloatArray, Status]:
    """Solve for the open pixels; known ones keep their value.

    Parameters
    ----------
    laplacian : sparse array, (pixels, pixels)
        L, symmetric and positive semidefinite, for pixels numbered row by row.
    trimap : Trimap
        What is known.
    guard : Guard
        Asked before each iteration.
    preconditioner : callable
        Makes an approximate inverse of the matrix of the open pixels.

    Returns
    -------
    tuple of array and Status
        The map, and how the conjugate gradients ended. A pixel that nothing ties to what is known
        gets 0.5.
    """
    alpha = trimap.levels
    known, values = trimap.known.ravel(), alpha.ravel()
    if known.all():
        return alpha, Status.direct
    rows = laplacian[~known]
    inner, right = rows[:, ~known], -(rows[:, known] @ values[known])
    found = flexible_cg(
        lambda p: (inner @ p[0])[None],
        right[None],
        values[~known][None],
        precondition=preconditioner(inner),
        rtol=RTOL,
        max_iter=MAX_ITER,
        go_on=guard.next_pass,
    )
    values[~known] = _settled(found.x[0])
    if guard.cancelled:
        return alpha, Status.cancelled
    return alpha, Status.converged if found.converged else Status.max_iter


def _settled(alpha: FloatArray) -> FloatArray:
    """Return values within [0, 1], and those that are as good as 0 or 1 so."""
    alpha = np.clip(alpha, 0.0, 1.0)
    return np.where(alpha < EXACT, 0.0, np.where(alpha > 1.0 - EXACT, 1.0, alpha))
