"""What a metric is given, and what a reader of its number must know."""

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
    """What is scored: pictures that fit together, on the scale where white is 1.0.

    The foreground has the shape of the fused picture; the background has too, or one band.
    """

    fused: FloatArray
    foreground: FloatArray
    background: FloatArray
    alpha: FloatArray | None
    truth: FloatArray | None

    @property
    def joining_map(self) -> FloatArray:
        """The alpha that the picture was made with, for metrics that cannot do without."""
        if self.alpha is None:
            raise InputError("no alpha was given")
        return self.alpha

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
    better : {"high", "low", None}
        Which way is better; None if neither is, or nobody knows.
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
    better: Better = None
    range: tuple[float, float] = (-math.inf, math.inf)
    definition: str = ""
    channels: str = ""
    source: str = ""
    check: str = ""
