"""Means, variances and covariance of two planes in a Gaussian window."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from osmofuse.kernels import kernel, prange
from osmofuse.typing import Array, FloatArray

STRIP = 256  # rows at a time: what lies between the two passes is many planes


class Moments(NamedTuple):
    """Moments of two planes in the window around each pixel."""

    mean_x: FloatArray
    mean_y: FloatArray
    var_x: FloatArray
    var_y: FloatArray
    cov: FloatArray


def gaussian_moments(x: FloatArray, y: FloatArray, sigma: float, *, radius: int) -> Moments:
    r"""Return the local moments of two planes, each window's about its own mean.

    .. math::

        \mu_x = \sum_t g_t x_t, \qquad \sigma_x^2 = \sum_t g_t (x_t - \mu_x)^2, \qquad
        \sigma_{xy} = \sum_t g_t (x_t - \mu_x)(y_t - \mu_y)

    with Gaussian weights g of sum 1.

    Parameters
    ----------
    x, y : array, (rows, cols)
        Of one size.
    sigma : float
        Standard deviation of the window, in pixels.
    radius : int
        Pixels on each side; the border is replicated.

    Returns
    -------
    Moments
        In double precision. A flat window has variance 0 exactly, and the level of the picture
        costs no digits: the difference :math:`\overline{x^2} - \mu_x^2` would leave rounding
        errors of some :math:`10^{-16} \mu_x^2`, which differ from one processor to another.

    Notes
    -----
    Rows first, then columns: with moments :math:`(m_t, v_t)` of the parts of a window, the
    variance of the whole is :math:`\sum_t g_t (v_t + (m_t - \mu)^2)`, a sum of positive terms.

    Examples
    --------
    >>> import numpy as np
    >>> flat = np.full((3, 4), 0.1)
    >>> float(gaussian_moments(flat, flat, 2.0, radius=6).var_x.max())
    0.0
    """
    t = np.arange(-radius, radius + 1)
    weights = np.exp(-0.5 * (t / sigma) ** 2)
    weights /= weights.sum()
    found = Moments(*(np.empty(x.shape) for _ in Moments._fields))
    for start in range(0, x.shape[0], STRIP):
        stop = min(start + STRIP, x.shape[0])
        rows = np.clip(np.arange(start - radius, stop + radius), 0, x.shape[0] - 1)
        strip = _pooled(_along_rows(x[rows], y[rows], weights), weights)
        for plane, part in zip(found, strip, strict=True):
            plane[start:stop] = part[radius : radius + stop - start]
    return found


def _along_rows(x: FloatArray, y: FloatArray, weights: FloatArray) -> FloatArray:
    """Return the moments in windows of one row."""
    pixels = np.zeros((5, x.shape[1], x.shape[0]))
    pixels[0], pixels[1] = x.T, y.T
    return _pooled(pixels, weights).transpose(0, 2, 1).copy()


def _pooled(parts: FloatArray, weights: FloatArray) -> FloatArray:
    pooled = np.empty_like(parts)
    _pool_columns(parts, weights, pooled)
    return pooled


@kernel
def _pool_columns(parts: Array, weights: FloatArray, pooled: Array) -> None:
    """Pool moments down the columns; sums are of differences from the pixel itself."""
    rows, cols = parts.shape[1], parts.shape[2]
    radius = weights.size // 2
    for i in prange(rows):
        pooled[:, i] = 0.0
        for t in range(weights.size):
            k, g = min(max(i + t - radius, 0), rows - 1), weights[t]
            for j in range(cols):
                pooled[0, i, j] += g * (parts[0, k, j] - parts[0, i, j])
                pooled[1, i, j] += g * (parts[1, k, j] - parts[1, i, j])
        for j in range(cols):
            pooled[0, i, j] += parts[0, i, j]
            pooled[1, i, j] += parts[1, i, j]
        for t in range(weights.size):
            k, g = min(max(i + t - radius, 0), rows - 1), weights[t]
            for j in range(cols):
                dx = parts[0, k, j] - pooled[0, i, j]
                dy = parts[1, k, j] - pooled[1, i, j]
                pooled[2, i, j] += g * (parts[2, k, j] + dx * dx)
                pooled[3, i, j] += g * (parts[3, k, j] + dy * dy)
                pooled[4, i, j] += g * (parts[4, k, j] + dx * dy)
