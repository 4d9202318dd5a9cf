"""The metrics by name: what each is given, and how to read it."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from osmofuse.errors import InputError
from osmofuse.metrics.chromaticity import chromaticity_error
from osmofuse.metrics.fmi import fmi
from osmofuse.metrics.structure import structure_score
from osmofuse.metrics.truth_psnr import truth_psnr
from osmofuse.metrics.truth_ssim import truth_ssim
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
    """A metric: its value, which way is better, and the least and greatest value there can be.

    Where it cannot be had, `value` raises an InputError that says why.
    """

    value: Callable[[Pictures], float]
    better: Literal["high", "low"]
    range: tuple[float, float]


METRICS: dict[str, Metric] = {
    "chromaticity": Metric(
        lambda p: chromaticity_error(p.fused, p.foreground), "low", (0.0, math.inf)
    ),
    "structure": Metric(
        lambda p: structure_score(p.fused, p.foreground, p.background, p.alpha),
        "high",
        (-math.inf, 1.0),
    ),
    "fmi": Metric(lambda p: fmi(p.fused, p.foreground, p.background), "high", (0.0, 1.0)),
    "truth_psnr": Metric(
        lambda p: truth_psnr(p.fused, p.right_answer), "high", (-math.inf, math.inf)
    ),
    "truth_ssim": Metric(lambda p: truth_ssim(p.fused, p.right_answer), "high", (-1.0, 1.0)),
}

SETS: dict[str, tuple[str, ...]] = {
    "paper": ("chromaticity", "structure", "fmi"),
    "truth": ("truth_psnr", "truth_ssim"),
    "all": tuple(METRICS),
}
