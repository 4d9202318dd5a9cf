"""What a metric is given, and all that a reader of its number must know."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from osmofuse.errors import InputError
from osmofuse.typing import FloatArray


@dataclass(frozen=True, eq=False)
class Pictures:
    """What is scored: pictures that fit together, on the scale where white is 1.0."""

    fused: FloatArray
    foreground: FloatArray
    background: FloatArray
    alpha: FloatArray
    truth: FloatArray | None

    @property
    def right_answer(self) -> FloatArray:
        """The truth, for metrics that cannot do without."""
        if self.truth is None:
            raise InputError("no truth was given")
        return self.truth


@dataclass(frozen=True)
class Metric:
    """A metric, with all a reader of its number must know.

    Attributes
    ----------
    value : callable
        The number; where it cannot be had it raises an InputError that says why.
    better : {"high", "low"}
        Which way is better.
    range : tuple of float
        The least and the greatest value there can be.
    definition : str
        What is computed, in a sentence.
    channels : str
        What becomes of colour.
    source : str
        Who defined it, and where.
    check : str
        A value to compare an implementation with.
    """

    value: Callable[[Pictures], float]
    better: Literal["high", "low"]
    range: tuple[float, float]
    definition: str
    channels: str
    source: str
    check: str
