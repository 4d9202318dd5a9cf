"""Krylov methods on planes, preconditioned by anything that improves a residual.

Sums are made row by row in double precision (`osmofuse.operators.inner`).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from osmofuse.operators import inner
from osmofuse.typing import FloatArray

Map: TypeAlias = Callable[[FloatArray], FloatArray]


@dataclass(frozen=True, eq=False)
class Solution:
    """What a Krylov method found.

    Attributes
    ----------
    x : array
        The solution.
    residuals : tuple of float
        The norm of b - A x at the start and after each iteration.
    converged : bool
        Whether the last one is small enough.
    """

    x: FloatArray
    residuals: tuple[float, ...]
    converged: bool


def flexible_cg(
    A: Map,
    b: FloatArray,
    x: FloatArray,
    *,
    precondition: Map,
    rtol: float = 1e-6,
    atol: float = 0.0,
    max_iter: int = 100,
    go_on: Callable[[], bool] = lambda: True,
) -> Solution:
    r"""Solve A x = b, A symmetric and positive, with a preconditioner that need be neither.

    Conjugate gradients with :math:`\beta = \langle z_{k+1}, r_{k+1} - r_k\rangle /
    \langle z_k, r_k\rangle` (Notay 2000, doi:10.1137/S1064827599362314).

    Parameters
    ----------
    A, precondition : callable
        The matrix, and the approximate inverse applied to residuals.
    b, x : array
        The right side, and where to start; x is not changed.
    rtol : float
        Stop when the residual has fallen to this part of \|b\|, or of its start where b is 0.
    atol : float
        Stop also when its norm has fallen to this.
    max_iter : int
        Most iterations.
    go_on : callable
        Asked after each iteration.
    """
    r = b - A(x)
    norms = [math.sqrt(inner(r, r))]
    goal = max(rtol * (math.sqrt(inner(b, b)) or norms[0]), atol)
    p = np.zeros_like(x)
    rz, r_old = 1.0, r
    for _ in range(max_iter):
        if norms[-1] <= goal:
            break
        z = precondition(r)
        beta = inner(z, r - r_old) / rz
        p = z + x.dtype.type(beta) * p
        rz, ap = inner(z, r), A(p)
        curvature = inner(p, ap)
        if rz == 0.0 or curvature == 0.0:
            break
        alpha = x.dtype.type(inner(p, r) / curvature)
        x, r, r_old = x + alpha * p, r - alpha * ap, r
        norms.append(math.sqrt(inner(r, r)))
        if not go_on():
            break
    return Solution(x, tuple(norms), norms[-1] <= goal)


def bicgstab(
    A: Map,
    b: FloatArray,
    x: FloatArray,
    *,
    precondition: Map,
    rtol: float = 1e-6,
    max_iter: int = 200,
) -> Solution:
    r"""Solve A x = b for a matrix that need not be symmetric.

    Van der Vorst's stabilised bi-conjugate gradients, preconditioned from the right
    (doi:10.1137/0913035); begins anew where its recurrence breaks down.

    Parameters
    ----------
    A, precondition : callable
        The matrix, and the approximate inverse applied to directions.
    b, x : array
        The right side, and where to start; x is not changed.
    rtol : float
        Stop when the residual has fallen to this part of \|b\|, or of its start where b is 0.
    max_iter : int
        Most iterations, of two products each.
    """
    r = b - A(x)
    norms = [math.sqrt(inner(r, r))]
    goal = rtol * (math.sqrt(inner(b, b)) or norms[0])
    shadow, p, rho = r, r, inner(r, r)
    for _ in range(max_iter):
        if norms[-1] <= goal:
            break
        y = precondition(p)
        ay = A(y)
        projection = inner(shadow, ay)
        if abs(projection) <= 1e-12 * norms[-1] * math.sqrt(inner(shadow, shadow)):
            shadow, p, rho = r, r, inner(r, r)
            continue
        alpha = rho / projection
        s = r - x.dtype.type(alpha) * ay
        z = precondition(s)
        az = A(z)
        length = inner(az, az)
        omega = inner(az, s) / length if length > 0 else 0.0
        x = x + x.dtype.type(alpha) * y + x.dtype.type(omega) * z
        r = s - x.dtype.type(omega) * az
        norms.append(math.sqrt(inner(r, r)))
        rho_old, rho = rho, inner(shadow, r)
        if omega == 0.0 or rho == 0.0:
            shadow, p, rho = r, r, inner(r, r)
            continue
        p = r + x.dtype.type(rho / rho_old * alpha / omega) * (p - x.dtype.type(omega) * ay)
    return Solution(x, tuple(norms), norms[-1] <= goal)
