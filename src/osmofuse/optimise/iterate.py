"""Main loop of all iterative solvers: steps, stopping rule, history, cancellation.

A solver is a function from a state to the next one. The loop is here, once, so that no solver
needs its own stopping logic, history or cancellation.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from osmofuse.progress import Guard, Status


class State(Protocol):
    """Argument and result of a step."""

    @property
    def measure(self) -> float:
        """Quantity being reduced: an energy, a gap or a residual."""
        ...


S = TypeVar("S", bound=State)


@dataclass(frozen=True, eq=False)
class Outcome(Generic[S]):
    """Result of a loop.

    Attributes
    ----------
    state : State
        Last state with a finite measure, or the initial state.
    status : Status
        Reason for stopping.
    iterations : int
        Number of steps to that state.
    """

    state: S
    status: Status
    iterations: int


def iterate(
    step: Callable[[S], S],
    state: S,
    *,
    stop: Callable[[int, S, S], Status | None],
    max_iter: int,
    guard: Guard | None = None,
    record: Callable[[int, S], None] | None = None,
) -> Outcome[S]:
    """Repeat a step until the stopping rule holds.

    Parameters
    ----------
    step : callable
        Returns the next state.
    state : State
        Initial state.
    stop : callable
        Stopping rule: given the iteration, the old and the new state, returns the final status,
        or None to continue.
    max_iter : int
        Maximum number of steps.
    guard : Guard, optional
        Pulsed after each step. A step that was cancelled halfway is dropped.
    record : callable, optional
        Called with each iteration and accepted state.

    Returns
    -------
    Outcome
        Its status is ``nonfinite``, with the last good state, if a measure is NaN or infinite;
        ``stalled`` if a step returned the very state it was given.
    """
    for iteration in range(1, max_iter + 1):
        new = step(state)
        if guard is not None and guard.cancelled:
            return Outcome(state, Status.cancelled, iteration - 1)
        if new is state:
            return Outcome(state, Status.stalled, iteration - 1)
        if not math.isfinite(new.measure):
            return Outcome(state, Status.nonfinite, iteration - 1)
        old, state = state, new
        if record is not None:
            record(iteration, state)
        if status := stop(iteration, old, state):
            return Outcome(state, status, iteration)
        if guard is not None:
            guard.pulse()
            if guard.cancelled:
                return Outcome(state, Status.cancelled, iteration)
    return Outcome(state, Status.max_iter, max_iter)
