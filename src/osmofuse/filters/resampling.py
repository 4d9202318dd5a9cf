"""Smaller and larger copies of a plane."""

from __future__ import annotations

import numpy as np

from osmofuse.typing import FloatArray


def reduced(x: FloatArray, factor: int) -> FloatArray:
    """Return the means of blocks of `factor` × `factor` pixels, smaller at the far borders.

    Parameters
    ----------
    x : array, (rows, cols) or (rows, cols, channels)
        Input; not changed.
    factor : int
        1 or more; 1 gives a copy.

    Examples
    --------
    >>> import numpy as np
    >>> reduced(np.array([[1.0, 3.0, 5.0]]), 2).tolist()
    [[2.0, 5.0]]
    """
    if factor == 1:
        return x.copy()
    result = x
    for axis in (0, 1):
        n = x.shape[axis]
        starts = np.arange(0, n, factor)
        count = np.minimum(starts + factor, n) - starts
        ones = (1,) * (x.ndim - 1 - axis)
        sums = np.add.reduceat(result, starts, axis=axis, dtype=np.float64)
        result = (sums / count.reshape(-1, *ones)).astype(x.dtype, copy=False)
    return result


def enlarged(
    x: FloatArray, factor: int, shape: tuple[int, int], rows: slice = slice(None)
) -> FloatArray:
    """Return a reduced plane at its original size, interpolated linearly.

    Values are constant beyond the centres of the outermost blocks.

    Parameters
    ----------
    x : array, (rows, cols) or (rows, cols, channels)
        Input; not changed.
    factor : int
        Factor by which it was reduced.
    shape : tuple of int
        Rows and columns of the result.
    rows : slice
        Rows of the result to return; all by default.

    Examples
    --------
    >>> import numpy as np
    >>> enlarged(np.array([[2.0, 5.0]]), 2, (1, 4)).tolist()
    [[2.0, 2.75, 4.25, 5.0]]
    """
    result = x
    for axis, wanted in enumerate((rows, slice(None))):
        pixels = np.arange(shape[axis])[wanted]
        place = np.clip((pixels + 0.5) / factor - 0.5, 0, x.shape[axis] - 1)
        before = np.floor(place).astype(int)
        after = np.minimum(before + 1, x.shape[axis] - 1)
        part = (place - before).astype(x.dtype).reshape(-1, *(1,) * (x.ndim - 1 - axis))
        first, second = np.take(result, before, axis), np.take(result, after, axis)
        result = first + part * (second - first)
    return result


def halve(x: FloatArray) -> FloatArray:
    r"""Return a plane at half the size, bicubic and antialiased.

    Sample i of the result lies between samples 2i and 2i + 1: the sum of eight samples with
    weights :math:`k(t/2)/2` at the distances :math:`t = \pm\frac12, \pm\frac32, \pm\frac52,
    \pm\frac72`, with Keys' cubic k (a = -1/2), as MATLAB's ``imresize(x, 0.5)`` computes for
    floating-point input. Borders are mirrored, the outermost sample repeated. Odd sizes are
    rounded up.

    Parameters
    ----------
    x : array, shape (rows, cols)
        Plane of floats.
    """
    return _halved_down(_halved_down(x).T).T


def _cubic(t: float) -> float:
    if t <= 1.0:
        return 1.5 * t**3 - 2.5 * t**2 + 1.0
    return -0.5 * t**3 + 2.5 * t**2 - 4.0 * t + 2.0


_WEIGHTS = [_cubic(abs(k - 3.5) / 2.0) / 2.0 for k in range(8)]


def _halved_down(x: FloatArray) -> FloatArray:
    rows = x.shape[0]
    padded = np.pad(x, ((3, 4), (0, 0)), mode="symmetric")
    count = (rows + 1) // 2
    y = np.zeros((count, x.shape[1]), x.dtype)
    for k, weight in enumerate(_WEIGHTS):
        y += weight * padded[k : k + 2 * count - 1 : 2]
    return y
