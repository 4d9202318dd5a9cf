"""Krylov methods on planes, preconditioned by anything that improves a residual.

Sums are made row by row in double precision (`osmofuse.operators.inner`).
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

BREAKDOWN = 1e-12  # two planes of BiCGStab are as good as orthogonal below this cosine

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
        Asked before each iteration.
    """
    r = b - A(x)
    norms = [math.sqrt(inner(r, r))]
    goal = max(rtol * (math.sqrt(inner(b, b)) or norms[0]), atol)
    p = np.zeros_like(x)
    rz, r_old = 1.0, r
    for _ in range(max_iter):
        if norms[-1] <= goal or not go_on():
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
    (doi:10.1137/0913035); begins anew where its recurrence breaks down.

    Parameters
    ----------
    A, precondition : callable
        The matrix, and the approximate inverse applied to directions. Either may give the
        same two planes in turn: none is looked at after the call after the next.
    b, x : array
        The right side, and where to start; x is not changed.
    rtol : float
        Stop when the residual has fallen to this part of \|b\|, or of its start where b is 0.
    atol : float
        Stop also when its norm has fallen to this.
    max_iter : int
        Most iterations, of two products each.
    go_on : callable
        Asked before each iteration.
    """
    number: Any = x.dtype.type
    x, r = x.copy(), b - A(x)
    rho = inner(r, r)
    norms = [math.sqrt(rho)]
    goal = max(rtol * (math.sqrt(inner(b, b)) or norms[0]), atol)
    shadow, p, s = r.copy(), r.copy(), np.empty_like(r)
    size = norms[0]  # of the shadow
    for _ in range(max_iter):
        if norms[-1] <= goal or not math.isfinite(norms[-1]) or not go_on():
            break
        y = precondition(p)
        ay = A(y)
        length, projection = _sums(products(ay, shadow))
        if abs(projection) <= BREAKDOWN * math.sqrt(length) * size:
            rho, size = _begin(r, shadow, p)
            continue
        alpha = rho / projection
        square = float(subtract(s, r, ay, number(alpha)).sum())
        if math.sqrt(square) <= goal:  # half of an iteration is enough
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
            rho, size = _begin(r, shadow, p)
            continue
        turn(p, r, ay, number(rho_new / rho * alpha / omega), number(omega))
        rho = rho_new
    return Solution(x, tuple(norms), norms[-1] <= goal)


def _begin(r: FloatArray, shadow: FloatArray, p: FloatArray) -> tuple[float, float]:
    """Begin anew from a residual; return its square and its norm."""
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
