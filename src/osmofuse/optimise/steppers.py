r"""Time steppers for :math:`u_t = A u`, by name.

======================== ===== ===================== ============================================
scheme                   order positive for          notes
======================== ===== ===================== ============================================
``implicit``             1     every step            needs a solver of the whole matrix
``explicit``             1     every step            long steps are split into stable substeps
``peaceman-rachford``    2     steps up to 1/2       alternating directions
``douglas``              1     no guaranteed step    alternating directions
``aos``/``mos``/``amos`` 1     every step            operator splitting; inexact steady states
``exponential``          exact every step            one product per unit of :math:`\tau |A_{ii}|`
======================== ===== ===================== ============================================

All keep mass where no pixel is held. All but ``implicit`` work on :math:`A = A_0 + A_1`, the parts
along columns and rows (`osmofuse.linalg.SplitMatrix`).

**Alternating directions** (Calatroni, Estatico, Garibaldi and Parisotto 2017, arXiv:1703.04453)
are implicit in one direction and explicit in the other. Their fixed points are those of the flow.
For the drift of one picture every step is stable, since both parts are symmetric and negative
semidefinite in the same inner product; even so, one long step amplifies rough components in
proportion to its length before later steps damp them. For a drift made of several pictures long
steps may diverge.

**Operator splittings** (Weickert, ter Haar Romeny and Viergever 1998, doi:10.1109/83.661190) solve
each direction by itself. Each solve is with an M-matrix whose columns sum to 1, so every step is
stable and positive. Their fixed points are those of the flow only for the drift of one picture.
Otherwise the flow along columns balances that along rows, but a splitting treats them separately,
so the steady state has an error proportional to :math:`\tau`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from osmofuse.linalg import Solution, SplitMatrix
from osmofuse.optimise.evolve import Evolution, Stepper
from osmofuse.typing import FloatArray

# Standard deviations of the Poisson distribution after which its terms are dropped: the normal
# tail beyond 9 is below 1e-18, less than rounding.
TAIL = 9.0

Scheme: TypeAlias = Literal[
    "implicit", "explicit", "peaceman-rachford", "douglas", "aos", "mos", "amos", "exponential"
]


@dataclass(frozen=True, eq=False)
class Implicit:
    r"""Implicit Euler step :math:`u \mapsto (I - \tau A)^{-1} u`, of first order.

    Where the off-diagonal entries of A are positive and its columns sum to zero, it keeps
    positivity and mass for every :math:`\tau`. Its fixed points are those of the flow.

    Parameters
    ----------
    solve : callable
        Returns the solution x of :math:`x - \tau A x = u` for a given u.
    tau : float
        Step length; may be infinite if the solver supports it.
    """

    solve: Callable[[FloatArray], Solution]
    tau: float

    def __call__(self, s: Evolution) -> Evolution:
        """Return u after a step."""
        found = self.solve(s.u)
        inner, residual = len(found.residuals) - 1, found.residuals[-1]
        return Evolution(found.x, s.time + self.tau, inner, residual, found.converged)


@dataclass(frozen=True, eq=False)
class SplitStepper:
    """Base of the steppers on a split matrix.

    Parameters
    ----------
    A : SplitMatrix
        Matrix, in its two directions.
    tau : float
        Step length.
    """

    A: SplitMatrix
    tau: float


@dataclass(frozen=True, eq=False)
class Explicit(SplitStepper):
    r"""Explicit Euler step :math:`u \mapsto (I + \tau A)\, u`, of first order.

    It is stable and positive for :math:`\tau \le 1/\max_i |A_{ii}|`, at least 1/8 for any drift; a
    longer step is split into as few equal substeps as satisfy that bound. Its fixed points are
    those of the flow.

    Parameters
    ----------
    A, tau
        As for `SplitStepper`.
    go_on : callable
        Called between substeps; False stops the step.
    """

    go_on: Callable[[], bool] = lambda: True

    def __call__(self, s: Evolution) -> Evolution:
        """Return u after a step; `inner` counts its substeps."""
        parts = max(1, math.ceil(self.tau * self.A.rate * (1.0 - 1e-12)))
        u = s.u
        for _ in range(parts):
            if not self.go_on():
                break
            u = u + self.tau / parts * self.A(u)
        return Evolution(u, s.time + self.tau, parts)


@dataclass(frozen=True, eq=False)
class PeacemanRachford(SplitStepper):
    r"""Alternating-direction scheme of Peaceman and Rachford (1955), of second order.

    .. math::

        (I - \tfrac\tau2 A_0)\, x = (I + \tfrac\tau2 A_1)\, u, \qquad
        (I - \tfrac\tau2 A_1)\, u^+ = (I + \tfrac\tau2 A_0)\, x .

    It keeps positivity for :math:`\tau \le 2/\max_i |(A_k)_{ii}|`, at least 1/2 for any drift.
    """

    def __call__(self, s: Evolution) -> Evolution:
        """Return u after a step."""
        half = self.tau / 2.0
        x = self.A.solve(s.u + half * self.A(s.u, 1), half, 0)
        u = self.A.solve(x + half * self.A(x, 0), half, 1)
        return Evolution(u, s.time + self.tau, 2)


@dataclass(frozen=True, eq=False)
class Douglas(SplitStepper):
    r"""Alternating-direction scheme of Douglas and Rachford (1956), of first order.

    .. math::

        (I - \tau A_0)\, x = u + \tau A_1 u, \qquad (I - \tau A_1)\, u^+ = x - \tau A_1 u .

    Positivity is guaranteed for no step.
    """

    def __call__(self, s: Evolution) -> Evolution:
        """Return u after a step."""
        along = self.tau * self.A(s.u, 1)
        x = self.A.solve(s.u + along, self.tau, 0)
        return Evolution(self.A.solve(x - along, self.tau, 1), s.time + self.tau, 2)


@dataclass(frozen=True, eq=False)
class AdditiveSplitting(SplitStepper):
    r"""AOS: :math:`u^+ = \tfrac12 \sum_k (I - 2\tau A_k)^{-1} u`, of first order."""

    def __call__(self, s: Evolution) -> Evolution:
        """Return u after a step."""
        u = sum(0.5 * self.A.solve(s.u, 2.0 * self.tau, axis) for axis in (0, 1))
        return Evolution(np.asarray(u), s.time + self.tau, 2)


@dataclass(frozen=True, eq=False)
class MultiplicativeSplitting(SplitStepper):
    r"""MOS: :math:`u^+ = (I - \tau A_1)^{-1} (I - \tau A_0)^{-1} u`, of first order."""

    def __call__(self, s: Evolution) -> Evolution:
        """Return u after a step."""
        return Evolution(_solve_in_turn(self.A, s.u, self.tau, 0), s.time + self.tau, 2)


@dataclass(frozen=True, eq=False)
class SymmetricSplitting(SplitStepper):
    r"""AMOS: the mean of MOS in both orders, which treats directions alike; of first order."""

    def __call__(self, s: Evolution) -> Evolution:
        """Return u after a step."""
        u = sum(0.5 * _solve_in_turn(self.A, s.u, self.tau, first) for first in (0, 1))
        return Evolution(np.asarray(u), s.time + self.tau, 4)


def _solve_in_turn(A: SplitMatrix, u: FloatArray, tau: float, first: int) -> FloatArray:
    return A.solve(A.solve(u, tau, first), tau, 1 - first)


@dataclass(frozen=True, eq=False)
class Exponential(SplitStepper):
    r"""Exact step :math:`u \mapsto e^{\tau A} u`, by uniformisation.

    With :math:`q \ge \max_i |A_{ii}|` the matrix :math:`I + A/q` has no negative entry and keeps
    mass, and

    .. math::

        e^{\tau A} = \sum_k e^{-q\tau} \frac{(q\tau)^k}{k!} \Big(I + \frac Aq\Big)^k

    is a mean of its powers. So mass and positivity are kept for every :math:`\tau`; the only error
    is that of the dropped terms, below rounding. It takes about :math:`q\tau + 9\sqrt{q\tau}`
    products: for short times, and as a reference for other schemes.

    Parameters
    ----------
    A, tau
        As for `SplitStepper`.
    go_on : callable
        Called between products; False stops the step.
    """

    go_on: Callable[[], bool] = lambda: True

    def __call__(self, s: Evolution) -> Evolution:
        """Return u after a step; `inner` counts products."""
        q = self.A.rate
        if q == 0.0:
            return Evolution(s.u, s.time + self.tau)
        weights = poisson(q * self.tau)
        power, u = s.u, weights[0] * s.u
        for weight in weights[1:]:
            if not self.go_on():
                break
            power = power + self.A(power) / q
            if weight > 0.0:
                u = u + weight * power
        return Evolution(u, s.time + self.tau, len(weights) - 1)


def poisson(mean: float) -> FloatArray:
    """Return the terms of a Poisson distribution from 0 to its tail; they sum to 1."""
    last = math.ceil(mean + TAIL * math.sqrt(mean) + TAIL)
    k = np.arange(last + 1)
    steps = np.log(mean) - np.log(np.maximum(k, 1))
    steps[0] = 0.0
    log = np.cumsum(steps)
    weights = np.exp(log - log.max())
    return np.asarray(weights / weights.sum())


# Schemes with an inner loop, which can be stopped between its rounds.
LOOPS: dict[str, Callable[..., Stepper]] = {"explicit": Explicit, "exponential": Exponential}
SCHEMES: dict[str, Callable[..., Stepper]] = {
    **LOOPS,
    "peaceman-rachford": PeacemanRachford,
    "douglas": Douglas,
    "aos": AdditiveSplitting,
    "mos": MultiplicativeSplitting,
    "amos": SymmetricSplitting,
}


def stepper(
    scheme: str, A: SplitMatrix, tau: float, go_on: Callable[[], bool] = lambda: True
) -> Stepper:
    """Return the stepper of a scheme in `SCHEMES`."""
    make = SCHEMES[scheme]
    return make(A, tau, go_on) if scheme in LOOPS else make(A, tau)
