"""The standard deviation of the fused picture, which VIFB calls its variance."""

from __future__ import annotations

import math

from osmofuse.metrics.grey_levels import mean_over_channels
from osmofuse.metrics.metric import Metric
from osmofuse.typing import FloatArray


def variance(fused: FloatArray) -> float:
    """Return the standard deviation in grey levels: VIFB's "variance" is the root of one.

    Parameters
    ----------
    fused : array, (rows, cols) or (rows, cols, channels)
        White at 1.0. The mean over channels is returned.
    """
    return mean_over_channels(lambda u: float(u.std()), fused)


METRIC = Metric(
    lambda p: variance(p.fused),
    better="high",
    range=(0.0, math.inf),
    definition="standard deviation of the fused picture in grey levels (the name is VIFB's)",
    channels="mean over them",
    source="Rao, Measurement Science and Technology 1997; conventions of VIFB",
    check="51.682 for GFF on VIFB's carLight",
)
