"""Entropy of the fused picture."""

from __future__ import annotations

import numpy as np

from osmofuse.metrics.grey_levels import counts, mean_over_channels
from osmofuse.metrics.metric import Metric
from osmofuse.typing import FloatArray


def entropy(fused: FloatArray) -> float:
    r"""Return :math:`-\sum_k p_k \log_2 p_k` of the 256 grey levels, in bits.

    A level counts what lies between it and the next. Noise counts as information, too.

    Parameters
    ----------
    fused : array, (rows, cols) or (rows, cols, channels)
        White at 1.0. The mean over channels is returned.
    """
    return mean_over_channels(_entropy, fused)


def _entropy(u: FloatArray) -> float:
    p = counts(u) / u.size
    p = p[p > 0]
    return abs(float((p * np.log2(p)).sum()))


METRIC = Metric(
    lambda p: entropy(p.fused),
    better="high",
    range=(0.0, 8.0),
    definition="entropy of the fused picture's 256 grey levels, in bits",
    channels="mean over them",
    source="van Aardt, Journal of Applied Remote Sensing 2008; conventions of VIFB",
    check="7.5117 for GFF on VIFB's carLight",
)
