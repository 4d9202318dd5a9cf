"""Peak signal-to-noise ratio against a truth."""

from __future__ import annotations

import math

import numpy as np

from osmofuse.metrics.metric import Metric
from osmofuse.typing import FloatArray


def truth_psnr(fused: FloatArray, truth: FloatArray) -> float:
    r"""Return :math:`-10 \log_{10} \overline{(u - t)^2}` in decibels, white at 1.0.

    The mean is over pixels and channels together; equal pictures give infinity.
    """
    error = float(np.mean((np.asarray(fused, np.float64) - truth) ** 2))
    return -10.0 * math.log10(error) if error > 0 else math.inf


METRIC = Metric(
    lambda p: truth_psnr(p.fused, p.right_answer),
    better="high",
    range=(-math.inf, math.inf),
    definition="peak signal-to-noise ratio against the truth, in dB, white at 1",
    channels="one mean square over all",
    source="common use",
    check="20 dB for a difference of 0.1 everywhere",
)
