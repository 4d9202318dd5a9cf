r"""Peak signal-to-noise ratio and structural similarity against a truth.

The structural similarity (Wang et al. 2004, doi:10.1109/TIP.2003.819861) has means, variances and
covariance in a Gaussian window of 11 × 11 pixels, :math:`\sigma = 1.5`, wherever it fits into the
plane. With white w it is the mean of

.. math::

    \frac{(2 \mu_x \mu_y + C_1)(2 \operatorname{cov}(x, y) + C_2)}
         {(\mu_x^2 + \mu_y^2 + C_1)(\sigma_x^2 + \sigma_y^2 + C_2)},
    \qquad C_1 = (0.01 w)^2, \quad C_2 = (0.03 w)^2 .
"""

from __future__ import annotations

import math

import numpy as np

from osmofuse.metrics.grey_levels import check_side
from osmofuse.metrics.metric import Metric
from osmofuse.metrics.windows import RADIUS, SIGMA, strips, window_mean
from osmofuse.pixels import bands_of, plane_of
from osmofuse.typing import FloatArray

SSIM_SIDE = 2 * RADIUS + 1  # smallest picture: one window
SSIM_K = 0.01, 0.03  # the constants K1 and K2 of Wang et al.


def psnr(fused: FloatArray, truth: FloatArray) -> float:
    r"""Return the peak signal-to-noise ratio in decibels.

    That is :math:`-10 \log_{10} \overline{(u - t)^2}`, the mean over pixels and channels together;
    equal pictures give infinity. For VIFB's own definition see `vifb_psnr`.
    """
    error = float(np.mean((np.asarray(fused, np.float64) - truth) ** 2))
    return -10.0 * math.log10(error) if error > 0 else math.inf


def ssim(fused: FloatArray, truth: FloatArray) -> float:
    """Return the mean structural similarity, channel by channel, then averaged.

    Gaussian window of 11 × 11 pixels, only where it fits; K = (0.01, 0.03) on a range of 1.0. For
    VIFB's own definition see `vifb_ssim`.
    """
    values = list[float]()
    for c in range(bands_of(fused)):
        x, y = (np.asarray(plane_of(z, c), np.float64) for z in (fused, truth))
        values += mean_similarities(x, y, white=1.0)
    return math.fsum(values) / len(values)


def mean_similarities(x: FloatArray, *others: FloatArray, white: float) -> list[float]:
    """Return the structural similarity of a plane to each of several planes of its size."""
    check_side(x, SSIM_SIDE)
    rows, cols = (n - SSIM_SIDE + 1 for n in x.shape)
    totals = np.zeros(len(others))
    for start, stop in strips(rows, cols):
        strip = slice(start, stop + SSIM_SIDE - 1)
        totals += _sums(x[strip], [y[strip] for y in others], white)
    return [float(total) / (rows * cols) for total in totals]


def _sums(x: FloatArray, others: list[FloatArray], white: float) -> list[float]:
    c1, c2 = ((k * white) ** 2 for k in SSIM_K)
    mean_x, var_x = _moments(x)
    sums = []
    for y in others:
        mean_y, var_y = _moments(y)
        product = mean_x * mean_y
        cov = window_mean(x * y, SIGMA, RADIUS) - product
        luminance = (2.0 * product + c1) / (mean_x**2 + mean_y**2 + c1)
        contrast = (2.0 * cov + c2) / (var_x + var_y + c2)
        sums.append(float((luminance * contrast).sum()))
    return sums


def _moments(x: FloatArray) -> tuple[FloatArray, FloatArray]:
    mean = window_mean(x, SIGMA, RADIUS)
    return mean, window_mean(x * x, SIGMA, RADIUS) - mean**2


METRICS = {
    "psnr": Metric(
        lambda p: psnr(p.fused, p.required_truth),
        better="high",
        range=(-math.inf, math.inf),
        definition="peak signal-to-noise ratio against the truth, in dB, white at 1",
        channels="one mean square over all",
        source="common use",
        check="20 dB for a difference of 0.1 everywhere",
    ),
    "ssim": Metric(
        lambda p: ssim(p.fused, p.required_truth),
        better="high",
        range=(-1.0, 1.0),
        definition="structural similarity to the truth: Gaussian window 11 by 11, sigma 1.5, "
        "K = (0.01, 0.03), inside only",
        channels="mean over them",
        source="Wang et al., IEEE TIP 2004",
        check="1 for the truth itself",
    ),
}
