"""The guided filter (He, Sun and Tang 2013, doi:10.1109/TPAMI.2012.213)."""

from __future__ import annotations

import numpy as np

from osmofuse.filters.box import box_mean
from osmofuse.typing import FloatArray


def guided(x: FloatArray, guide: FloatArray, *, radius: int, epsilon: float) -> FloatArray:
    r"""Smooth a plane along the edges of another.

    In every window k the plane x is fitted by a multiple of the guide z and a constant, and a
    pixel i gets the mean of what the windows around it say:

    .. math::

        s_k = \frac{\operatorname{cov}_k(z, x)}{\operatorname{var}_k(z) + \varepsilon}, \qquad
        t_k = \bar x_k - s_k \bar z_k, \qquad y_i = \bar s_i z_i + \bar t_i .

    Parameters
    ----------
    x : array, (rows, cols)
        The plane to be smoothed.
    guide : array, (rows, cols)
        :math:`z`; its edges stay.
    radius : int
        Of the windows, in pixels; those at the border hold only the pixels inside.
    epsilon : float
        :math:`\varepsilon > 0`: where the guide's variance is well below it, y is a plain mean.

    Returns
    -------
    array
        A new plane of the type of x; near edges it may leave the range of x.
    """
    # A variance is a small difference of large numbers: single precision would drown 1e-6.
    y, z = np.asarray(x, np.float64), np.asarray(guide, np.float64)
    mean_y, mean_z = box_mean(y, radius), box_mean(z, radius)
    covariance = box_mean(z * y, radius) - mean_z * mean_y
    variance = np.maximum(box_mean(z * z, radius) - mean_z * mean_z, 0.0)
    slope = covariance / (variance + epsilon)
    level = mean_y - slope * mean_z
    result = box_mean(slope, radius) * z + box_mean(level, radius)
    return result.astype(x.dtype, copy=False)
