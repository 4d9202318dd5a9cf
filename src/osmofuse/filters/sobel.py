"""Sobel's derivatives."""

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

    not divided by 8: whole numbers stay whole.

    Parameters
    ----------
    x : array, shape (rows, cols)
        Any plane of floats.
    border : {"replicate", "zero"}
        What is around the plane: its outermost rows and columns go on, or zeros.
    """
    from scipy import ndimage

    mode = "nearest" if border == "replicate" else "constant"
    down, right = (ndimage.sobel(x, axis=axis, mode=mode) for axis in (0, 1))
    return np.asarray(down), np.asarray(right)
