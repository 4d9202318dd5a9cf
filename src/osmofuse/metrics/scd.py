r"""The sum of the correlations of differences.

What remains of the fused picture when a source is taken away should be the other source:

.. math::

    \mathrm{scd} = \operatorname{corr}(u - b, f) + \operatorname{corr}(u - f, b)

with the correlation over all pixels of a channel. A correlation with something flat, which has no
value in the paper, is 0 here: for u = b nothing of f has come through.
"""

from __future__ import annotations

import numpy as np

from osmofuse.metrics.grey_levels import mean_over_channels, rounding_in
from osmofuse.metrics.metric import Metric
from osmofuse.typing import FloatArray


def scd(fused: FloatArray, foreground: FloatArray, background: FloatArray) -> float:
    """Return the sum of the correlations of differences.

    Aslantas and Bendes, AEÜ 69(12), 2015, doi:10.1016/j.aeue.2015.09.004.

    Parameters
    ----------
    fused, foreground, background : array, (rows, cols) or (rows, cols, channels)
        White at 1.0.

    Returns
    -------
    float
        In [-2, 2]; 2 if the fused picture is the sum of two sources, 0 if all are flat.
        Channel by channel, then the mean.
    """
    return mean_over_channels(_plane, fused, foreground, background)


def _plane(u: FloatArray, f: FloatArray, b: FloatArray) -> float:
    return _correlation(u - b, f, rounding_in(u, b)) + _correlation(u - f, b, rounding_in(u, f))


def _correlation(x: FloatArray, y: FloatArray, flat: float) -> float:
    """Return the correlation of two planes; 0 if x deviates by at most `flat`, or y is flat."""
    level = rounding_in(y)
    x, y = x - x.mean(), y - y.mean()
    deviation_x, deviation_y = (float(np.sqrt(np.mean(z * z))) for z in (x, y))
    if deviation_x <= flat or deviation_y <= level:
        return 0.0
    c = float(np.mean(x * y)) / (deviation_x * deviation_y)
    return min(max(c, -1.0), 1.0)


METRIC = Metric(
    lambda p: scd(p.fused, p.foreground, p.background),
    better="high",
    range=(-2.0, 2.0),
    definition="corr(u - b, f) + corr(u - f, b), 0 for a correlation with something flat",
    channels="mean over them",
    source="Aslantas and Bendes, AEÜ 2015",
    check="2 for the sum of both sources; 1.018 for direct matting of the paper's face pair",
)
