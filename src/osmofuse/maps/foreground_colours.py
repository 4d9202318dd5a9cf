"""Foreground colours of a composite, without the background's share at soft edges."""

from __future__ import annotations

import numpy as np

from osmofuse.errors import MismatchError
from osmofuse.filters import box_mean
from osmofuse.picture import Picture, as_alpha, samples
from osmofuse.typing import ArrayLike, FloatArray

MEAN_RADII = (45, 3)  # of the means: wide for hidden pixels, narrow for detail
_NO_WEIGHT = 1e-5  # keeps 0 / 0 from becoming NaN where a window has no weight


def foreground_colours(image: ArrayLike | Picture, alpha: ArrayLike | Picture) -> FloatArray:
    r"""Estimate the colours of the foreground of a composite.

    A picture with soft edges is :math:`x = \alpha f + (1-\alpha) g`. Means of x where alpha is
    large, and where it is small, give first guesses of f and g; what they leave unexplained goes
    to f (blur fusion, Forte 2021, doi:10.1109/ICIP42928.2021.9506164):

    .. math::

        \hat f = \frac{\overline{\alpha f}}{\overline{\alpha}}, \qquad
        \hat g = \frac{\overline{(1-\alpha) g}}{\overline{1-\alpha}}, \qquad
        f \leftarrow \hat f + \alpha \big(x - \alpha \hat f - (1-\alpha) \hat g\big),

    once with wide windows from f = g = x, and once more with narrow ones.

    Parameters
    ----------
    image : array, (rows, cols) or (rows, cols, channels), or Picture
        :math:`x`.
    alpha : array, (rows, cols)
        The map, e.g. of `matte`.

    Returns
    -------
    array
        :math:`f`, of the image's shape, white at 1.0, clipped to [0, 1]; the picture's own
        colours where alpha is 1.
    """
    x, a = samples(image, "image"), as_alpha(alpha)
    if a.shape != x.shape[:2]:
        raise MismatchError(f"alpha: shape {a.shape}, but the image has {x.shape[:2]}")
    bands = np.moveaxis(x.reshape(*x.shape[:2], -1), 2, 0)
    found = np.stack([_of_band(band, a) for band in bands], axis=2)
    return found.reshape(x.shape).astype(x.dtype, copy=False)


def _of_band(x: FloatArray, alpha: FloatArray) -> FloatArray:
    f: FloatArray = np.asarray(x, np.float64)
    g = f
    for radius in MEAN_RADII:
        mean_f = _weighted(f, alpha, radius)
        mean_g = _weighted(g, 1.0 - alpha, radius)
        left = x - alpha * mean_f - (1.0 - alpha) * mean_g
        f, g = np.clip(mean_f + alpha * left, 0.0, 1.0), mean_g
    return np.where(alpha == 1.0, x, f)


def _weighted(x: FloatArray, weight: FloatArray, radius: int) -> FloatArray:
    return box_mean(weight * x, radius) / (box_mean(weight, radius) + _NO_WEIGHT)
