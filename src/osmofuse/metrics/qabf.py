r"""How well edges of the sources are kept in the fused picture (Xydeas and Petrović 2000).

With Sobel's gradient of each picture in grey levels, zeros around it, g its length and a its
angle, a source s keeps at a pixel

.. math::

    Q^s = \frac{0.9994}{1 + e^{-15 (G - 0.5)}} \cdot \frac{0.9879}{1 + e^{-22 (A - 0.8)}},
    \qquad G = \frac{\min(g_s, g_u)}{\max(g_s, g_u)},
    \quad A = 1 - \frac{|a_s - a_u|}{\pi/2},

and the value is :math:`\sum (Q^f g_f + Q^b g_b) / \sum (g_f + g_b)`.

Two conventions of the program that benchmarks use are kept: where the lengths are equal, G is
that length and not 1; and angles are those of lines, :math:`\arctan(s_y/s_x)` with y upwards
and x to the left, :math:`\pi/2` where :math:`s_x = 0`.
"""

from __future__ import annotations

import math

import numpy as np

from osmofuse.errors import InputError
from osmofuse.filters import sobel
from osmofuse.metrics.grey_levels import mean_over_channels
from osmofuse.metrics.metric import Metric
from osmofuse.metrics.strips import sum_over_strips
from osmofuse.typing import FloatArray


def qabf(fused: FloatArray, foreground: FloatArray, background: FloatArray) -> float:
    """Return how much of the sources' edges is kept, weighted by their strength.

    Parameters
    ----------
    fused, foreground, background : array, (rows, cols) or (rows, cols, channels)
        White at 1.0. A source of one band goes with every channel; the mean over channels is
        returned.

    Raises
    ------
    InputError
        The sources have no edges in a channel, not even against the zeros around them.
    """
    return mean_over_channels(_qabf, fused, foreground, background)


def _qabf(*planes: FloatArray) -> float:
    kept, there = sum_over_strips(_kept, *planes, reach=1)
    if not there > 0:
        raise InputError("sources: no edges that could be kept")
    return float(kept / there)


def _kept(u: FloatArray, *sources: FloatArray) -> FloatArray:
    """Return the maps of what is kept and of what is there."""
    g_u, a_u = _edges(u)
    maps = np.zeros((2, *u.shape))
    for source in sources:
        g, a = _edges(source)
        maps[0] += _quality(_ratio(g, g_u), 1.0 - np.abs(a - a_u) / (math.pi / 2.0)) * g
        maps[1] += g
    return maps


def _edges(x: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return length and angle of Sobel's gradient."""
    down, right = sobel(x, border="zero")
    length = np.sqrt(down**2 + right**2)
    level = right == 0
    slope = np.divide(down, -right, out=np.zeros_like(down), where=~level)
    return length, np.where(level, math.pi / 2.0, np.arctan(slope))


def _ratio(g: FloatArray, g_u: FloatArray) -> FloatArray:
    """Return the lesser length over the greater; where they are equal, the length itself."""
    differ = g != g_u
    return np.divide(np.minimum(g, g_u), np.maximum(g, g_u), out=g.copy(), where=differ)


def _quality(strength: FloatArray, angle: FloatArray) -> FloatArray:
    by_strength = 0.9994 / (1.0 + np.exp(-15.0 * (strength - 0.5)))
    by_angle = 0.9879 / (1.0 + np.exp(-22.0 * (angle - 0.8)))
    return np.asarray(by_strength * by_angle)


METRIC = Metric(
    lambda p: qabf(p.fused, p.foreground, p.background),
    better="high",
    range=(0.0, 1.0),
    definition="how well strength and angle of the sources' Sobel edges are kept, with their "
    "strengths as weights; zeros around the pictures, and where both strengths are equal their "
    "ratio is that strength",
    channels="mean over them",
    source="Xydeas and Petrović, Electronics Letters 2000; conventions of VIFB",
    check="0.6698 for GFF on VIFB's carLight",
)
