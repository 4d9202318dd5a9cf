"""Sobel's derivatives."""

from __future__ import annotations

import numpy as np

from osmofuse.typing import FloatArray


def sobel(x: FloatArray) -> tuple[FloatArray, FloatArray]:
    r"""Return the derivatives of a plane down its rows and along its columns.

    .. math::

        \begin{pmatrix} -1 & -2 & -1 \\ 0 & 0 & 0 \\ 1 & 2 & 1 \end{pmatrix}
        \quad\text{and its transpose,}

    not divided by 8: whole numbers stay whole. Borders are replicated.

    Parameters
    ----------
    x : array, shape (rows, cols)
        Any plane of floats.
    """
    from scipy import ndimage

    down, right = (ndimage.sobel(x, axis=axis, mode="nearest") for axis in (0, 1))
    return np.asarray(down), np.asarray(right)
