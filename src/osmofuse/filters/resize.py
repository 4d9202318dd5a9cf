"""Smaller and larger copies of a plane."""

from __future__ import annotations

import numpy as np

from osmofuse.typing import FloatArray


def reduced(x: FloatArray, factor: int) -> FloatArray:
    """Return the means of squares of `factor` pixels; those at the far borders may be narrower.

    Parameters
    ----------
    x : array, (rows, cols) or (rows, cols, channels)
        Never changed.
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
    """Return a plane of the shape that `reduced` made this one from, interpolated linearly.

    Beyond the centres of the outermost squares, their values go on.

    Parameters
    ----------
    x : array, (rows, cols) or (rows, cols, channels)
        Never changed.
    factor : int
        By which it was reduced.
    shape : tuple of int
        Rows and columns of the result.
    rows : slice
        Which of its rows are wanted; all, if not given.

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
