"""Discrete derivatives: central differences, Sobel and the five-point Laplacian."""

from __future__ import annotations

from typing import Literal

import numpy as np

from osmofuse.filters.gaussian import gaussian
from osmofuse.typing import FloatArray


def derivatives(x: FloatArray, sigma: float) -> tuple[FloatArray, FloatArray]:
    """Return the central differences of a smoothed plane, down its rows and along its columns.

    Parameters
    ----------
    x : array, (rows, cols)
        Plane of floats.
    sigma : float
        Deviation of the Gaussian in pixels, 0 for none.

    Returns
    -------
    tuple of array
        In the picture's own units per pixel; borders are replicated.
    """
    smoothed = np.pad(gaussian(x, sigma) if sigma > 0 else x, 1, mode="edge")
    down = 0.5 * (smoothed[2:, 1:-1] - smoothed[:-2, 1:-1])
    right = 0.5 * (smoothed[1:-1, 2:] - smoothed[1:-1, :-2])
    return down, right


def sobel(
    x: FloatArray, *, border: Literal["replicate", "zero"] = "replicate"
) -> tuple[FloatArray, FloatArray]:
    r"""Return the derivatives of a plane down its rows and along its columns.

    .. math::

        \begin{pmatrix} -1 & -2 & -1 \\ 0 & 0 & 0 \\ 1 & 2 & 1 \end{pmatrix}
        \quad\text{and its transpose,}

    not divided by 8, so that integers stay integers.

    Parameters
    ----------
    x : array, shape (rows, cols)
        Plane of floats.
    border : {"replicate", "zero"}
        Values outside the plane: its outermost rows and columns repeated, or zeros.
    """
    from scipy import ndimage

    mode = "nearest" if border == "replicate" else "constant"
    down, right = (ndimage.sobel(x, axis=axis, mode=mode) for axis in (0, 1))
    return np.asarray(down), np.asarray(right)


def laplacian(x: FloatArray) -> FloatArray:
    r"""Return :math:`\sum_j x_j - 4 x_i` over the four neighbours j of each pixel i.

    Parameters
    ----------
    x : array, (rows, cols)
        Plane of floats; borders are replicated, so a neighbour outside adds nothing.

    Returns
    -------
    array
        New plane of the same type, exactly 0 where the plane is flat.
    """
    y, down, right = np.zeros_like(x), np.diff(x, axis=0), np.diff(x, axis=1)
    y[:-1] += down
    y[1:] -= down
    y[:, :-1] += right
    y[:, 1:] -= right
    return y
