"""The Laplacian of five points."""

from __future__ import annotations

import numpy as np

from osmofuse.typing import FloatArray


def laplacian(x: FloatArray) -> FloatArray:
    r"""Return :math:`\sum_j x_j - 4 x_i` over the four neighbours j of each pixel i.

    Parameters
    ----------
    x : array, (rows, cols)
        A plane of floats; borders are replicated, so a neighbour beyond them adds nothing.

    Returns
    -------
    array
        A new plane of the same type, exactly 0 where the plane is flat.
    """
    y, down, right = np.zeros_like(x), np.diff(x, axis=0), np.diff(x, axis=1)
    y[:-1] += down
    y[1:] -= down
    y[:, :-1] += right
    y[:, 1:] -= right
    return y
