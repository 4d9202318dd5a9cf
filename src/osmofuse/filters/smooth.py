"""Gaussian of any width at a constant cost."""

from __future__ import annotations

import math

import numpy as np

from osmofuse.filters.resampling import enlarged, reduced
from osmofuse.kernels import kernel, prange
from osmofuse.typing import FloatArray

# Deviation in pixels of the reduced copy that is filtered; below 1.5, linear interpolation shows.
FINEST_SIGMA = 2.0
CUT = 3.0  # deviations; what lies beyond is 0.3 % of the weight


def smooth(x: FloatArray, sigma: float) -> FloatArray:
    r"""Return a plane convolved with a Gaussian, borders replicated; wide ones on a reduced copy.

    A copy reduced by r has lost a variance of :math:`(r^2 - 1)/12`, the enlarging adds
    :math:`r^2/6`; the filter has the rest. Errors are below 1 % of the range of x; more at borders
    of noise, where a block's mean is replicated instead of a pixel.
    """
    factor = 2 ** max(0, math.floor(math.log2(max(sigma, 1e-9) / FINEST_SIGMA)))
    factor = min(factor, max(1, min(x.shape) // 4))
    if factor == 1:
        return _convolved(x, sigma)
    rest = math.sqrt(sigma**2 - (factor**2 - 1) / 12 - factor**2 / 6) / factor
    return enlarged(_convolved(reduced(x, factor), rest), factor, (x.shape[0], x.shape[1]))


def _convolved(x: FloatArray, sigma: float) -> FloatArray:
    weights = np.exp(-0.5 * np.square(np.arange(math.ceil(CUT * sigma) + 1) / max(sigma, 1e-9)))
    weights /= 2.0 * weights.sum() - 1.0
    along, out = np.empty_like(x), np.empty_like(x)
    convolve(x, weights.astype(x.dtype), along, out)
    return out


@kernel
def convolve(x: FloatArray, weights: FloatArray, along: FloatArray, out: FloatArray) -> None:
    """Convolve rows, then columns, with symmetric weights, given from the centre outwards.

    Rows are views of one dimension: the compiler does not vectorise loops over `x[i, j]`.
    """
    rows, cols = x.shape
    radius = len(weights) - 1
    for i in prange(rows):
        line = np.empty(cols + 2 * radius, x.dtype)
        line[:radius], line[cols + radius :] = x[i, 0], x[i, -1]
        line[radius : cols + radius] = x[i]
        to, centre = along[i], line[radius:]
        for j in range(cols):
            to[j] = weights[0] * centre[j]
        for t in range(1, radius + 1):
            weight, left, right = weights[t], line[radius - t :], line[radius + t :]
            for j in range(cols):
                to[j] += weight * (left[j] + right[j])
    for i in prange(rows):
        to, centre = out[i], along[i]
        for j in range(cols):
            to[j] = weights[0] * centre[j]
        for t in range(1, radius + 1):
            weight, up, down = weights[t], along[max(i - t, 0)], along[min(i + t, rows - 1)]
            for j in range(cols):
                to[j] += weight * (up[j] + down[j])
