"""Edge intensity of the fused picture."""

from __future__ import annotations

import math

import numpy as np

from osmofuse.filters import sobel
from osmofuse.metrics.grey_levels import mean_over_channels
from osmofuse.metrics.metric import Metric
from osmofuse.metrics.strips import sum_over_strips
from osmofuse.typing import FloatArray


def edge_intensity(fused: FloatArray) -> float:
    """Return the mean length of Sobel's gradient in grey levels, not divided by 8.

    Borders are replicated.

    Parameters
    ----------
    fused : array, (rows, cols) or (rows, cols, channels)
        White at 1.0. The mean over channels is returned.
    """
    return mean_over_channels(_edge_intensity, fused)


def _edge_intensity(u: FloatArray) -> float:
    return float(sum_over_strips(_length, u, reach=1)) / u.size


def _length(u: FloatArray) -> FloatArray:
    down, right = sobel(u)
    return np.asarray(np.sqrt(down**2 + right**2))


METRIC = Metric(
    lambda p: edge_intensity(p.fused),
    better="high",
    range=(0.0, math.inf),
    definition="mean length of Sobel's gradient of the fused picture, kernels not divided by 8, "
    "borders replicated",
    channels="mean over them",
    source="Rajalingam and Priya 2018; conventions of VIFB",
    check="23.06 for GFF on VIFB's carLight",
)
