"""Robust statistics: a deviation on which outliers have little effect."""

from __future__ import annotations

import numpy as np

from osmofuse.typing import FloatArray

MAD = 1.4826  # standard deviation of a normal distribution over its median absolute deviation


def robust_deviation(x: FloatArray, axis: int | None = None) -> FloatArray:
    """Return the robust standard deviation, from the median absolute deviation from the median.

    Parameters
    ----------
    x : array
        Samples.
    axis : int, optional
        Axis along which to measure; all samples together by default.

    Examples
    --------
    >>> float(robust_deviation(np.array([1.0, 2.0, 3.0, 100.0, 2.0])))
    1.4826
    """
    off = np.abs(x - np.median(x, axis=axis, keepdims=True))
    return np.asarray(MAD * np.median(off, axis=axis).astype(np.float64))
