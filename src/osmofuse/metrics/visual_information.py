r"""The visual information of a picture, and how much of it a changed picture keeps.

The model of Sheikh and Bovik (IEEE TIP 2006), in its scalar form on pixels: in a window the
changed picture is the reference with a gain and noise added, :math:`y = g x + n`, and an eye adds
noise of variance :math:`\sigma_e^2` to what it sees. From the local moments

.. math::

    g = \sigma_{xy} / \sigma_x^2, \qquad \sigma_n^2 = \sigma_y^2 - g\,\sigma_{xy}, \qquad
    I = \ln\Big(1 + \frac{\sigma_x^2}{\sigma_e^2}\Big), \qquad
    J = \ln\Big(1 + \frac{g^2 \sigma_x^2}{\sigma_n^2 + \sigma_e^2}\Big):

the information I the eye would have from the reference, and J what it has of it from the changed
picture. Where g is negative the picture tells nothing of the reference (g = 0).

Four scales: windows of 17, 9, 5 and 3 pixels, each Gaussian with a deviation of a fifth of its
side; before each scale but the first both pictures are smoothed by that scale's window and every
second row and column is taken. Windows and smoothing only where they fit inside.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from osmofuse.metrics.grey_levels import clear_rounding
from osmofuse.metrics.local_moments import local_moments, window_mean
from osmofuse.typing import FloatArray

RADII = (8, 4, 2, 1)
SIDE = 41  # the least picture in which the last window fits


class Information(NamedTuple):
    """The information in each window of a scale."""

    gain: FloatArray
    kept: FloatArray
    whole: FloatArray


def scales(reference: FloatArray, changed: FloatArray, eye: float) -> Iterator[Information]:
    """Yield the information of two planes in grey levels, from the finest scale to the coarsest.

    Parameters
    ----------
    reference, changed : array, shape (rows, cols)
        At least `SIDE` pixels in both directions.
    eye : float
        The variance of the eye's noise, in squared grey levels.
    """
    x, y = reference, changed
    for scale, radius in enumerate(RADII):
        sigma = (2 * radius + 1) / 5.0
        if scale > 0:
            x, y = (window_mean(z, sigma, radius)[::2, ::2] for z in (x, y))
        yield _information(x, y, sigma, radius, eye)


def _information(
    x: FloatArray, y: FloatArray, sigma: float, radius: int, eye: float
) -> Information:
    _, _, var_x, var_y, cov = local_moments(x, y, sigma, radius)
    clear_rounding(var_x, x)
    clear_rounding(var_y, y)
    seen = (var_x > 0.0) & (var_y > 0.0) & (cov > 0.0)
    gain = np.divide(cov, var_x, out=np.zeros_like(cov), where=seen)
    noise = np.maximum(var_y - gain * cov, 0.0)
    return Information(gain, np.log1p(gain**2 * var_x / (noise + eye)), np.log1p(var_x / eye))
