r"""Structural similarity of planes (Wang et al. 2004, doi:10.1109/TIP.2003.819861).

With means, variances and covariance in a Gaussian window of 11 × 11 pixels,
:math:`\sigma = 1.5`, wherever it fits into the plane, and white w,

.. math::

    \frac{(2 \mu_x \mu_y + C_1)(2 \operatorname{cov}(x, y) + C_2)}
         {(\mu_x^2 + \mu_y^2 + C_1)(\sigma_x^2 + \sigma_y^2 + C_2)},
    \qquad C_1 = (0.01 w)^2, \quad C_2 = (0.03 w)^2 .
"""

from __future__ import annotations

import numpy as np

from osmofuse.errors import InputError
from osmofuse.metrics.local_moments import window_mean
from osmofuse.metrics.strips import strips
from osmofuse.typing import FloatArray

RADIUS = 5
SIGMA = 1.5
SIDE = 2 * RADIUS + 1


def mean_similarities(x: FloatArray, *others: FloatArray, white: float) -> list[float]:
    """Return the mean similarity of a plane to each of some others, of its size.

    Raises
    ------
    InputError
        No window fits into the planes.
    """
    rows, cols = (n - SIDE + 1 for n in x.shape)
    if min(rows, cols) < 1:
        raise InputError(f"fused: needs {SIDE} pixels in both directions")
    totals = np.zeros(len(others))
    for start, stop in strips(rows, cols):
        strip = slice(start, stop + SIDE - 1)
        totals += _sums(x[strip], [y[strip] for y in others], white)
    return [float(total) / (rows * cols) for total in totals]


def _sums(x: FloatArray, others: list[FloatArray], white: float) -> list[float]:
    c1, c2 = (0.01 * white) ** 2, (0.03 * white) ** 2
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
