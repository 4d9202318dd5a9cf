r"""The explicit Euler step: :math:`u \mapsto (I + \tau A)\, u`.

Of first order. It is stable and keeps positivity for :math:`\tau \le 1/\max_i |A_{ii}|`, which
is 1/8 for any drift; a longer step is made of as many equal parts as that takes. Mass is kept, and
the fixed points are those of the flow.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from osmofuse.optimise.evolve import Evolution
from osmofuse.optimise.split_stepper import SplitStepper


@dataclass(frozen=True, eq=False)
class Explicit(SplitStepper):
    """The stepper.

    Parameters
    ----------
    A, tau
        As for `SplitStepper`.
    go_on : callable
        Asked between parts of a step.
    """

    go_on: Callable[[], bool] = lambda: True

    def __call__(self, s: Evolution) -> Evolution:
        """Return u after a step; `inner` counts its parts."""
        parts = max(1, math.ceil(self.tau * self.A.rate * (1.0 - 1e-12)))
        u = s.u
        for _ in range(parts):
            if not self.go_on():
                break
            u = u + self.tau / parts * self.A(u)
        return Evolution(u, s.time + self.tau, parts)
