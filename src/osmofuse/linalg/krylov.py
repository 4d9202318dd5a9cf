"""Preconditioned Krylov methods on planes.

Sums are taken row by row in double precision (`osmofuse.operators.inner`).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from osmofuse.kernels import fast_kernel, prange
from osmofuse.operators import inner
from osmofuse.typing import FloatArray

BREAKDOWN = 1e-12  # cosine below which two planes of BiCGStab count as orthogonal

Map: TypeAlias = Callable[[FloatArray], FloatArray]


@dataclass(frozen=True, eq=False)
class Solution:
    """Result of a Krylov method.

    Attributes
    ----------
    x : array
        Solution.
    residuals : tuple of float
        Norm of b - A x at the start and after each iteration.
    converged : bool
        True if the last residual is below the tolerance.
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
    r"""Solve A x = b for a symmetric positive A, with any preconditioner.

    Conjugate gradients with :math:`\beta = \langle z_{k+1}, r_{k+1} - r_k\rangle /
    \langle z_k, r_k\rangle` (Notay 2000, doi:10.1137/S1064827599362314).

    Parameters
    ----------
    A, precondition : callable
        Matrix, and approximate inverse applied to residuals.
    b, x : array
        Right-hand side, and initial guess; x is not changed.
    rtol : float
        Tolerance of the residual relative to \|b\|, or to the first residual if b is 0.
    atol : float
        Absolute tolerance of the residual norm; the larger of the two applies.
    max_iter : int
        Maximum number of iterations.
    go_on : callable
        Called before each iteration; False stops.
    """
    x, r = x.copy(), b - A(x)
    norms = [math.sqrt(inner(r, r))]
    goal = max(rtol * (math.sqrt(inner(b, b)) or norms[0]), atol)
    p = np.zeros_like(x)
    rz, r_old = 1.0, r
    for _ in range(max_iter):
        if norms[-1] <= goal or not go_on():
            break
        z = precondition(r)
        p *= x.dtype.type(inner(z, r - r_old) / rz)
        p += z
        rz = inner(z, r)
        del z  # room for A p
        ap = A(p)
        curvature = inner(p, ap)
        if rz == 0.0 or curvature == 0.0:
            break
        alpha = x.dtype.type(inner(p, r) / curvature)
        x += alpha * p
        r, r_old = r - alpha * ap, r
        del ap
        norms.append(math.sqrt(inner(r, r)))
    return Solution(x, tuple(norms), norms[-1] <= goal)


def bicgstab(
    A: Map,
    b: FloatArray,
    x: FloatArray,
    *,
    precondition: Map,
    rtol: float = 1e-6,
    atol: float = 0.0,
    max_iter: int = 200,
    go_on: Callable[[], bool] = lambda: True,
) -> Solution:
    r"""Solve A x = b for a matrix that need not be symmetric.

    Van der Vorst's stabilised bi-conjugate gradients, preconditioned from the right
    (doi:10.1137/0913035); restarts where the recurrence breaks down.

    Parameters
    ----------
    A, precondition : callable
        Matrix, and approximate inverse applied to directions. Either may return the same two
        planes in turn: a result is not used after the second next call.
    b, x : array
        Right-hand side, and initial guess; x is not changed.
    rtol : float
        Tolerance of the residual relative to \|b\|, or to the first residual if b is 0.
    atol : float
        Absolute tolerance of the residual norm; the larger of the two applies.
    max_iter : int
        Maximum number of iterations, of two products each.
    go_on : callable
        Called before each iteration; False stops.
    """
    number: Any = x.dtype.type
    x, r = x.copy(), b - A(x)
    rho = inner(r, r)
    norms = [math.sqrt(rho)]
    goal = max(rtol * (math.sqrt(inner(b, b)) or norms[0]), atol)
    shadow, p, s = r.copy(), r.copy(), np.empty_like(r)
    size, fresh = norms[0], True  # norm of the shadow; True just after a restart
    for _ in range(max_iter):
        if norms[-1] <= goal or not math.isfinite(norms[-1]) or not go_on():
            break
        y = precondition(p)
        ay = A(y)
        length, projection = _sums(products(ay, shadow))
        if abs(projection) <= BREAKDOWN * math.sqrt(length) * size:
            if fresh:  # another restart would change nothing
                break
            rho, size, fresh = *_begin(r, shadow, p), True
            continue
        fresh = False
        alpha = rho / projection
        square = float(subtract(s, r, ay, number(alpha)).sum())
        if math.sqrt(square) <= goal:  # converged after half an iteration
            x += number(alpha) * y
            norms.append(math.sqrt(square))
            break
        z = precondition(s)
        az = A(z)
        length, along = _sums(products(az, s))
        omega = along / length if length > 0 else 0.0
        square, rho_new = _sums(advance(x, r, y, z, s, az, shadow, number(alpha), number(omega)))
        norms.append(math.sqrt(square))
        if omega == 0.0 or rho_new == 0.0:
            rho, size, fresh = *_begin(r, shadow, p), True
            continue
        turn(p, r, ay, number(rho_new / rho * alpha / omega), number(omega))
        rho = rho_new
    return Solution(x, tuple(norms), norms[-1] <= goal)


