"""Smaller and larger copies of a plane."""

from __future__ import annotations

import numpy as np

from osmofuse.kernels import kernel, prange
from osmofuse.typing import Array, FloatArray


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
    bands = x[..., np.newaxis] if x.ndim == 2 else x
    rows, cols, channels = bands.shape
    small = np.empty((-(-rows // factor), -(-cols // factor), channels), x.dtype)
    for c in range(channels):
        block_means(bands[..., c], factor, small[..., c])
    return small.reshape(*small.shape[:2], *x.shape[2:])


@kernel
def block_means(x: FloatArray, factor: int, small: FloatArray) -> None:
    """Set `small` to the means of blocks; they are summed in double precision."""
    rows, cols = x.shape
    whole = cols // factor
    for i in prange(small.shape[0]):
        bottom = min((i + 1) * factor, rows)
        tall = bottom - i * factor
        total = np.zeros(small.shape[1])
        for k in range(i * factor, bottom):
            for m in range(factor):
                for j in range(whole):
                    total[j] += x[k, j * factor + m]
            for m in range(whole * factor, cols):
                total[whole] += x[k, m]
        for j in range(whole):
            small[i, j] = total[j] / (tall * factor)
        if whole < small.shape[1]:
            small[i, whole] = total[whole] / (tall * (cols - whole * factor))


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
    bands = x[..., np.newaxis] if x.ndim == 2 else x
    up, down, part = _neighbours(np.arange(shape[0])[rows], factor, x.shape[0])
    left, right, share = _neighbours(np.arange(shape[1]), factor, x.shape[1])
    large = np.empty((len(up), len(left), bands.shape[2]), x.dtype)
    kind = x.dtype
    weights = part.astype(kind), share.astype(kind)
    for c in range(bands.shape[2]):
        interpolate(bands[..., c], up, down, left, right, *weights, large[..., c])
    return large.reshape(*large.shape[:2], *x.shape[2:])


def _neighbours(pixels: Array, factor: int, count: int) -> tuple[Array, Array, FloatArray]:
    """Return the two samples of a reduced line next to pixels, and the second one's weight."""
    place = np.clip((pixels + 0.5) / factor - 0.5, 0, count - 1)
    before = np.floor(place).astype(np.int64)
    return before, np.minimum(before + 1, count - 1), place - before


@kernel
def interpolate(
    x: FloatArray,
    up: Array,
    down: Array,
    left: Array,
    right: Array,
    part: FloatArray,
    share: FloatArray,
    large: FloatArray,
) -> None:
    """Set `large` to x, interpolated linearly along columns, then rows."""
    rows, cols = large.shape
    for i in prange(rows):
        line = x[up[i]] + part[i] * (x[down[i]] - x[up[i]])
        for j in range(cols):
            first = line[left[j]]
            large[i, j] = first + share[j] * (line[right[j]] - first)


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
