r"""The paper's chromaticity error.

With the geometric mean of the channels :math:`\mathrm{GCM}(z) = (z_R z_G z_B)^{1/3}`,

.. math::

    \mathrm{err}(u, f) = \Big| \frac{u}{\mathrm{GCM}(u)} - \frac{f}{\mathrm{GCM}(f)} \Big|

in each channel. The paper's table gives the mean over pixels and channels, after one grey
level of 255 has been added to both pictures. It is zero for u = f: it says nothing about
whether structure has arrived.
"""

from __future__ import annotations

import numpy as np

from osmofuse.typing import FloatArray

GREY_LEVEL = 1.0 / 255.0


def chromaticity_map(
    fused: FloatArray, foreground: FloatArray, *, offset: float = GREY_LEVEL
) -> FloatArray:
    """Return the error at every pixel, channel by channel.

    Parameters
    ----------
    fused, foreground : array, (rows, cols, channels)
        White at 1.0; the fused picture is clipped to [0, 1], as a written one is.
    offset : float
        Added to both, so that black has a chromaticity.
    """
    difference = _chromaticity(np.clip(fused, 0.0, 1.0) + offset) - _chromaticity(
        foreground + offset
    )
    return np.asarray(np.abs(difference))


def chromaticity_error(
    fused: FloatArray, foreground: FloatArray, *, offset: float = GREY_LEVEL
) -> float:
    """Return the mean of `chromaticity_map` over pixels and channels."""
    return float(chromaticity_map(fused, foreground, offset=offset).mean())


def _chromaticity(z: FloatArray) -> FloatArray:
    return np.asarray(z / np.exp(np.log(z).mean(axis=-1, keepdims=True)))
