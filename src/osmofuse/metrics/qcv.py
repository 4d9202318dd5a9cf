r"""How visible the differences to the sources are where these have edges (Chen and Varshney 2007).

Each picture is stretched from 0 to 255 and rounded. In blocks of 16 × 16 pixels, filled up with
zeros at the end, a source weighs :math:`\lambda = \sum g^5`, with g the length of Sobel's
gradient, zeros around the picture. Its difference from the fused picture is filtered by the
sensitivity of the eye at r cycles per 8 half pictures,
:math:`2.6\,(0.0192 + 0.144 r)\, e^{-(0.144 r)^{1.1}}`; D is the mean square of that in a block:

.. math::

    \frac{\sum (\lambda_f D_f + \lambda_b D_b)}{\sum (\lambda_f + \lambda_b)} .
"""

from __future__ import annotations

import math
from functools import partial

import numpy as np

from osmofuse.errors import InputError
from osmofuse.filters import sobel
from osmofuse.metrics.grey_levels import mean_over_channels, stretched
from osmofuse.metrics.metric import Metric
from osmofuse.metrics.spectrum import filter_by_response, frequencies
from osmofuse.typing import FloatArray

BLOCK = 16


def qcv(fused: FloatArray, foreground: FloatArray, background: FloatArray) -> float:
    """Return how visible the differences to the sources are at their edges.

    Parameters
    ----------
    fused, foreground, background : array, (rows, cols) or (rows, cols, channels)
        White at 1.0. A source of one band goes with every channel; the mean over channels is
        returned.

    Raises
    ------
    InputError
        In a channel neither source has edges.
    """
    sensitivity = _sensitivity(frequencies(fused.shape[:2]))
    return mean_over_channels(
        partial(_qcv, sensitivity), fused, foreground, background, prepare=stretched
    )


def _qcv(sensitivity: FloatArray, u: FloatArray, *sources: FloatArray) -> float:
    seen = weights = 0.0
    for source in sources:
        weight = _block_sums(_saliency(source))
        difference = filter_by_response(source - u, sensitivity)
        visible = _block_sums(np.square(difference, out=difference)) / BLOCK**2
        seen += float((weight * visible).sum())
        weights += float(weight.sum())
    if not weights > 0:
        raise InputError("sources: no edges at which differences could be seen")
    return seen / weights


def _saliency(x: FloatArray) -> FloatArray:
    down, right = sobel(x, border="zero")
    square = np.square(down, out=down)
    square += np.square(right, out=right)
    length = np.sqrt(square, out=right)
    length *= square
    length *= square
    return length


def _sensitivity(frequency: FloatArray) -> FloatArray:
    t = (0.144 / 4.0) * frequency
    return np.asarray(2.6 * (0.0192 + t) * np.exp(-(t**1.1)))


def _block_sums(x: FloatArray) -> FloatArray:
    rows, cols = (range(0, n, BLOCK) for n in x.shape)
    return np.asarray(np.add.reduceat(np.add.reduceat(x, rows, axis=0), cols, axis=1))


METRIC = Metric(
    lambda p: qcv(p.fused, p.foreground, p.background),
    better="low",
    range=(0.0, math.inf),
    definition="mean square of the visible difference between fused picture and sources, weighted "
    "by the fifth powers of the sources' Sobel gradients in blocks of 16 by 16; pictures stretched "
    "from 0 to 255 first",
    channels="mean over them",
    source="Chen and Varshney, Information Fusion 2007; conventions of VIFB",
    check="1573.1 for GFF on VIFB's carLight",
)
