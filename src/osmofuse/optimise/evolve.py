r"""Time integration of :math:`u_t = A u` in steps of equal length.

A stepper takes u from a time t to :math:`t + \tau`; :mod:`osmofuse.optimise.steppers` has them. The
loop that all of them share is here.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from osmofuse.optimise.iterate import Outcome, iterate
from osmofuse.progress import Guard, Status
from osmofuse.typing import FloatArray


@dataclass(frozen=True, eq=False)
class Evolution:
    """State of a time integration.

    Attributes
    ----------
    u : array
        Picture.
    time : float
        Time of the picture.
    inner : int
        Iterations of the inner solver in the last step.
    residual : float
        Residual of that solver.
    solved : bool
        True if that solver converged.
    """

    u: FloatArray
    time: float = 0.0
    inner: int = 0
    residual: float = 0.0
    solved: bool = True

    @property
    def measure(self) -> float:
        """Residual of the last step; NaN if the picture has overflowed."""
        return self.residual if np.isfinite(self.u).all() else math.nan


class Stepper(Protocol):
    """Callable that advances a picture by one step."""

    def __call__(self, s: Evolution) -> Evolution:
        """Return the picture after a step."""
        ...


def evolve(
    step: Stepper,
    s: Evolution,
    *,
    steps: int,
    guard: Guard | None = None,
    record: Callable[[int, Evolution], None] | None = None,
) -> Outcome[Evolution]:
    """Advance a picture by a number of steps.

    Parameters
    ----------
    step : Stepper
        Advances by one step.
    s : Evolution
        Initial state.
    steps : int
        Number of steps.
    guard, record
        As for `iterate`.

    Returns
    -------
    Outcome
        Its status is ``reached``, or ``stationary`` at an infinite time; ``max_iter`` if the
        solver of a step did not converge. No step is taken after that one.
    """

    def stop(iteration: int, _: Evolution, new: Evolution) -> Status | None:
        if not new.solved:
            return Status.max_iter
        if iteration < steps:
            return None
        return Status.stationary if math.isinf(new.time) else Status.reached

    return iterate(step, s, stop=stop, max_iter=steps, guard=guard, record=record)
