"""Gaussian filter, and local moments in a Gaussian window."""

from __future__ import annotations

import math
from typing import Literal, NamedTuple

import numpy as np

from osmofuse.kernels import kernel, prange
from osmofuse.typing import Array, FloatArray

STRIP = 256  # rows processed at a time, to limit memory; affects cost only


def gaussian(
    x: FloatArray,
    sigma: float,
    *,
    radius: int | None = None,
    border: Literal["replicate", "zero"] = "replicate",
) -> FloatArray:
    r"""Convolve rows and columns with :math:`e^{-t^2/2\sigma^2}`, cut off and normalised.

    Parameters
    ----------
    x : array, shape (rows, cols) or (rows, cols, channels)
        Picture; filtered channel by channel.
    sigma : float
        Standard deviation in pixels.
    radius : int, optional
        Pixels on each side; :math:`\lceil 2\sigma \rceil` by default, the paper's choice.
    border : {"replicate", "zero"}
        Values outside the picture: its outermost rows and columns repeated, or zeros.
    """
    from scipy.ndimage import gaussian_filter

    radius = math.ceil(2.0 * sigma) if radius is None else radius
    mode = "nearest" if border == "replicate" else "constant"
    return np.asarray(gaussian_filter(x, sigma, radius=radius, mode=mode, axes=(0, 1)))


class Moments(NamedTuple):
    """Moments of two planes in the window around each pixel."""

    mean_x: FloatArray
    mean_y: FloatArray
    var_x: FloatArray
    var_y: FloatArray
    cov: FloatArray


def gaussian_moments(x: FloatArray, y: FloatArray, sigma: float, *, radius: int) -> Moments:
    r"""Return the local moments of two planes, about the mean of each window.

    .. math::

        \mu_x = \sum_t g_t x_t, \qquad \sigma_x^2 = \sum_t g_t (x_t - \mu_x)^2, \qquad
        \sigma_{xy} = \sum_t g_t (x_t - \mu_x)(y_t - \mu_y)

    with Gaussian weights g of sum 1.

    Parameters
    ----------
    x, y : array, (rows, cols)
        Planes of one size.
    sigma : float
        Standard deviation of the window, in pixels.
    radius : int
        Pixels on each side; the border is replicated.

    Returns
    -------
    Moments
        In double precision. A flat window has variance 0 exactly, and the mean costs no digits:
        the difference :math:`\overline{x^2} - \mu_x^2` would have rounding errors of about
        :math:`10^{-16} \mu_x^2`, which differ between processors.

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
    """Pool moments along columns; differences from the pixel itself are summed."""
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
