"""The Gaussian filter."""

from __future__ import annotations

import math
from typing import Literal

import numpy as np

from osmofuse.typing import FloatArray


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
        Filtered channel by channel.
    sigma : float
        Standard deviation in pixels.
    radius : int, optional
        Pixels on each side; :math:`\lceil 2\sigma \rceil` by default, the paper's choice.
    border : {"replicate", "zero"}
        What is around the picture: its outermost rows and columns go on, or zeros.
    """
    from scipy.ndimage import gaussian_filter

    radius = math.ceil(2.0 * sigma) if radius is None else radius
    mode = "nearest" if border == "replicate" else "constant"
    return np.asarray(gaussian_filter(x, sigma, radius=radius, mode=mode, axes=(0, 1)))
