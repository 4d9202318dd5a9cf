"""Mean over a square window."""

from __future__ import annotations

from typing import Literal

import numpy as np

from osmofuse.typing import FloatArray


def box_mean(
    x: FloatArray, radius: int, *, border: Literal["shrink", "replicate"] = "shrink"
) -> FloatArray:
    r"""Return the mean over a square window around each pixel, :math:`2r + 1` pixels a side.

    Parameters
    ----------
    x : array, (rows, cols)
        Plane of floats of any type; sums are in double precision.
    radius : int
        :math:`r`, pixels on each side; 0 gives the plane itself.
    border : {"shrink", "replicate"}
        Treatment of windows that reach beyond the plane: only pixels inside count, or the
        outermost row or column is repeated.

    Returns
    -------
    array
        New plane of the same type.

    Notes
    -----
    A running sum makes the cost independent of the radius. It accumulates rounding errors of
    about :math:`10^{-16}` of the largest value.

    Examples
    --------
    >>> import numpy as np
    >>> row = np.array([[3.0, 0.0, 0.0]])
    >>> box_mean(row, 1).tolist()
    [[1.5, 1.0, 0.0]]
    >>> box_mean(row, 1, border="replicate").tolist()
    [[2.0, 1.0, 0.0]]
    """
    mean = _mean_inside if border == "shrink" else _mean_replicated
    return mean(mean(x, radius, 0), radius, 1).astype(x.dtype, copy=False)


def _mean_inside(x: FloatArray, radius: int, axis: int) -> FloatArray:
    """Return the mean along an axis over the pixels of the window inside the plane."""
    from scipy.ndimage import uniform_filter1d

    n = x.shape[axis]
    radius = min(radius, n - 1)  # then the window holds the whole line
    size = 2 * radius + 1
    mean: FloatArray = uniform_filter1d(x, size, axis, np.float64, mode="constant")
    i = np.arange(n)
    inside = np.minimum(i + radius, n - 1) - np.maximum(i - radius, 0) + 1
    mean *= np.expand_dims(size / inside, 1 - axis)
    return mean


def _mean_replicated(x: FloatArray, radius: int, axis: int) -> FloatArray:
    """Return the mean along an axis, with replicated borders."""
    from scipy.ndimage import uniform_filter1d

    return np.asarray(uniform_filter1d(x, 2 * radius + 1, axis, np.float64, mode="nearest"))
