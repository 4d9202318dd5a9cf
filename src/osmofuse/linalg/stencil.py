r"""Five-point matrices on padded planes.

A matrix :math:`A = \operatorname{diag}(c) + L_m` has a mass :math:`c_i \ge 0` at every pixel
and a weight :math:`m_{ij} \ge 0` on every edge:

.. math::  (A x)_i = c_i x_i + \sum_j m_{ij} (x_i - x_j).

Planes carry a frame of one pixel and an even number of rows and columns inside it, so that
kernels need no branches at borders and blocks of 2 × 2 always fit. The weights of edges into the
frame are zero, and so are all values in the row or column that makes a size even. The first pixel
inside each row begins a cache line, and neighbouring rows lie in different sets of a cache.
"""

from __future__ import annotations

import threading
import weakref
from dataclasses import dataclass
from itertools import cycle

import numpy as np

from osmofuse.kernels import fast_kernel, prange
from osmofuse.typing import Array, FloatArray

_LINE = 16  # samples in a cache line of 64 bytes, in single precision
_PAGE = 4096  # bytes, after which the sets of a cache begin again
_places = cycle(range(0, _PAGE, 320))  # multiples of a cache line, 13 of them


class _Blocks:
    """Blocks of zeros, from which planes of medium size are cut.

    NumPy asks for large memory pages from 4 MB on. Smaller planes, each by itself, would be mapped
    in pages of 4 kB, one page fault each, which takes ten times as long as writing them. A block
    lives as long as any of its planes, and no part of it is used twice.
    """

    least, most = 1 << 16, 1 << 22  # bytes of the planes
    size = 1 << 24  # bytes of a block

    def __init__(self) -> None:
        self._block: weakref.ref[Array] | None = None
        self._used = 0
        self._lock = threading.Lock()

    def cut(self, size: int) -> Array:
        """Return zeros."""
        if not self.least <= size < self.most:
            return np.zeros(size, np.uint8)
        with self._lock:
            block = None if self._block is None else self._block()
            if block is None or self._used + size > self.size:
                block = np.zeros(self.size, np.uint8)
                self._block, self._used = weakref.ref(block), 0
            self._used += size
            return block[self._used - size : self._used]


_blocks = _Blocks()


def padded_shape(shape: tuple[int, int]) -> tuple[int, int]:
    """Return the shape of a padded plane for a grid: a row is an odd number of cache lines."""
    rows, cols = shape
    lines = -(-(cols + cols % 2 + 2) // _LINE) | 1
    return rows + rows % 2 + 2, lines * _LINE


def zeros(shape: tuple[int, int], dtype: type = np.float32) -> FloatArray:
    """Return a padded plane of zeros for a grid.

    Successive planes begin at different offsets within a memory page. Otherwise a kernel that reads
    the same pixel of ten planes would fetch ten lines of one cache set.
    """
    rows, cols = padded_shape(shape)
    return flat_zeros(rows * cols, dtype).reshape(rows, cols)


def flat_zeros(size: int, dtype: type = np.float32) -> FloatArray:
    """Return zeros; the second begins a cache line, each time at another place of a page."""
    one = np.dtype(dtype).itemsize
    memory = _blocks.cut(size * one + _PAGE)
    start = (next(_places) - one - memory.ctypes.data) % _PAGE
    found: FloatArray = memory[start : start + size * one].view(dtype)
    return found


def padded(x: FloatArray, dtype: type = np.float32) -> FloatArray:
    """Return a plane with its frame."""
    shape = (x.shape[0], x.shape[1])
    out = zeros(shape, dtype)
    inside(out, shape)[...] = x
    return out


def inside(x: FloatArray, shape: tuple[int, int]) -> FloatArray:
    """Return the view of a padded plane without its frame."""
    return x[1 : shape[0] + 1, 1 : shape[1] + 1]


@dataclass(frozen=True, eq=False)
class Stencil:
    """Five-point matrix on a grid.

    Attributes
    ----------
    shape : tuple of int
        Rows and columns of the grid.
    down, right : array
        Weights m of the edges to the lower and to the right neighbour; padded.
    mass : array
        Mass c; padded.
    inverse : array
        Inverse of the diagonal, 0 outside the grid; padded.
    """

    shape: tuple[int, int]
    down: FloatArray
    right: FloatArray
    mass: FloatArray
    inverse: FloatArray

    @classmethod
    def empty(cls, shape: tuple[int, int], dtype: type = np.float32) -> Stencil:
        """Return a matrix of zeros."""
        return cls(shape, *(zeros(shape, dtype) for _ in range(4)))

    def __call__(self, x: FloatArray) -> FloatArray:
        """Apply the matrix to a padded plane."""
        y = np.zeros_like(x)
        apply(y, x, self.down, self.right, self.mass)
        return y

    def invert_diagonal(self) -> None:
        """Compute `inverse` from the weights and the mass."""
        invert_diagonal(self.inverse, self.down, self.right, self.mass)


@fast_kernel
def apply(
    y: FloatArray, x: FloatArray, down: FloatArray, right: FloatArray, mass: FloatArray
) -> None:
    """Set y = A x."""
    rows, cols = x.shape
    for i in prange(1, rows - 1):
        for j in range(1, cols - 1):
            y[i, j] = (
                mass[i, j] * x[i, j]
                + down[i - 1, j] * (x[i, j] - x[i - 1, j])
                + down[i, j] * (x[i, j] - x[i + 1, j])
                + right[i, j - 1] * (x[i, j] - x[i, j - 1])
                + right[i, j] * (x[i, j] - x[i, j + 1])
            )


@fast_kernel
def invert_diagonal(
    inverse: FloatArray, down: FloatArray, right: FloatArray, mass: FloatArray
) -> None:
    """Set inverse = 1 / diag(A); 0 where a row of A is empty."""
    rows, cols = mass.shape
    zero, one = mass.dtype.type(0.0), mass.dtype.type(1.0)
    for i in prange(1, rows - 1):
        for j in range(1, cols - 1):
            d = mass[i, j] + down[i - 1, j] + down[i, j] + right[i, j - 1] + right[i, j]
            inverse[i, j] = one / d if d > zero else zero
