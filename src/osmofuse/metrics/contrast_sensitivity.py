r"""Metrics with the contrast sensitivity of the eye: `qcb` and `qcv`.

Each picture is stretched to 0..255 and rounded, then filtered by the sensitivity of the eye, a
function of the frequency in cycles per picture.
"""

from __future__ import annotations

import math
from functools import partial

import numpy as np

from osmofuse.errors import InputError
from osmofuse.filters import gaussian, sobel
from osmofuse.metrics.grey_levels import mean_over_channels, stretched
from osmofuse.metrics.metric import Metric
from osmofuse.metrics.windows import sum_over_strips
from osmofuse.typing import FloatArray

# Constants of Chen and Blum's program: window deviations, radius, and the floor of the masking.
SIGMAS, QCB_RADIUS, MASKING = (2.0, 4.0), 15, 0.0001
REGION = 16  # side of the regions of Chen and Varshney, in pixels


def qcb(fused: FloatArray, foreground: FloatArray, background: FloatArray) -> float:
    r"""Return how much of the sources' visible contrast is kept.

    The definition is that of Chen and Blum (2009). The sensitivity at r cycles per 30 half
    pictures is :math:`e^{-(r/15.387)^2} - 0.7622\, e^{-(r/1.3456)^2}`. The contrast of the
    filtered picture is :math:`C = |G_2 * x / G_4 * x - 1|`, with Gaussians of 2 and 4 pixels, cut
    off after 15, and zeros around the picture; masked, it is :math:`P = C^3/(C^2 + 0.0001)`. The
    value is the mean over the pixels of

    .. math::

        Q = \frac{P_f^2 Q_f + P_b^2 Q_b}{P_f^2 + P_b^2}, \qquad
        Q_s = \frac{\min(P_s, P_u)}{\max(P_s, P_u)} .

    Where two contrasts are 0, their ratio is 1; where both sources have contrast 0, they have
    equal weights.
    """
    contrast = partial(_contrast, _sensitivity_qcb(frequencies(fused.shape[:2])))
    return mean_over_channels(_qcb, fused, foreground, background, prepare=contrast)


def _qcb(*contrasts: FloatArray) -> float:
    return float(sum_over_strips(_kept_contrast, *contrasts)) / contrasts[0].size


def _contrast(sensitivity: FloatArray, x: FloatArray) -> FloatArray:
    """Return the masked contrast of a plane."""
    seen = filter_by_response(stretched(x), sensitivity)
    near, far = (gaussian(seen, sigma, radius=QCB_RADIUS, border="zero") for sigma in SIGMAS)
    near *= _mass(SIGMAS[0]) / _mass(SIGMAS[1])
    near[far == 0] = far[far == 0] = 1.0
    near /= far
    near -= 1.0
    contrast, square = np.abs(near, out=near), np.square(near, out=far)
    contrast *= square
    square += MASKING
    contrast /= square
    return contrast


def _sensitivity_qcb(frequency: FloatArray) -> FloatArray:
    square = (frequency / 15.0) ** 2
    return np.asarray(np.exp(square / -(15.3870**2)) - 0.7622 * np.exp(square / -(1.3456**2)))


def _mass(sigma: float) -> float:
    """Return the sum of a Gaussian that is cut off without being normalised again."""
    t = np.arange(-QCB_RADIUS, QCB_RADIUS + 1)
    return float(np.exp(-(t**2) / (2.0 * sigma**2)).sum() ** 2) / (2.0 * math.pi * sigma**2)


def _kept_contrast(p_u: FloatArray, *sources: FloatArray) -> FloatArray:
    """Return the quality Q of each pixel from the masked contrasts."""
    kept, weights = np.zeros_like(p_u), np.zeros_like(p_u)
    flat = np.all([p == 0 for p in sources], axis=0)
    for p in sources:
        greater = np.maximum(p, p_u)
        ratio = np.divide(np.minimum(p, p_u), greater, out=np.ones_like(p), where=greater > 0)
        weight = np.where(flat, 1.0, p * p)
        kept += weight * ratio
        weights += weight
    return np.asarray(kept / weights)


