r"""The exact step: :math:`u \mapsto e^{\tau A} u`, by uniformisation.

With :math:`q \ge \max_i |A_{ii}|` the matrix :math:`I + A/q` moves parts of what pixels hold and
makes nothing of it negative, and

.. math::

    e^{\tau A} = \sum_k e^{-q\tau} \frac{(q\tau)^k}{k!} \Big(I + \frac Aq\Big)^k

is a mean of its powers. So mass and positivity are kept for every :math:`\tau`, and the only
error is that of the terms left out, as small as rounding. It takes some
:math:`q\tau + 9\sqrt{q\tau}` products: for short times, and to measure other schemes by.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from osmofuse.optimise.evolve import Evolution
from osmofuse.optimise.split_stepper import SplitStepper
from osmofuse.typing import FloatArray

TAIL = 9.0  # deviations of the Poisson distribution beyond which its terms do not count


@dataclass(frozen=True, eq=False)
class Exponential(SplitStepper):
    """The stepper.

    Parameters
    ----------
    A, tau
        As for `SplitStepper`.
    go_on : callable
        Asked between products.
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
    """Return the terms of a Poisson distribution from 0, as far as they count; they sum to 1."""
    last = math.ceil(mean + TAIL * math.sqrt(mean) + TAIL)
    k = np.arange(last + 1)
    steps = np.log(mean) - np.log(np.maximum(k, 1))
    steps[0] = 0.0
    log = np.cumsum(steps)
    weights = np.exp(log - log.max())
    return np.asarray(weights / weights.sum())
