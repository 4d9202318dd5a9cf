r"""Edge preservation: edges of the sources kept (`qabf`), and edges that neither has (`nabf`).

Both compare strength and angle of Sobel edges, by sigmoids of
:math:`G = \min(g_s, g_u) / \max(g_s, g_u)` for the strengths g of a source and of the fused
picture, and of the agreement A of their angles.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from osmofuse.errors import InputError
from osmofuse.filters import sobel
from osmofuse.metrics.grey_levels import mean_over_channels
from osmofuse.metrics.metric import Metric
from osmofuse.metrics.windows import sum_over_strips
from osmofuse.typing import FloatArray

# Ceiling, slope and middle of the sigmoids of strength and angle, from the two papers' programs.
QABF_STRENGTH, QABF_ANGLE = (0.9994, 15.0, 0.5), (0.9879, 22.0, 0.8)
NABF_STRENGTH, NABF_ANGLE = (0.9999, 19.0, 0.5), (0.9995, 22.0, 0.5)
# Kumar's weights: g^1.5 for edges of at least 2 grey levels, else a small constant.
THRESHOLD, LEAST_WEIGHT, POWER = 2.0, 0.001, 1.5


class Edges(NamedTuple):
    """Strength and angle of the edge at each pixel."""

    strength: FloatArray
    angle: FloatArray


def qabf(fused: FloatArray, foreground: FloatArray, background: FloatArray) -> float:
    r"""Return the share of the sources' edges that is kept, weighted by their strength.

    With Sobel's gradient in grey levels, zeros around the picture, g its length and a its angle,
    a source s keeps at a pixel

    .. math::

        Q^s = \frac{0.9994}{1 + e^{-15 (G - 0.5)}} \cdot \frac{0.9879}{1 + e^{-22 (A - 0.8)}},
        \qquad A = 1 - \frac{|a_s - a_u|}{\pi/2},

    and the value is :math:`\sum (Q^f g_f + Q^b g_b) / \sum (g_f + g_b)`
    (Xydeas and Petrović, Electronics Letters 36(4), 2000).

    Two conventions of the program that benchmarks use are kept: where the lengths are equal, G is
    that length and not 1; and angles are those of lines, :math:`\arctan(s_y/s_x)` with y upwards
    and x to the left, :math:`\pi/2` where :math:`s_x = 0`. There is no
    value if the sources have no edges in a channel, not even against the zeros around them.
    """
    return mean_over_channels(_qabf, fused, foreground, background)


def _qabf(*planes: FloatArray) -> float:
    kept, total = sum_over_strips(_kept_and_total, *planes, reach=1)
    if not total > 0:
        raise InputError("sources: no edges that could be kept")
    return float(kept / total)


def _kept_and_total(u: FloatArray, *sources: FloatArray) -> FloatArray:
    """Return two maps: the strength of the sources' edges that is kept, and all of it."""
    of_u = _lines(u)
    maps = np.zeros((2, *u.shape))
    for source in sources:
        g, a = _lines(source)
        angle = 1.0 - np.abs(a - of_u.angle) / (math.pi / 2.0)
        strength = _ratio(g, of_u.strength)
        maps[0] += _sigmoid(strength, *QABF_STRENGTH) * _sigmoid(angle, *QABF_ANGLE) * g
        maps[1] += g
    return maps


def _lines(x: FloatArray) -> Edges:
    """Return the edges of a plane with zeros around it; angles are those of lines."""
    down, right = sobel(x, border="zero")
    length = np.sqrt(down**2 + right**2)
    level = right == 0
    slope = np.divide(down, -right, out=np.zeros_like(down), where=~level)
    return Edges(length, np.where(level, math.pi / 2.0, np.arctan(slope)))


def _ratio(g: FloatArray, g_u: FloatArray) -> FloatArray:
    """Return the lesser length over the greater; where they are equal, the length itself."""
    differ = g != g_u
    return np.divide(np.minimum(g, g_u), np.maximum(g, g_u), out=g.copy(), where=differ)


