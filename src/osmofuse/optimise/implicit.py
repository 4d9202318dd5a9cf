r"""The implicit Euler step: :math:`u \mapsto (I - \tau A)^{-1} u`.

Of first order. Where the off-diagonal entries of A are positive and its columns sum to zero, it
keeps positivity and mass for every :math:`\tau`; its fixed points are those of the flow.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from osmofuse.linalg import Solution
from osmofuse.optimise.evolve import Evolution
from osmofuse.typing import FloatArray


@dataclass(frozen=True, eq=False)
class Implicit:
    r"""The stepper.

    Parameters
    ----------
    solve : callable
        Gives the solution x of :math:`x - \tau A x = u` for a u.
    tau : float
        The length of a step; it may be infinite, if the solver knows what that is.
    """

    solve: Callable[[FloatArray], Solution]
    tau: float

    def __call__(self, s: Evolution) -> Evolution:
        """Return u after a step."""
        found = self.solve(s.u)
        inner, residual = len(found.residuals) - 1, found.residuals[-1]
        return Evolution(found.x, s.time + self.tau, inner, residual, found.converged)
