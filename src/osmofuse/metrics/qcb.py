r"""How well local contrast as an eye sees it is kept (Chen and Blum 2009).

Each picture is stretched from 0 to 255 and rounded, and filtered by the sensitivity of the eye at
r cycles per 30 half pictures, :math:`e^{-(r/15.387)^2} - 0.7622\, e^{-(r/1.3456)^2}`. Its
contrast is :math:`C = |G_2 * x / G_4 * x - 1|`, with Gaussians of 2 and 4 pixels, cut off after
15, and zeros around the picture; masked, :math:`P = C^3/(C^2 + 0.0001)`. Of each source s

.. math::

    Q = \frac{P_f^2 Q_f + P_b^2 Q_b}{P_f^2 + P_b^2}, \qquad
    Q_s = \frac{\min(P_s, P_u)}{\max(P_s, P_u)},

and the value is the mean of Q over the pixels. Where two contrasts are 0, nothing was lost and
their ratio is 1; where neither source has any, both count alike.
"""

from __future__ import annotations

import math
from functools import partial

import numpy as np

from osmofuse.filters import gaussian
from osmofuse.metrics.grey_levels import mean_over_channels, stretched
from osmofuse.metrics.metric import Metric
from osmofuse.metrics.spectrum import filter_by_response, frequencies
from osmofuse.metrics.strips import sum_over_strips
from osmofuse.typing import FloatArray

SIGMAS = (2.0, 4.0)
RADIUS = 15


def qcb(fused: FloatArray, foreground: FloatArray, background: FloatArray) -> float:
    """Return how much of the sources' visible contrast is kept.

    Parameters
    ----------
    fused, foreground, background : array, (rows, cols) or (rows, cols, channels)
        White at 1.0. A source of one band goes with every channel; the mean over channels is
        returned.
    """
    contrast = partial(_contrast, _sensitivity(frequencies(fused.shape[:2])))
    return mean_over_channels(_qcb, fused, foreground, background, prepare=contrast)


def _qcb(*contrasts: FloatArray) -> float:
    return float(sum_over_strips(_quality, *contrasts)) / contrasts[0].size


def _contrast(sensitivity: FloatArray, x: FloatArray) -> FloatArray:
    """Return the masked contrast of a plane."""
    seen = filter_by_response(stretched(x), sensitivity)
    near, far = (gaussian(seen, sigma, radius=RADIUS, border="zero") for sigma in SIGMAS)
    near *= _mass(SIGMAS[0]) / _mass(SIGMAS[1])
    near[far == 0] = far[far == 0] = 1.0
    near /= far
    near -= 1.0
    contrast, square = np.abs(near, out=near), np.square(near, out=far)
    contrast *= square
    square += 0.0001
    contrast /= square
    return contrast


def _sensitivity(frequency: FloatArray) -> FloatArray:
    square = (frequency / 15.0) ** 2
    return np.asarray(np.exp(square / -(15.3870**2)) - 0.7622 * np.exp(square / -(1.3456**2)))


def _mass(sigma: float) -> float:
    """Return the sum of a Gaussian that is cut off, and not normalised for that."""
    t = np.arange(-RADIUS, RADIUS + 1)
    return float(np.exp(-(t**2) / (2.0 * sigma**2)).sum() ** 2) / (2.0 * math.pi * sigma**2)


def _quality(p_u: FloatArray, *sources: FloatArray) -> FloatArray:
    """Return the quality of each pixel from the masked contrasts."""
    kept, weights = np.zeros_like(p_u), np.zeros_like(p_u)
    silent = np.all([p == 0 for p in sources], axis=0)
    for p in sources:
        greater = np.maximum(p, p_u)
        ratio = np.divide(np.minimum(p, p_u), greater, out=np.ones_like(p), where=greater > 0)
        weight = np.where(silent, 1.0, p * p)
        kept += weight * ratio
        weights += weight
    return np.asarray(kept / weights)


METRIC = Metric(
    lambda p: qcb(p.fused, p.foreground, p.background),
    better="high",
    range=(0.0, 1.0),
    definition="mean ratio of local contrasts of sources and fused picture, as an eye sees them, "
    "weighted by the sources' squared contrasts; pictures stretched from 0 to 255 first",
    channels="mean over them",
    source="Chen and Blum, Image and Vision Computing 2009; conventions of VIFB",
    check="0.65143 for GFF on VIFB's carLight",
)
