"""A picture at half its size."""

from __future__ import annotations

import numpy as np

from osmofuse.typing import FloatArray


def halve(x: FloatArray) -> FloatArray:
    r"""Return a plane at half the size, bicubic and antialiased.

    Sample i of the result lies between samples 2i and 2i + 1, and is the sum of eight around with
    weights :math:`k(t/2)/2` at the distances :math:`t = \pm\frac12, \pm\frac32, \pm\frac52,
    \pm\frac72`, with Keys' cubic k (a = -1/2): what MATLAB's ``imresize(x, 0.5)`` does with
    floating-point numbers. Borders are mirrored, the outermost sample repeated. Odd sizes are
    rounded up.

    Parameters
    ----------
    x : array, shape (rows, cols)
        Any plane of floats.
    """
    return _halved_down(_halved_down(x).T).T


def _cubic(t: float) -> float:
    if t <= 1.0:
        return 1.5 * t**3 - 2.5 * t**2 + 1.0
    return -0.5 * t**3 + 2.5 * t**2 - 4.0 * t + 2.0


_WEIGHTS = [_cubic(abs(k - 3.5) / 2.0) / 2.0 for k in range(8)]


def _halved_down(x: FloatArray) -> FloatArray:
    rows = x.shape[0]
    padded = np.pad(x, ((3, 4 + rows % 2), (0, 0)), mode="symmetric")
    count = (rows + 1) // 2
    y = np.zeros((count, x.shape[1]), x.dtype)
    for k, weight in enumerate(_WEIGHTS):
        y += weight * padded[k : k + 2 * count - 1 : 2]
    return y
