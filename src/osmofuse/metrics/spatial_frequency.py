"""Spatial frequency of the fused picture."""

from __future__ import annotations

import math

import numpy as np

from osmofuse.metrics.grey_levels import in_levels
from osmofuse.metrics.metric import Metric
from osmofuse.pixels import bands_of
from osmofuse.typing import FloatArray


def spatial_frequency(fused: FloatArray) -> float:
    r"""Return the root of the mean squared differences along rows and columns, added.

    .. math::

        \sqrt{\frac{\sum (u_{i,j} - u_{i,j-1})^2 + \sum (u_{i,j} - u_{i-1,j})^2}{n}}

    in grey levels, with n the number of all samples, though there are fewer differences. As in
    VIFB, the channels lie side by side in one plane: in each row, the last sample of a channel
    is also compared with the first of the next.

    Parameters
    ----------
    fused : array, (rows, cols) or (rows, cols, channels)
        White at 1.0.
    """
    squares, last = 0.0, None
    for c in range(bands_of(fused)):
        u = in_levels(fused, c)
        squares += _squares(np.diff(u, axis=1)) + _squares(np.diff(u, axis=0))
        squares += 0.0 if last is None else _squares(u[:, 0] - last)
        last = u[:, -1]
    return math.sqrt(squares / fused.size)


def _squares(x: FloatArray) -> float:
    return float(np.square(x, out=x).sum())


METRIC = Metric(
    lambda p: spatial_frequency(p.fused),
    better="high",
    range=(0.0, math.inf),
    definition="root of the sum of squared first differences along rows and columns of the fused "
    "picture, divided by the number of samples",
    channels="side by side in one plane, with a difference across each seam",
    source="Eskicioglu and Fisher, IEEE Transactions on Communications 1995; conventions of VIFB",
    check="10.368 for GFF on VIFB's carLight",
)
