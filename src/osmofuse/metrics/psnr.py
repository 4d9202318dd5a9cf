"""The peak signal-to-noise ratio that VIFB computes from its error."""

from __future__ import annotations

import math

from osmofuse.metrics.grey_levels import mean_over_channels
from osmofuse.metrics.metric import Metric
from osmofuse.metrics.rmse import error_of_planes
from osmofuse.typing import FloatArray


def psnr(fused: FloatArray, foreground: FloatArray, background: FloatArray) -> float:
    r"""Return :math:`20 \log_{10}(255 / \sqrt e)` in decibels, with e the value of `rmse`.

    That is VIFB's formula: e stands in the place of a mean square, which it is not, so values
    are far higher than those of the usual ratio, and grow with the picture. Against a truth,
    `truth_psnr` is the usual one. Equal pictures give infinity.

    Parameters
    ----------
    fused, foreground, background : array, (rows, cols) or (rows, cols, channels)
        White at 1.0. A source of one band goes with every channel; the mean over channels is
        returned.
    """
    return mean_over_channels(_decibels, fused, foreground, background)


def _decibels(*planes: FloatArray) -> float:
    error = error_of_planes(*planes)
    return 20.0 * math.log10(255.0 / math.sqrt(error)) if error > 0 else math.inf


METRIC = Metric(
    lambda p: psnr(p.fused, p.foreground, p.background),
    better="high",
    range=(-math.inf, math.inf),
    definition="20 log10(255/sqrt(e)) in dB, with e the value of rmse above (not a mean square)",
    channels="mean over them",
    source="Jagalingam and Hegde, Aquatic Procedia 2015, as VIFB computes it",
    check="59.407 for GFF on VIFB's carLight",
)
