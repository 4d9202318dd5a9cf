"""History of a fusion: recording the steps of a solver, and joining two histories."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Generic, TypeVar

from osmofuse.progress import Guard, Progress, Step

State = TypeVar("State")


class Recorder(Generic[State]):
    """Recorder of the steps of a solver, which reports each to the guard.

    `step_of` makes a step of the channel (None: all together), the iteration and the state.
    """

    def __init__(
        self, channels: int, guard: Guard, step_of: Callable[[int | None, int, State], Step]
    ) -> None:
        self.channels, self.guard, self.step_of = channels, guard, step_of
        self.channel: int | None = None
        self.history: list[Step] = []

    def begin(self, channel: int, *, energy: float | None, reach: float | None) -> None:
        """Begin a channel, and report its start to the guard."""
        self.channel = channel
        self._report(0, energy, reach)

    def __call__(self, iteration: int, state: State) -> None:
        """Record an iteration."""
        step = self.step_of(self.channel, iteration, state)
        self.history.append(step)
        self._report(iteration, step.energy, step.reach)

    def finish(self, terms: Mapping[str, float]) -> None:
        """Set the energy of the last step to that of the result."""
        if self.history:
            self.history[-1] = replace(self.history[-1], energy=sum(terms.values()), terms=terms)

    def _report(self, iteration: int, energy: float | None, reach: float | None) -> None:
        self.guard.tell(Progress(self.channel, self.channels, iteration, energy, reach, 0.0))


def joined(before: tuple[Step, ...], after: tuple[Step, ...]) -> tuple[Step, ...]:
    """Return a history continued by another, iterations numbered on in each channel."""
    last: dict[int | None, int] = {}
    for step in before:
        last[step.channel] = step.iteration
    return before + tuple(
        replace(step, iteration=step.iteration + last.get(step.channel, 0)) for step in after
    )
