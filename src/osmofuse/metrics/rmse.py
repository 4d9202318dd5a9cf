"""The error that VIFB calls a root mean square, and is none."""

from __future__ import annotations

import math

from osmofuse.metrics.grey_levels import mean_over_channels
from osmofuse.metrics.metric import Metric
from osmofuse.metrics.strips import sum_over_strips
from osmofuse.typing import FloatArray


def rmse(fused: FloatArray, foreground: FloatArray, background: FloatArray) -> float:
    r"""Return the mean over the sources s of :math:`\sqrt{\sum (s - u)^2} / n`, n pixels.

    That is VIFB's formula. The root is taken before the mean, so the value sinks with the
    picture's size: it is the root mean square in grey levels, divided by :math:`\sqrt n`.

    Parameters
    ----------
    fused, foreground, background : array, (rows, cols) or (rows, cols, channels)
        White at 1.0. A source of one band goes with every channel; the mean over channels is
        returned.
    """
    return mean_over_channels(error_of_planes, fused, foreground, background)


def error_of_planes(u: FloatArray, *sources: FloatArray) -> float:
    """Return the value of one channel, from planes in grey levels."""
    squares = [float(sum_over_strips(lambda x, y: (x - y) ** 2, s, u)) for s in sources]
    return math.fsum(math.sqrt(square) / u.size for square in squares) / len(sources)


METRIC = Metric(
    lambda p: rmse(p.fused, p.foreground, p.background),
    better="low",
    range=(0.0, math.inf),
    definition="mean over the sources of the root of the sum of squared differences in grey "
    "levels, divided by the number of pixels (not a root mean square)",
    channels="mean over them",
    source="Jagalingam and Hegde, Aquatic Procedia 2015, as VIFB computes it",
    check="0.074542 for GFF on VIFB's carLight",
)
