r"""Fusion artifacts: edges of the fused picture that neither source has.

With Sobel's derivatives (divided by 8, borders mirrored about the outermost pixels) an edge has a
strength g and an angle :math:`a = \arctan(g_{right}/g_{down})`. A source's edge is preserved by

.. math::

    G = \frac{\min(g_s, g_u)}{\max(g_s, g_u)}, \quad
    A = \frac{2}{\pi} \Big| |a_s - a_u| - \frac{\pi}{2} \Big|, \quad
    Q_s = \sqrt{\frac{0.9999}{1 + e^{-19 (G - 0.5)}} \cdot \frac{0.9995}{1 + e^{-22 (A - 0.5)}}}

(G = 0 where one strength is 0, a = 0 where both derivatives are) and weighs
:math:`w_s = g_s^{1.5}` where :math:`g_s \ge 2` grey levels, else 0.001. Artifacts are where the
fused picture's edge is stronger than both sources':

.. math::

    \mathrm{nabf} = \sum_{g_u > \max(g_f, g_b)} \big[(1 - Q_f)\, w_f + (1 - Q_b)\, w_b\big] \Big/
                    \sum (w_f + w_b) .

This is Kumar's (2013) change of the measure of Petrović and Xydeas (2005), which sums
:math:`(2 - Q_f - Q_b)(w_f + w_b)` and can exceed 1. The threshold of 2 is on grey levels of 255:
programs that feed pictures from 0 to 1 weigh all pixels alike, and give other numbers.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from osmofuse.filters import sobel
from osmofuse.metrics.grey_levels import mean_over_channels
from osmofuse.metrics.metric import Metric
from osmofuse.typing import FloatArray

THRESHOLD, LEAST_WEIGHT, POWER = 2.0, 0.001, 1.5
# Ceiling, slope and middle of the sigmoids of strength and angle.
STRENGTH, ANGLE = (0.9999, 19.0, 0.5), (0.9995, 22.0, 0.5)


class Edges(NamedTuple):
    """The edge at each pixel."""

    strength: FloatArray
    angle: FloatArray


def nabf(fused: FloatArray, foreground: FloatArray, background: FloatArray) -> float:
    """Return the part of the sources' edges that artifacts replace; less is better.

    Kumar, Multifocus and multispectral image fusion based on pixel significance using discrete
    cosine harmonic wavelet transform, Signal, Image and Video Processing 7, 2013.

    Parameters
    ----------
    fused, foreground, background : array, (rows, cols) or (rows, cols, channels)
        White at 1.0.

    Returns
    -------
    float
        In [0, 1]; 0 if no edge is stronger than in the sources. Channel by channel on grey
        levels of 255, then the mean.
    """
    return mean_over_channels(_plane, fused, foreground, background)


def _plane(u: FloatArray, f: FloatArray, b: FloatArray) -> float:
    of_u = _edges(u)
    lost, weights = 0.0, 0.0
    sources = [_edges(source) for source in (f, b)]
    new = of_u.strength > np.maximum(sources[0].strength, sources[1].strength)
    for source in sources:
        weight = _weight(source.strength)
        lost += float(((1.0 - _preservation(source, of_u)) * weight)[new].sum())
        weights += float(weight.sum())
    return lost / weights


def _edges(x: FloatArray) -> Edges:
    inside = slice(1, -1)
    down, right = (z[inside, inside] / 8.0 for z in sobel(np.pad(x, 1, mode="reflect")))
    level = down == 0.0
    slope = right / np.where(level, 1.0, down)
    angle = np.where(level, np.where(right == 0.0, 0.0, np.pi / 2.0), np.arctan(slope))
    # The sum of squares of 8-bit levels is exact: equal strengths are found equal.
    return Edges(np.sqrt(down * down + right * right), angle)


def _preservation(source: Edges, fused: Edges) -> FloatArray:
    weaker = np.minimum(source.strength, fused.strength)
    stronger = np.maximum(source.strength, fused.strength)
    strength = weaker / np.where(stronger > 0.0, stronger, 1.0)
    angle = np.abs(np.abs(source.angle - fused.angle) - np.pi / 2.0) * (2.0 / np.pi)
    return np.sqrt(_sigmoid(strength, *STRENGTH) * _sigmoid(angle, *ANGLE))


def _sigmoid(x: FloatArray, ceiling: float, slope: float, middle: float) -> FloatArray:
    return np.asarray(ceiling / (1.0 + np.exp(-slope * (x - middle))))


def _weight(strength: FloatArray) -> FloatArray:
    return np.where(strength >= THRESHOLD, strength**POWER, LEAST_WEIGHT)


METRIC = Metric(
    lambda p: nabf(p.fused, p.foreground, p.background),
    better="low",
    range=(0.0, 1.0),
    definition="fusion artifacts: what is not preserved of the sources' edges where the fused "
    "picture's edge is stronger than both, as a part of all edges",
    channels="mean over them",
    source="Kumar, SIViP 2013, after Petrović and Xydeas 2005",
    check="0 if the fused picture is one of the sources; "
    "0.0025 for direct matting of the paper's face pair",
)
