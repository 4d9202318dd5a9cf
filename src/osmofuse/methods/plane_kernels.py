r"""Kernels between stored pictures and padded planes.

The product :math:`f^\alpha b^{1-\alpha}` is computed as :math:`b\, 2^t` with
:math:`t = \alpha \log_2 (f/b)`, from polynomials: within 3 units in the last place of single
precision, with the exact bits of b where alpha is 0 and of f where it is 1.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import as_strided

from osmofuse.kernels import fast_kernel, kernel, pixel, prange
from osmofuse.typing import Array, FloatArray

_ONE, _MIDDLE = np.float32(1.0), np.float32(128.5)
_MANTISSA, _BIAS = np.int32(23), np.int32(127)  # layout of single precision
_LEAST = np.int32(0x3F3504F3)  # bits of the square root of a half
_INFINITE = np.int32(0x7F800000)  # bits of infinity

# Minimax polynomials. With s = (m - 1)/(m + 1) and m within a factor of sqrt 2 of 1,
# log2 m = s (A1 + A3 s^2 + ...) within 1e-9; and 2^x = 1 + B1 x + ... within 2e-9 for |x| <= 1/2.
_A1, _A3, _A5, _A7 = (np.float32(a) for a in (2.88539004, 0.961809307, 0.575978996, 0.4463559))
_B1, _B2, _B3, _B4, _B5, _B6 = (
    np.float32(b)
    for b in (0.693147203, 0.240226479, 0.0555033247, 0.00961843736, 0.00133988746, 0.000153533621)
)


@pixel
def _mixed(f: Any, b: Any, alpha: Any) -> Any:
    """Return f^alpha b^(1 - alpha) of positive numbers in single precision."""
    bits = np.float32(f / b).view(np.int32)
    k = np.int32(np.int32(bits - _LEAST) >> _MANTISSA)
    m = np.int32(bits - np.int32(k << _MANTISSA)).view(np.float32)
    s = (m - _ONE) / (m + _ONE)
    q = s * s
    whole, part = np.float32(k), s * (_A1 + q * (_A3 + q * (_A5 + q * _A7)))  # of log2(f/b)
    n = np.int32(alpha * (whole + part) + _MIDDLE) - np.int32(128)
    x = (alpha * whole - np.float32(n)) + alpha * part
    y = _ONE + x * (_B1 + x * (_B2 + x * (_B3 + x * (_B4 + x * (_B5 + x * _B6)))))
    power = np.int32(np.int32(n + _BIAS) << _MANTISSA).view(np.float32)
    return f if alpha == _ONE else b * (y * power)


@fast_kernel
def _multiply_powers(
    w: FloatArray, f: FloatArray, alpha: FloatArray, sums: FloatArray, least: Array, cols: int
) -> None:
    """Set w to the product, and for each row its sum and the bits of its minimum.

    Seen as integers, positive floats have the same order, and a minimum needs no care for NaN.
    """
    for i in prange(1, sums.size + 1):
        total, smallest = 0.0, _INFINITE
        for j in range(1, cols + 1):
            x = _mixed(f[i, j], w[i, j], alpha[i, j])
            w[i, j] = x
            total += x
            bits = np.float32(x).view(np.int32)
            smallest = bits if bits < smallest else smallest
        sums[i - 1] = total
        least[i - 1] = smallest


def multiply_powers(
    w: FloatArray, f: FloatArray, alpha: FloatArray, shape: tuple[int, int]
) -> tuple[float, float]:
    """Set w, which holds b, to f^alpha b^(1 - alpha), on padded planes of single precision.

    Return the mean and the minimum of w.
    """
    rows, cols = shape
    # Numba would compile np.zeros for each type of a kernel's own arrays.
    sums, least = np.zeros(rows), np.zeros(rows, np.int32)
    _multiply_powers(w, f, alpha, sums, least, cols)
    return float(sums.sum()) / (rows * cols), float(least.view(np.float32).min())


@kernel
def _read(
    plane: FloatArray,
    samples: Array,
    down: int,
    right: int,
    white: Any,
    offset: Any,
    rows: int,
    cols: int,
) -> None:
    """Set a padded plane to samples on a line, divided by white, plus an offset."""
    for i in prange(rows):
        start = i * down
        for j in range(cols):
            plane[i + 1, j + 1] = np.float32(samples[start + j * right]) / white + offset


def read(plane: FloatArray, stored: Array, white: float, offset: float = 0.0) -> None:
    """Set a padded plane of single precision to stored samples, divided by white, plus an offset.

    `stored` has two dimensions, any strides, and any type of integers, bool or floats.
    """
    rows, cols = stored.shape
    one = np.float32
    _read(plane, *_line_of(stored), one(white), one(offset), rows, cols)


def _line_of(stored: Array) -> tuple[Array, int, int]:
    """Return the memory of stored samples as a read-only line, and the steps of rows and columns.

    Kernels are compiled for each type of array: this is the same for any strides.
    """
    if stored.dtype == np.bool_:
        stored = stored.view(np.uint8)
    size, depth = stored.itemsize, stored.dtype
    known = stored.flags.aligned and depth.isnative and depth != np.float16
    if not (known and all(step > 0 and step % size == 0 for step in stored.strides)):
        wide = np.float32 if depth == np.float16 else depth.newbyteorder("=")
        stored = np.array(stored, wide, order="C")
        size = stored.itemsize
    (rows, cols), (down, right) = stored.shape, (s // size for s in stored.strides)
    count = (rows - 1) * down + (cols - 1) * right + 1
    return as_strided(stored, (count,), (size,), writeable=False), down, right


@kernel
def _store(picture: FloatArray, planes: tuple[FloatArray, ...], offset: Any) -> None:
    """Put planes without their offset into the channels of a picture."""
    rows, cols, channels = picture.shape
    for i in prange(rows):
        for c in range(channels):
            for j in range(cols):
                picture[i, j, c] = planes[c][i, j] - offset


def store(picture: FloatArray, planes: Sequence[FloatArray], offset: float) -> None:
    """Put planes without their offset into the channels of a picture."""
    _store(picture, tuple(planes), planes[0].dtype.type(offset))
