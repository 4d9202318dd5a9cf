"""The one loop: it steps, guards, records, stops and lets itself be watched.

A solver is a function that takes a state to the next one. All that loops have in common is
here, so that no solver has a stopping rule, a history or a cancel button of its own.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from osmofuse.progress import Guard, Status


class State(Protocol):
    """What a step takes and gives."""

    @property
    def measure(self) -> float:
        """The number that is being brought down: an energy, a gap, a residual."""
        ...


S = TypeVar("S", bound=State)


@dataclass(frozen=True, eq=False)
class Outcome(Generic[S]):
    """Where a loop ended.

    Attributes
    ----------
    state : State
        The last state whose measure is finite, or the start.
    status : Status
        Why it ended.
    iterations : int
        Steps that led to the state.
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
    """Step until a rule stops it.

    Parameters
    ----------
    step : callable
        Takes a state to the next.
    state : State
        Where to start.
    stop : callable
        Given the iteration, the old and the new state: the status to end with, or None.
    max_iter : int
        Most steps to take.
    guard : Guard, optional
        Pulsed after each step; what a step was doing when it cancelled is dropped.
    record : callable, optional
        Given each iteration and accepted state.

    Returns
    -------
    Outcome
        With status ``nonfinite`` and the last good state where a measure is NaN or infinite,
        ``stalled`` where a step gave back the state it was given.
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
