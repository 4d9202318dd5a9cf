r"""Follow :math:`u_t = A u` in steps of equal length, whatever makes a step.

A stepper takes u from a time t to :math:`t + \tau`; how it does so is its own business
(`osmofuse.optimise.implicit`). What all of them have in common is here.
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
    """A picture on its way.

    Attributes
    ----------
    u : array
        The picture.
    time : float
        When.
    inner : int
        Iterations of the inner solver in the step that led there.
    residual : float
        What that solver left.
    solved : bool
        Whether it converged.
    """

    u: FloatArray
    time: float = 0.0
    inner: int = 0
    residual: float = 0.0
    solved: bool = True

    @property
    def measure(self) -> float:
        """The residual of the last step; NaN if the picture has overflowed."""
        return self.residual if np.isfinite(self.u).all() else math.nan


class Stepper(Protocol):
    """What takes a picture one step further."""

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
    """Take so many steps.

    Parameters
    ----------
    step : Stepper
        Makes a step.
    s : Evolution
        Where to start.
    steps : int
        How many.
    guard, record
        As for `iterate`.

    Returns
    -------
    Outcome
        With status ``reached``, or ``stationary`` at an infinite time; ``max_iter`` if the
        solver of a step did not converge, which is then the last.
    """

    def stop(iteration: int, _: Evolution, new: Evolution) -> Status | None:
        if not new.solved:
            return Status.max_iter
        if iteration < steps:
            return None
        return Status.stationary if math.isinf(new.time) else Status.reached

    return iterate(step, s, stop=stop, max_iter=steps, guard=guard, record=record)