def qcv(fused: FloatArray, foreground: FloatArray, background: FloatArray) -> float:
    r"""Return the visible differences to the sources, weighted by the sources' edges.

    The definition is that of Chen and Varshney (2007). In blocks of 16 × 16 pixels, padded with
    zeros at the end, a source has the weight :math:`\lambda = \sum g^5`, with g the length of
    Sobel's gradient, zeros around the picture. Its difference from the fused picture is filtered by
    the sensitivity at r cycles per 8 half pictures,
    :math:`2.6\,(0.0192 + 0.144 r)\, e^{-(0.144 r)^{1.1}}`; D is the mean square of that in a block.
    The value is

    .. math::

        \frac{\sum (\lambda_f D_f + \lambda_b D_b)}{\sum (\lambda_f + \lambda_b)} .

    There is none if in a channel neither source has edges.
    """
    local = partial(_qcv, _sensitivity_qcv(frequencies(fused.shape[:2])))
    return mean_over_channels(local, fused, foreground, background, prepare=stretched)


def _qcv(sensitivity: FloatArray, u: FloatArray, *sources: FloatArray) -> float:
    seen = weights = 0.0
    for source in sources:
        weight = _block_sums(_saliency(source))
        difference = filter_by_response(source - u, sensitivity)
        visible = _block_sums(np.square(difference, out=difference)) / REGION**2
        seen += float((weight * visible).sum())
        weights += float(weight.sum())
    if not weights > 0:
        raise InputError("sources: no edges at which differences could be seen")
    return seen / weights


def _saliency(x: FloatArray) -> FloatArray:
    """Return the fifth power of the length of Sobel's gradient."""
    down, right = sobel(x, border="zero")
    square = np.square(down, out=down)
    square += np.square(right, out=right)
    length = np.sqrt(square, out=right)
    length *= square
    length *= square
    return length


def _sensitivity_qcv(frequency: FloatArray) -> FloatArray:
    t = (0.144 / 4.0) * frequency
    return np.asarray(2.6 * (0.0192 + t) * np.exp(-(t**1.1)))


def _block_sums(x: FloatArray) -> FloatArray:
    rows, cols = (range(0, n, REGION) for n in x.shape)
    return np.asarray(np.add.reduceat(np.add.reduceat(x, rows, axis=0), cols, axis=1))


def frequencies(shape: tuple[int, ...]) -> FloatArray:
    """Return a plane's frequencies in cycles per picture, for its real spectrum."""
    from scipy.fft import fftfreq, rfftfreq

    rows, cols = shape
    down, across = rows * fftfreq(rows), cols * rfftfreq(cols)
    return np.asarray(np.hypot(down[:, np.newaxis], across))


def filter_by_response(x: FloatArray, response: FloatArray) -> FloatArray:
    """Multiply the spectrum of a plane, taken as periodic, by the response at `frequencies`."""
    from scipy.fft import irfft2, rfft2

    spectrum = rfft2(x)
    spectrum *= response
    return np.asarray(irfft2(spectrum, x.shape, overwrite_x=True))


METRICS = {
    "qcb": Metric(
        lambda p: qcb(p.fused, p.foreground, p.background),
        better="high",
        range=(0.0, 1.0),
        definition="mean ratio of local contrasts of sources and fused picture, as an eye sees "
        "them, weighted by the sources' squared contrasts; pictures stretched to 0..255 first",
        channels="mean over them",
        source="Chen and Blum, Image and Vision Computing 2009; conventions of VIFB",
        check="0.65143 for GFF on VIFB's carLight",
    ),
    "qcv": Metric(
        lambda p: qcv(p.fused, p.foreground, p.background),
        better="low",
        range=(0.0, math.inf),
        definition="mean square of the visible difference between fused picture and sources, "
        "weighted by the fifth powers of the sources' Sobel gradients in blocks of 16 by 16; "
        "pictures stretched to 0..255 first",
        channels="mean over them",
        source="Chen and Varshney, Information Fusion 2007; conventions of VIFB",
        check="1573.1 for GFF on VIFB's carLight",
    ),
}
