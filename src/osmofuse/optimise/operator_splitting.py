r"""Operator splittings: each direction implicitly and by itself, added or one after the other.

They keep mass, and positivity for every :math:`\tau`: each solve is with an M-matrix whose
columns sum to 1. All are stable, and of first order.

Their fixed points are those of the flow only where the drift is that of one picture, for then
both directions rest there. Where pictures meet, the flow along columns balances that along rows;
splittings never see both at once, and what they come to is off by a multiple of :math:`\tau`.
Weickert, ter Haar Romeny and Viergever 1998, doi:10.1109/83.661190.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from osmofuse.linalg import SplitMatrix
from osmofuse.optimise.evolve import Evolution
from osmofuse.optimise.split_stepper import SplitStepper
from osmofuse.typing import FloatArray


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
        return Evolution(_one_after_the_other(self.A, s.u, self.tau, 0), s.time + self.tau, 2)


@dataclass(frozen=True, eq=False)
class SymmetricSplitting(SplitStepper):
    r"""AMOS: the mean of MOS in both orders, which treats directions alike; of first order."""

    def __call__(self, s: Evolution) -> Evolution:
        """Return u after a step."""
        u = sum(0.5 * _one_after_the_other(self.A, s.u, self.tau, first) for first in (0, 1))
        return Evolution(np.asarray(u), s.time + self.tau, 4)


def _one_after_the_other(A: SplitMatrix, u: FloatArray, tau: float, first: int) -> FloatArray:
    return A.solve(A.solve(u, tau, first), tau, 1 - first)
