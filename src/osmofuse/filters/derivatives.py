"""Discrete derivatives: Sobel and the five-point Laplacian."""

from __future__ import annotations

from typing import Literal

import numpy as np

from osmofuse.typing import FloatArray


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