def _begin(r: FloatArray, shadow: FloatArray, p: FloatArray) -> tuple[float, float]:
    """Restart from a residual; return its square and its norm."""
    shadow[...] = r
    p[...] = r
    square = inner(r, r)
    return square, math.sqrt(square)


def _sums(rows: FloatArray) -> tuple[float, float]:
    """Return the sums of two columns."""
    first, second = rows.sum(axis=0)
    return float(first), float(second)


@fast_kernel
def products(y: FloatArray, z: FloatArray) -> FloatArray:
    """Return <y, y> and <y, z>, row by row."""
    rows, cols = y.shape
    sums = np.zeros((rows, 2))
    for i in prange(rows):
        square, along = 0.0, 0.0
        for j in range(cols):
            square += y[i, j] * y[i, j]
            along += y[i, j] * z[i, j]
        sums[i, 0], sums[i, 1] = square, along
    return sums


@fast_kernel
def subtract(s: FloatArray, r: FloatArray, ay: FloatArray, alpha: float) -> FloatArray:
    """Set s = r - alpha ay; return <s, s>, row by row."""
    rows, cols = s.shape
    sums = np.zeros(rows)
    for i in prange(rows):
        square = 0.0
        for j in range(cols):
            rest = r[i, j] - alpha * ay[i, j]
            s[i, j] = rest
            square += rest * rest
        sums[i] = square
    return sums


@fast_kernel
def advance(
    x: FloatArray,
    r: FloatArray,
    y: FloatArray,
    z: FloatArray,
    s: FloatArray,
    az: FloatArray,
    shadow: FloatArray,
    alpha: float,
    omega: float,
) -> FloatArray:
    """Add alpha y + omega z to x, set r = s - omega az; return <r, r> and <shadow, r> by rows."""
    rows, cols = x.shape
    sums = np.zeros((rows, 2))
    for i in prange(rows):
        square, rho = 0.0, 0.0
        for j in range(cols):
            x[i, j] += alpha * y[i, j] + omega * z[i, j]
            residual = s[i, j] - omega * az[i, j]
            r[i, j] = residual
            square += residual * residual
            rho += shadow[i, j] * residual
        sums[i, 0], sums[i, 1] = square, rho
    return sums


@fast_kernel
def turn(p: FloatArray, r: FloatArray, ay: FloatArray, beta: float, omega: float) -> None:
    """Set p = r + beta (p - omega ay)."""
    rows, cols = p.shape
    for i in prange(rows):
        for j in range(cols):
            p[i, j] = r[i, j] + beta * (p[i, j] - omega * ay[i, j])
