"""Numbers taken from whole pictures, each measured once and kept in a plan.

A part of a picture has other percentiles than the whole. What is computed from a plan uses the
plan's numbers, so that pixels do not depend on how a picture is cut.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

import numpy as np

from osmofuse.progress import Guard
from osmofuse.typing import Array, FloatArray

# Samples of a percentile, on a regular grid: its rank is then right within 0.2 %.
SAMPLES = 50_000


class CancelledError(Exception):
    """The watching function has cancelled what is being measured."""


class Statistics:
    """Numbers by name; those of a plan are known, others are measured when they are needed.

    `guard` is pulsed for each number; after a cancel, `CancelledError` is raised.
    """

    def __init__(
        self,
        known: Mapping[str, float] | None = None,
        guard: Guard | None = None,
        prefix: str = "",
    ) -> None:
        self.values: dict[str, float] = dict(known or {})
        self._guard = Guard(None) if guard is None else guard
        self._prefix = prefix

    def __call__(self, name: str, measure: Callable[[], float]) -> float:
        """Return the number of this name; measure it if it is not known."""
        if not self._guard.beat():
            raise CancelledError
        name = self._prefix + name
        if name not in self.values:
            self.values[name] = float(measure())
        return self.values[name]

    def given(self, name: str) -> float | None:
        """Return the number of this name if it is known."""
        return self.values.get(self._prefix + name)

    def percentile(self, name: str, x: FloatArray, percent: float) -> float:
        """Return a percentile of a plane."""
        return self(name, lambda: percentile(x, percent))

    def within(self, prefix: str) -> Statistics:
        """Return the same numbers, whose names begin with a prefix."""
        found = Statistics(guard=self._guard, prefix=f"{self._prefix}{prefix} ")
        found.values = self.values
        return found


def percentile(x: FloatArray, percent: float) -> float:
    """Return a percentile of a plane or a line, of its samples on a regular grid; 0 of none.

    >>> percentile(np.arange(101.0).reshape(1, -1), 10.0)
    10.0
    """
    return ranked(gridded(x), percent)


def gridded(x: Array) -> Array:
    """Return the samples of a plane or a line on a regular grid that is dense enough."""
    step = spacing(x.size)
    return x[::step, ::step] if x.ndim == 2 else x[:: step * step]


def spacing(pixels: int) -> int:
    """Return the step of a grid of samples that is dense enough for a percentile."""
    return max(1, math.ceil(math.sqrt(pixels / SAMPLES)))


def ranked(samples: FloatArray, percent: float) -> float:
    """Return a percentile of all samples; 0 of none."""
    if samples.size == 0:
        return 0.0
    rank = round(0.01 * percent * (samples.size - 1))
    return float(np.partition(samples.ravel(), rank)[rank])
