r"""Alternating directions: implicit along columns, then along rows, explicit in the other.

With :math:`A = A_0 + A_1` (`osmofuse.linalg.SplitMatrix`), both schemes here keep mass and have
the fixed points of the flow. For the drift of one picture any step is stable: both parts are then
symmetric, and none of their eigenvalues positive, in one inner product. Even so a long step makes
rough things larger, by as much as it is long, before more steps end them. Where pictures meet,
long steps may make things grow for good. Calatroni, Estatico, Garibaldi and Parisotto 2017,
arXiv:1703.04453.
"""

from __future__ import annotations

from dataclasses import dataclass

from osmofuse.optimise.evolve import Evolution
from osmofuse.optimise.split_stepper import SplitStepper


@dataclass(frozen=True, eq=False)
class PeacemanRachford(SplitStepper):
    r"""The scheme of Peaceman and Rachford (1955).

    .. math::

        (I - \tfrac\tau2 A_0)\, x = (I + \tfrac\tau2 A_1)\, u, \qquad
        (I - \tfrac\tau2 A_1)\, u^+ = (I + \tfrac\tau2 A_0)\, x .

    Of second order. It keeps positivity for :math:`\tau \le 2/\max_i |(A_k)_{ii}|`, which is 1/2
    for any drift.
    """

    def __call__(self, s: Evolution) -> Evolution:
        """Return u after a step."""
        half = self.tau / 2.0
        x = self.A.solve(s.u + half * self.A(s.u, 1), half, 0)
        u = self.A.solve(x + half * self.A(x, 0), half, 1)
        return Evolution(u, s.time + self.tau, 2)


@dataclass(frozen=True, eq=False)
class Douglas(SplitStepper):
    r"""The scheme of Douglas and Rachford (1956): along each direction in turn, a step is mended.

    .. math::

        (I - \tau A_0)\, x = u + \tau A_1 u, \qquad (I - \tau A_1)\, u^+ = x - \tau A_1 u .

    Of first order. (With half of every implicit part, and the rest explicit, it would be the
    scheme of Peaceman and Rachford.) Positivity is promised for no step.
    """

    def __call__(self, s: Evolution) -> Evolution:
        """Return u after a step."""
        along = self.tau * self.A(s.u, 1)
        x = self.A.solve(s.u + along, self.tau, 0)
        return Evolution(self.A.solve(x - along, self.tau, 1), s.time + self.tau, 2)
