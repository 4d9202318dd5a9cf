"""Structural similarity against a truth."""

from __future__ import annotations

import numpy as np

from osmofuse.errors import InputError
from osmofuse.filters import gaussian
from osmofuse.metrics.metric import Metric
from osmofuse.typing import FloatArray

RADIUS = 5
SIGMA = 1.5
C1, C2 = 0.01**2, 0.03**2  # of a range of 1.0


def truth_ssim(fused: FloatArray, truth: FloatArray) -> float:
    r"""Return the mean structural similarity (Wang et al. 2004, doi:10.1109/TIP.2003.819861).

    A Gaussian window of 11 × 11 pixels with :math:`\sigma = 1.5`, only where it fits into the
    picture; K = (0.01, 0.03) on a range of 1.0; channel by channel, then the mean.

    Parameters
    ----------
    fused, truth : array, (rows, cols) or (rows, cols, channels)
        White at 1.0; 11 pixels at least in both directions.

    Raises
    ------
    InputError
        No window fits into the pictures.
    """
    side = 2 * RADIUS + 1
    if min(fused.shape[:2]) < side:
        raise InputError(f"fused: needs {side} pixels in both directions")
    x, y = np.asarray(fused, np.float64), np.asarray(truth, np.float64)
    mean_x, mean_y = _window(x), _window(y)
    var_x = _window(x * x) - mean_x**2
    var_y = _window(y * y) - mean_y**2
    cov = _window(x * y) - mean_x * mean_y
    luminance = (2 * mean_x * mean_y + C1) / (mean_x**2 + mean_y**2 + C1)
    contrast = (2 * cov + C2) / (var_x + var_y + C2)
    inside = slice(RADIUS, -RADIUS)
    return float((luminance * contrast)[inside, inside].mean())


def _window(x: FloatArray) -> FloatArray:
    return gaussian(x, SIGMA, radius=RADIUS)


METRIC = Metric(
    lambda p: truth_ssim(p.fused, p.right_answer),
    better="high",
    range=(-1.0, 1.0),
    definition="structural similarity to the truth: Gaussian window 11 by 11, sigma 1.5, "
    "K = (0.01, 0.03), inside only",
    channels="mean over them",
    source="Wang et al., IEEE TIP 2004",
    check="1 for the truth itself",
)
