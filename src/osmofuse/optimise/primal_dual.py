r"""Proximal map of Huber-TV by the accelerated primal-dual method.

.. math::

    \min_p \; \eta H_\varepsilon(D p) + \frac{1}{2\zeta} |p - q|^2
    = \min_p \max_y \; \langle D p, y\rangle - (\eta H_\varepsilon)^*(y)
      + \frac{1}{2\zeta} |p - q|^2 ,

Chambolle and Pock 2011 (doi:10.1007/s10851-010-0251-1): algorithm 3, which converges
linearly, where both sides are strongly convex (epsilon > 0), else algorithm 2. The stopping
rule is on the relative gap between

.. math::

    P(p) = \eta H_\varepsilon(D p) + \tfrac{1}{2\zeta} |p - q|^2, \qquad
    G(y) = \langle D^* y, q\rangle - \tfrac{\zeta}{2} |D^* y|^2
           - \tfrac{\varepsilon}{2\eta} |y|^2 .
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from osmofuse.energies import HuberTV
from osmofuse.kernels import kernel, pixel, prange
from osmofuse.operators.difference import backward_divergence
from osmofuse.optimise.iterate import Outcome, iterate
from osmofuse.progress import Guard, Status
from osmofuse.typing import FloatArray


@dataclass(frozen=True, eq=False)
class PrimalDual:
    r"""State of the method.

    Attributes
    ----------
    p, p_bar : array, shape (rows, cols)
        Primal point and its extrapolation :math:`\bar p`.
    y : array, shape (2, rows, cols)
        Dual field; feasible, so that the gap bounds the error of p.
    tau, sigma, theta : float
        Step sizes and extrapolation of the next step.
    primal, dual : float
        :math:`P(p)` and :math:`G(y)`.
    """

    p: FloatArray
    p_bar: FloatArray
    y: FloatArray
    tau: float
    sigma: float
    theta: float
    primal: float
    dual: float

    @property
    def measure(self) -> float:
        """Primal-dual gap; nonnegative up to rounding."""
        return self.primal - self.dual


def primal_dual(
    q: FloatArray,
    zeta: float,
    term: HuberTV,
    *,
    y0: FloatArray | None = None,
    rtol: float = 1e-4,
    max_iter: int = 10_000,
    guard: Guard | None = None,
) -> Outcome[PrimalDual]:
    r"""Return :math:`\operatorname{prox}_{\zeta\eta H_\varepsilon}(q)`.

    Parameters
    ----------
    q : array, shape (rows, cols)
        Point.
    zeta : float
        Step of the proximal map, :math:`\zeta > 0`.
    term : HuberTV
        :math:`\eta H_\varepsilon`.
    y0 : array, shape (2, rows, cols), optional
        Warm start: the dual field of a neighbouring problem with the same term. Zero by
        default.
    rtol : float
        Tolerance of the gap relative to P(p); the paper's value by default.
    max_iter : int
        Maximum number of iterations.
    guard : Guard, optional
        Pulsed between iterations.

    Returns
    -------
    Outcome
        Its ``state`` holds ``p``, the dual field ``y``, and the gap as ``measure``.

    Notes
    -----
    :math:`\tau\sigma\|D\|^2 \le 1` throughout, with :math:`\|D\|^2 \le 8`. The quadratic term
    is strongly convex with constant :math:`1/\zeta`, the conjugate with
    :math:`\varepsilon/\eta`.
    """

    def step(s: PrimalDual) -> PrimalDual:
        shrink = 1.0 + s.sigma * term.epsilon / term.eta
        y = dual_step(s.y, s.p_bar, s.sigma, shrink, term.eta)
        p, p_bar = primal_step(s.p, y, q, s.tau, zeta, s.theta)
        return _state(q, zeta, term, p=p, p_bar=p_bar, y=y, steps=_next_steps(s, zeta, term))

    # Gap that rounding leaves in a solved problem: a fraction of P and, where P is 0, the energy
    # of differences in the last digit.
    least = 8.0 * q.size * term.eta * float(np.finfo(q.dtype).eps * np.abs(q).max())

    def stop(_: int, __: PrimalDual, s: PrimalDual) -> Status | None:
        small = max(max(rtol, 1e-14) * abs(s.primal), least)
        return Status.converged if s.measure <= small else None

    y = np.zeros((2, *q.shape)) if y0 is None else y0
    p = q - zeta * backward_divergence(y)  # the relation of p and y at the solution
    start = _state(q, zeta, term, p=p, p_bar=p, y=y, steps=_first_steps(zeta, term))
    return iterate(step, start, stop=stop, max_iter=max_iter, guard=guard)


Steps = tuple[float, float, float]


def _first_steps(zeta: float, term: HuberTV) -> Steps:
    """Return tau, sigma, theta: those of algorithm 3, which stay, or the first of algorithm 2."""
    if term.epsilon > 0:
        a, b = 1.0 / zeta, term.epsilon / term.eta
        rate = 2.0 * math.sqrt(a * b / 8.0)
        return rate / (2.0 * a), rate / (2.0 * b), 1.0 / (1.0 + rate)
    tau = 1.0 / math.sqrt(8.0)
    return tau, tau, 1.0 / math.sqrt(1.0 + 2.0 * tau / zeta)


def _next_steps(s: PrimalDual, zeta: float, term: HuberTV) -> Steps:
    if term.epsilon > 0:
        return s.tau, s.sigma, s.theta
    tau, sigma = s.theta * s.tau, s.sigma / s.theta
    return tau, sigma, 1.0 / math.sqrt(1.0 + 2.0 * tau / zeta)


def _state(
    q: FloatArray,
    zeta: float,
    term: HuberTV,
    *,
    p: FloatArray,
    p_bar: FloatArray,
    y: FloatArray,
    steps: Steps,
) -> PrimalDual:
    """Return a state with its primal and dual values."""
    primal, dual = _gap_rows(p, y, q, zeta, term.eta, term.epsilon).sum(axis=1)
    return PrimalDual(p, p_bar, y, *steps, float(primal), float(dual))


class WarmProx:
    """Proximal map of Huber-TV for a sequence of neighbouring points, with warm starts.

    Each call starts from the dual field of the previous one.
    """

    def __init__(self, term: HuberTV, *, rtol: float, guard: Guard | None = None) -> None:
        self.term, self.rtol, self.guard = term, rtol, guard
        self.y: FloatArray | None = None

    def __call__(self, q: FloatArray, zeta: float) -> tuple[FloatArray, int]:
        """Return the proximal point of q and the number of iterations."""
        found = primal_dual(q, zeta, self.term, y0=self.y, rtol=self.rtol, guard=self.guard)
        self.y = found.state.y
        return found.state.p, found.iterations


@kernel
def dual_step(
    y: FloatArray, p_bar: FloatArray, sigma: float, shrink: float, eta: float
) -> FloatArray:
    """Return (y + sigma D p_bar) / shrink, projected on the discs of radius eta."""
    rows, cols = p_bar.shape
    out = np.empty_like(y)
    for i in prange(rows):
        below = min(i + 1, rows - 1)
        for j in range(cols):
            right = min(j + 1, cols - 1)
            a = (y[0, i, j] + sigma * (p_bar[below, j] - p_bar[i, j])) / shrink
            b = (y[1, i, j] + sigma * (p_bar[i, right] - p_bar[i, j])) / shrink
            scale = max(1.0, np.sqrt(a * a + b * b) / eta)
            out[0, i, j] = a / scale
            out[1, i, j] = b / scale
    return out


@kernel
def primal_step(
    p: FloatArray, y: FloatArray, q: FloatArray, tau: float, zeta: float, theta: float
) -> tuple[FloatArray, FloatArray]:
    """Return the proximal step from p - tau D* y, and its extrapolation by theta."""
    rows, cols = p.shape
    new = np.empty_like(p)
    bar = np.empty_like(p)
    for i in prange(rows):
        for j in range(cols):
            z = adjoint_at(y, i, j)
            x = (q[i, j] / zeta + (p[i, j] - tau * z) / tau) / (1.0 / zeta + 1.0 / tau)
            new[i, j] = x
            bar[i, j] = x + theta * (x - p[i, j])
    return new, bar


@kernel
def _gap_rows(
    p: FloatArray, y: FloatArray, q: FloatArray, zeta: float, eta: float, epsilon: float
) -> FloatArray:
    """Return the parts of P(p) and of G(y) in each row, as (2, rows)."""
    rows, cols = p.shape
    total = np.zeros((2, rows))
    for i in prange(rows):
        below = min(i + 1, rows - 1)
        primal, dual = 0.0, 0.0
        for j in range(cols):
            right = min(j + 1, cols - 1)
            t = np.sqrt((p[below, j] - p[i, j]) ** 2 + (p[i, right] - p[i, j]) ** 2)
            huber = t - 0.5 * epsilon if t >= epsilon else t * t / (2.0 * epsilon)
            primal += eta * huber + (p[i, j] - q[i, j]) ** 2 / (2.0 * zeta)
            z = adjoint_at(y, i, j)
            square = y[0, i, j] ** 2 + y[1, i, j] ** 2
            dual += z * (q[i, j] - 0.5 * zeta * z) - 0.5 * epsilon / eta * square
        total[0, i] = primal
        total[1, i] = dual
    return total


@pixel
def adjoint_at(y: FloatArray, i: int, j: int) -> Any:
    """Return D* y at a pixel, for a field that is zero in its last row and column."""
    up = y[0, i - 1, j] if i > 0 else 0.0
    left = y[1, i, j - 1] if j > 0 else 0.0
    return up + left - y[0, i, j] - y[1, i, j]
