"""Progress of a running computation, and its final status."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TypeAlias

from osmofuse.errors import SettingError


class Status(StrEnum):
    """Final status of a computation. Not converging is a status, never an exception."""

    reached = "reached"
    energy_rate = "energy_rate"
    converged = "converged"
    stationary = "stationary"
    direct = "direct"
    max_iter = "max_iter"
    stalled = "stalled"
    nonfinite = "nonfinite"
    cancelled = "cancelled"
    refused = "refused"

    @property
    def is_success(self) -> bool:
        """True if the computation ended successfully."""
        return self in _SUCCESSES


_SUCCESSES = frozenset(
    {Status.reached, Status.energy_rate, Status.converged, Status.stationary, Status.direct}
)


def worst(statuses: Iterable[Status]) -> Status:
    """Return the worst of several statuses, for a computation in parts."""
    failures = (Status.max_iter, Status.stalled, Status.nonfinite, Status.cancelled)
    return max(statuses, key=lambda s: failures.index(s) if s in failures else -1)


@dataclass(frozen=True)
class Step:
    """One accepted iteration.

    Attributes
    ----------
    channel : int or None
        The channel it acted on; None where all channels move together.
    iteration : int
        Counted from 1, in each channel.
    time, reach : float or None
        Flow time and reach in pixels, for solvers that have them.
    energy : float or None
        The energy after the step, for solvers that minimise one.
    terms : mapping of str to float
        The energy by term.
    lipschitz_u, lipschitz_v : float or None
        The accepted estimates of the Lipschitz constants.
    inner : int
        Iterations or cycles of the inner solver that made the accepted step.
    """

    channel: int | None
    iteration: int
    time: float | None
    reach: float | None
    energy: float | None
    terms: Mapping[str, float]
    lipschitz_u: float | None
    lipschitz_v: float | None
    inner: int


@dataclass(frozen=True)
class Progress:
    """State of a running computation, as passed to a `Watch` function.

    Attributes
    ----------
    channel : int or None
        The channel at work, from 0; None where all move together.
    channels : int
        Number of channels.
    iteration : int
        Accepted iterations in this channel so far; for methods of a few passes, passes in all.
    energy : float or None
        Current energy, of the channel or of all, for methods that minimise one.
    reach : float or None
        Reach so far, for solvers that have one.
    seconds : float
        Time since the start, without the compilation of kernels.
    """

    channel: int | None
    channels: int
    iteration: int
    energy: float | None
    reach: float | None
    seconds: float


Watch: TypeAlias = Callable[[Progress], bool | None]
"""Function called with the progress of a computation; it returns True to cancel."""


class Guard:
    """Caller of a `Watch` function, between passes and at most every 50 ms, until it cancels."""

    interval = 0.05  # seconds; the public contract of `watch`

    def __init__(self, watch: Watch | None) -> None:
        self.cancelled = False
        self.start = _clock()
        self._watch = watch
        self._last_call = -self.interval
        self._progress = Progress(0, 1, 0, None, None, 0.0)
        self._passes = 0

    def tell(self, progress: Progress) -> None:
        """Store the progress for the next pulse."""
        self._progress = progress

    def pulse(self) -> None:
        """Call the watching function if 50 ms have passed since the last call."""
        seconds = self.seconds
        if self._watch is None or seconds - self._last_call < self.interval:
            return
        progress = replace(self._progress, seconds=seconds)
        self.cancelled = self.cancelled or bool(self._watch(progress))
        self._last_call = self.seconds

    def beat(self) -> bool:
        """Pulse, and return False if the computation is cancelled."""
        self.pulse()
        return not self.cancelled

    def next_pass(self) -> bool:
        """Begin a pass of work without channels: pulse, and return False if cancelled."""
        self.tell(Progress(None, 1, self._passes, None, None, 0.0))
        self._passes += 1
        return self.beat()

    @property
    def seconds(self) -> float:
        """Time since the start, without times registered by `leave_out`."""
        return _clock() - self.start


def check_watch(watch: object) -> None:
    """Check that a watching function is callable or None."""
    if watch is not None and not callable(watch):
        raise SettingError(f"watch: {watch!r}; must be a function of a Progress, or None")


def leave_out(seconds: Callable[[], float]) -> None:
    """Exclude a kind of time from all measurements, e.g. the compilation of kernels.

    `seconds` returns the time of that kind so far in this process.
    """
    _left_out.append(seconds)


_left_out = list[Callable[[], float]]()


def _clock() -> float:
    return time.perf_counter() - sum(seconds() for seconds in _left_out)
