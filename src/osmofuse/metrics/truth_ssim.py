"""Structural similarity against a truth."""

from __future__ import annotations

import math

import numpy as np

from osmofuse.metrics.metric import Metric
from osmofuse.metrics.similarity import mean_similarities
from osmofuse.pixels import bands_of, plane_of
from osmofuse.typing import FloatArray


def truth_ssim(fused: FloatArray, truth: FloatArray) -> float:
    """Return the mean structural similarity (Wang et al. 2004, doi:10.1109/TIP.2003.819861).

    A Gaussian window of 11 × 11 pixels, sigma 1.5, only where it fits into the picture;
    K = (0.01, 0.03) on a range of 1.0; channel by channel, then the mean.

    Parameters
    ----------
    fused, truth : array, (rows, cols) or (rows, cols, channels)
        White at 1.0; 11 pixels at least in both directions.

    Raises
    ------
    InputError
        No window fits into the pictures.
    """
    values = list[float]()
    for c in range(bands_of(fused)):
        x, y = (np.asarray(plane_of(z, c), np.float64) for z in (fused, truth))
        values += mean_similarities(x, y, white=1.0)
    return math.fsum(values) / len(values)


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
