"""Lee's filter by local statistics (Lee 1980, doi:10.1109/TPAMI.1980.4766994)."""

from __future__ import annotations

import numpy as np

from osmofuse.filters.box import box_mean
from osmofuse.typing import FloatArray


def lee(x: FloatArray, *, radius: int, epsilon: float) -> FloatArray:
    r"""Draw each pixel to the mean of its window, the more the flatter the window is.

    .. math::

        y_i = \bar x_i + \frac{\operatorname{var}_i(x)}{\operatorname{var}_i(x) + \varepsilon}
              (x_i - \bar x_i).

    It is what the guided filter of a plane by itself says of a pixel in the pixel's own window,
    before the mean over windows.

    Parameters
    ----------
    x : array, (rows, cols)
        The plane to be smoothed.
    radius : int
        Of the windows, in pixels; those at the border hold only the pixels inside.
    epsilon : float
        :math:`\varepsilon > 0`: a variance well above it is structure, and stays.

    Returns
    -------
    array
        A new plane of the same type.
    """
    z = np.asarray(x, np.float64)
    mean = box_mean(z, radius)
    variance = np.maximum(box_mean(z * z, radius) - mean * mean, 0.0)
    result = mean + variance / (variance + epsilon) * (z - mean)
    return result.astype(x.dtype, copy=False)
