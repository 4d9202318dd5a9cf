"""Input of a metric, and the metric with its metadata."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, TypeAlias

from osmofuse.errors import InputError
from osmofuse.typing import FloatArray

Better: TypeAlias = Literal["high", "low"] | None


@dataclass(frozen=True, eq=False)
class Pictures:
    """Pictures to be scored: arrays that fit together, white at 1.0.

    The foreground has the shape of the fused picture; the background has too, or one band.
    """

    fused: FloatArray
    foreground: FloatArray
    background: FloatArray
    alpha: FloatArray | None
    truth: FloatArray | None
    ink: FloatArray | None = None

    @property
    def required_alpha(self) -> FloatArray:
        """Alpha; raises an InputError if there is none."""
        if self.alpha is None:
            raise InputError("no alpha was given")
        return self.alpha

    @property
    def required_truth(self) -> FloatArray:
        """Truth; raises an InputError if there is none."""
        if self.truth is None:
            raise InputError("no truth was given")
        return self.truth

    @property
    def required_ink(self) -> FloatArray:
        """Map of the ink; raises an InputError if there is none."""
        if self.ink is None:
            raise InputError("no map of the ink was given")
        return self.ink


@dataclass(frozen=True)
class Metric:
    """Metric with the metadata needed to read its value.

    Attributes
    ----------
    value : callable
        Function that returns the value; raises an InputError with the reason if there is none.
    better : {"high", "low", None}
        Direction of improvement; None if there is none or it is unknown.
    range : tuple of float
        Smallest and largest possible value.
    definition : str
        Definition in one sentence.
    channels : str
        Treatment of colour channels.
    source : str
        Authors and publication.
    check : str
        Value to check an implementation with.
    """

    value: Callable[[Pictures], float]
    better: Better = None
    range: tuple[float, float] = (-math.inf, math.inf)
    definition: str = ""
    channels: str = ""
    source: str = ""
    check: str = ""
