r"""The direction of edges, modulo 180°: what visible and infrared pictures have in common.

For the gradient :math:`g = g_x + i g_y` of a smoothed picture,

.. math:: c = \frac{g^2}{|g|^2 + k^2}

turns twice as fast as the edge. It stays the same if the grey values go through any smooth map,
rising or falling, since that multiplies :math:`g` by a real number; in flat parts it fades to 0.
"""

from __future__ import annotations

import math

import numpy as np

from osmofuse.preparation.registration.opencv import opencv
from osmofuse.preparation.registration.views import ROUNDING, Plane
from osmofuse.typing import BoolArray, FloatArray


def orientation(plane: Plane, sigma: float) -> FloatArray:
    r"""Return real and imaginary part of :math:`c`.

    Parameters
    ----------
    plane : Plane
        A grey copy.
    sigma : float
        Standard deviation of the Gaussian before the gradient, in pixels.

    Returns
    -------
    array of float32, shape (rows, cols, 2)
        Zero beside places without data. :math:`k^2` is the median of :math:`|g|^2` where
        there is data, so that half of the picture counts as flat.
    """
    cv2 = opencv()
    smooth = cv2.GaussianBlur(plane.values, (0, 0), sigma, borderType=cv2.BORDER_REPLICATE)
    across = cv2.Scharr(smooth, cv2.CV_32F, 1, 0, borderType=cv2.BORDER_REPLICATE)
    down = cv2.Scharr(smooth, cv2.CV_32F, 0, 1, borderType=cv2.BORDER_REPLICATE)
    inner = inside(plane, sigma)
    strength = across * across + down * down
    shown = strength[inner]
    k2 = float(np.median(shown[:: max(1, shown.size // 100_000)])) if shown.size else 0.0
    weight = inner / (strength + np.float32(k2 + ROUNDING**2))
    return np.dstack([(across * across - down * down) * weight, 2 * across * down * weight])


def inside(plane: Plane, sigma: float) -> BoolArray:
    """Return where a copy has data, and has some around."""
    cv2 = opencv()
    width = 2 * round(1.5 * sigma) + 1
    near = cv2.erode(
        plane.mask,
        np.ones((width, width), np.uint8),
        borderType=cv2.BORDER_CONSTANT,
        borderValue=255,
    )
    return np.asarray(near > 0)


def likeness(one: FloatArray, other: FloatArray) -> float:
    r"""Return :math:`\sum \Re(c_1 \bar c_2) / \sqrt{\sum|c_1|^2 \sum|c_2|^2}` where both are."""
    both = np.any(one, axis=2, keepdims=True) & np.any(other, axis=2, keepdims=True)
    one, other = one * both, other * both
    energy = float((one * one).sum()) * float((other * other).sum())
    return float((one * other).sum()) / math.sqrt(energy) if energy > 0 else 0.0
