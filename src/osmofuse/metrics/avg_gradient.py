"""Average gradient of the fused picture."""

from __future__ import annotations

import math

import numpy as np

from osmofuse.errors import InputError
from osmofuse.metrics.grey_levels import mean_over_channels
from osmofuse.metrics.metric import Metric
from osmofuse.metrics.strips import sum_over_strips
from osmofuse.typing import FloatArray


def avg_gradient(fused: FloatArray) -> float:
    r"""Return :math:`\sum \sqrt{(g_r^2 + g_c^2)/2} \,/\, ((rows - 1)(cols - 1))` in grey levels.

    The gradient is of centred differences, one-sided at the borders; the sum is over all
    pixels.

    Parameters
    ----------
    fused : array, (rows, cols) or (rows, cols, channels)
        White at 1.0. The mean over channels is returned.

    Raises
    ------
    InputError
        There are fewer than two rows or columns.
    """
    if min(fused.shape[:2]) < 2:
        raise InputError("fused: needs 2 pixels in both directions")
    return mean_over_channels(_avg_gradient, fused)


def _avg_gradient(u: FloatArray) -> float:
    rows, cols = u.shape
    total = float(sum_over_strips(_length, u, reach=1))
    return total / float((rows - 1) * (cols - 1))


def _length(u: FloatArray) -> FloatArray:
    down, right = np.gradient(u)
    return np.asarray(np.sqrt((down**2 + right**2) / 2.0))


METRIC = Metric(
    lambda p: avg_gradient(p.fused),
    better="high",
    range=(0.0, math.inf),
    definition="sum of the lengths of the fused picture's gradient, over the root of 2, divided by "
    "(rows - 1)(cols - 1); centred differences, one-sided at borders",
    channels="mean over them",
    source="Cui et al., Optics Communications 2015; conventions of VIFB",
    check="2.3055 for GFF on VIFB's carLight",
)