def nabf(fused: FloatArray, foreground: FloatArray, background: FloatArray) -> float:
    r"""Return the share of fusion artifacts, edges that neither source has; in [0, 1].

    With Sobel's derivatives (divided by 8, borders mirrored about the outermost pixels) an edge
    has a strength g and an angle :math:`a = \arctan(g_{right}/g_{down})`. A source's edge is
    preserved by

    .. math::

        Q_s = \sqrt{\frac{0.9999}{1 + e^{-19 (G - 0.5)}} \cdot
                    \frac{0.9995}{1 + e^{-22 (A - 0.5)}}}, \qquad
        A = \frac{2}{\pi} \Big| |a_s - a_u| - \frac{\pi}{2} \Big|

    (G = 0 where one strength is 0, a = 0 where both derivatives are) and has the weight
    :math:`w_s = g_s^{1.5}` where :math:`g_s \ge 2` grey levels, else 0.001. Artifacts are where
    the fused picture's edge is stronger than both sources':

    .. math::

        \sum_{g_u > \max(g_f, g_b)} \big[(1 - Q_f)\, w_f + (1 - Q_b)\, w_b\big] \Big/
        \sum (w_f + w_b) .

    This is the definition of Kumar (Signal, Image and Video Processing 7, 2013), which corrects
    that of Petrović and Xydeas (2005): theirs sums :math:`(2 - Q_f - Q_b)(w_f + w_b)` and can
    exceed 1. The threshold of 2 is on grey levels of 255: programs that take pictures from 0 to 1
    give all pixels the same weight, and other numbers.
    """
    return mean_over_channels(_nabf, fused, foreground, background)


def _nabf(u: FloatArray, *sources: FloatArray) -> float:
    of_u, of_sources = _edges(u), [_edges(source) for source in sources]
    new = of_u.strength > np.maximum(*(source.strength for source in of_sources))
    lost = total = 0.0
    for source in of_sources:
        weight = np.where(source.strength >= THRESHOLD, source.strength**POWER, LEAST_WEIGHT)
        lost += float(((1.0 - _preservation(source, of_u)) * weight)[new].sum())
        total += float(weight.sum())
    return lost / total


def _edges(x: FloatArray) -> Edges:
    """Return the edges of a plane that is mirrored at its borders."""
    inside = slice(1, -1)
    down, right = (z[inside, inside] / 8.0 for z in sobel(np.pad(x, 1, mode="reflect")))
    level = down == 0.0
    slope = right / np.where(level, 1.0, down)
    angle = np.where(level, np.where(right == 0.0, 0.0, np.pi / 2.0), np.arctan(slope))
    # The sum of squares of 8-bit levels is exact: equal strengths compare equal.
    return Edges(np.sqrt(down * down + right * right), angle)


def _preservation(source: Edges, fused: Edges) -> FloatArray:
    weaker = np.minimum(source.strength, fused.strength)
    stronger = np.maximum(source.strength, fused.strength)
    strength = weaker / np.where(stronger > 0.0, stronger, 1.0)
    angle = np.abs(np.abs(source.angle - fused.angle) - np.pi / 2.0) * (2.0 / np.pi)
    return np.sqrt(_sigmoid(strength, *NABF_STRENGTH) * _sigmoid(angle, *NABF_ANGLE))


def _sigmoid(x: FloatArray, ceiling: float, slope: float, middle: float) -> FloatArray:
    return np.asarray(ceiling / (1.0 + np.exp(-slope * (x - middle))))


METRICS = {
    "qabf": Metric(
        lambda p: qabf(p.fused, p.foreground, p.background),
        better="high",
        range=(0.0, 1.0),
        definition="preservation of strength and angle of the sources' Sobel edges, with their "
        "strengths as weights; zeros around the pictures, and where both strengths are equal "
        "their ratio is that strength",
        channels="mean over them",
        source="Xydeas and Petrović, Electronics Letters 2000; conventions of VIFB",
        check="0.6698 for GFF on VIFB's carLight",
    ),
    "nabf": Metric(
        lambda p: nabf(p.fused, p.foreground, p.background),
        better="low",
        range=(0.0, 1.0),
        definition="fusion artifacts: loss of the sources' edges where the fused picture's edge "
        "is stronger than both, as a share of all edges",
        channels="mean over them",
        source="Kumar, SIViP 2013, after Petrović and Xydeas 2005",
        check="0 if the fused picture is one of the sources; "
        "0.0025 for direct matting of the paper's face pair",
    ),
}
