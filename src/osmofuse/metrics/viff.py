r"""Visual information fidelity for fusion.

At each window of each scale of :mod:`osmofuse.metrics.visual_information` the source whose gain
towards the fused picture is smaller speaks (the background where they are equal). With I and J of
that source,

.. math::

    F_k = \frac{\sum (J + c)}{\sum (I + c)}, \qquad
    \mathrm{viff} = \frac{F_1 + 0\,F_2 + 0.15\,F_3 + F_4}{2.15}

for the scales from fine to coarse, with logarithms to base 10 and :math:`c = 10^{-7}`; the eye's
noise has variance 0.005 · 255². These numbers are those of the authors' program.
"""

from __future__ import annotations

import math

import numpy as np

from osmofuse.metrics.grey_levels import mean_over_channels
from osmofuse.metrics.metric import Metric
from osmofuse.metrics.visual_information import SIDE, scales
from osmofuse.typing import FloatArray

EYE = 0.005 * 255.0**2
WEIGHTS = tuple(weight / 2.15 for weight in (1.0, 0.0, 0.15, 1.0))
_SMALL = 1e-7 * math.log(10.0)  # added to logarithms to base e


def viff(fused: FloatArray, foreground: FloatArray, background: FloatArray) -> float:
    """Return the visual information fidelity for fusion.

    Han, Cai, Cao and Xu, Information Fusion 14(2), 2013, pages 127 to 135.

    Parameters
    ----------
    fused, foreground, background : array, (rows, cols) or (rows, cols, channels)
        White at 1.0; 41 pixels at least in both directions.

    Returns
    -------
    float
        From 0; 1 if both sources are the fused picture itself, and if all are flat. Channel by
        channel on grey levels of 255, then the mean; the authors take the lightness of CIELAB
        instead.

    Raises
    ------
    InputError
        The pictures are too small.
    """
    return mean_over_channels(_plane, fused, foreground, background, side=SIDE)


def _plane(u: FloatArray, f: FloatArray, b: FloatArray) -> float:
    value = 0.0
    for weight, of_f, of_b in zip(WEIGHTS, scales(f, u, EYE), scales(b, u, EYE), strict=True):
        speaks = of_f.gain < of_b.gain
        kept = np.where(speaks, of_f.kept, of_b.kept) + _SMALL
        whole = np.where(speaks, of_f.whole, of_b.whole) + _SMALL
        value += weight * float(kept.sum()) / float(whole.sum())
    return value


METRIC = Metric(
    lambda p: viff(p.fused, p.foreground, p.background),
    better="high",
    range=(0.0, math.inf),
    definition="visual information fidelity for fusion: in each window the source with the smaller "
    "gain, four scales weighted 1, 0, 0.15, 1, variance of the eye's noise 0.005 · 255²",
    channels="mean over them (the authors: lightness)",
    source="Han et al., Information Fusion 2013",
    check="1 if both sources are the fused picture; "
    "0.319 for direct matting of the paper's face pair",
)
