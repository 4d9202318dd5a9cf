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


METRICS: dict[str, Metric] = {
    "chromaticity": Metric(
        lambda p: chromaticity_error(p.fused, p.foreground),
        better="low",
        range=(0.0, math.inf),
        definition="mean absolute difference of the chromaticities z/GCM(z) of the fused picture "
        "and of the foreground, one grey level of 255 added to both",
        channels="needs three; mean over them",
        source="Parisotto et al., IEEE TIP 2020, Table I",
        check="0.0178 for direct matting of the paper's face pair",
    ),
    "structure": Metric(
        lambda p: structure_score(p.fused, p.foreground, p.background, p.alpha),
        better="high",
        range=(-math.inf, 1.0),
        definition="how far the local correlation with the background rose where alpha is below 1, "
        "from the foreground's (0) towards the background's own (1)",
        channels="those in which the background has structure, together",
        source="osmofuse",
        check="0 for the foreground itself",
    ),
    "fmi": Metric(
        lambda p: fmi(p.fused, p.foreground, p.background),
        better="high",
        range=(0.0, 1.0),
        definition="feature mutual information of edges in windows of 3 by 3",
        channels="mean over them",
        source="Haghighat and Razian, AICT 2014",
        check="0.895 for direct matting of the paper's face pair",
    ),
    "truth_psnr": Metric(
        lambda p: truth_psnr(p.fused, p.right_answer),
        better="high",
        range=(-math.inf, math.inf),
        definition="peak signal-to-noise ratio against the truth, in dB, white at 1",
        channels="one mean square over all",
        source="common use",
        check="20 dB for a difference of 0.1 everywhere",
    ),
    "truth_ssim": Metric(
        lambda p: truth_ssim(p.fused, p.right_answer),
        better="high",
        range=(-1.0, 1.0),
        definition="structural similarity to the truth: Gaussian window 11 by 11, sigma 1.5, "
        "K = (0.01, 0.03), inside only",
        channels="mean over them",
        source="Wang et al., IEEE TIP 2004",
        check="1 for the truth itself",
    ),
}

SETS: dict[str, tuple[str, ...]] = {
    "paper": ("chromaticity", "structure", "fmi"),
    "truth": ("truth_psnr", "truth_ssim"),
    "all": tuple(METRICS),
}
