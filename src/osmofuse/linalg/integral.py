r"""Least-squares integral of a drift on the edges of the grid.

.. math::

    \psi = \arg\min_\psi \sum_{ij} (\psi_j - \psi_i - d_{ij})^2 + \sum_i c_i\, \psi_i^2

solves :math:`(\operatorname{diag}(c) + L)\,\psi = D^* d`, a five-point matrix with unit edges. A
drift that no plane has is no trouble: the mismatch is spread. Mass c ties the integral to 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy

import numpy as np

from osmofuse.kernels import kernel, prange
from osmofuse.linalg.multigrid import FINE_LOW, Hierarchy, chebyshev_steps
from osmofuse.linalg.stencil import inside, zeros
from osmofuse.operators.difference import backward_divergence
from osmofuse.typing import FloatArray


class Integral:
    """Solver of one shape; drift and mass may change, the memory is kept.

    Parameters
    ----------
    shape : tuple of int
        Rows and columns.
    dtype : type
        float32 or float64.
    levels : int, optional
        Largest number of grids; with one there are sweeps, but no V-cycles.
    """

    def __init__(
        self, shape: tuple[int, int], dtype: type = np.float32, *, levels: int | None = None
    ) -> None:
        self.shape, self._grid = shape, Hierarchy(shape, dtype, levels=levels)
        s = self._grid.finest
        inside(s.down, shape)[:-1] = 1.0
        inside(s.right, shape)[:, :-1] = 1.0
        self._x, self._y, self._b = (zeros(shape, dtype) for _ in range(3))

    @property
    def levels(self) -> int:
        """Number of grids."""
        return 1 + len(self._grid.levels)

    def twin(self) -> Integral:
        """Return a solver with the same mass, and a drift of its own."""
        found = copy(self)
        found._x, found._y, found._b = map(np.zeros_like, (self._x, self._y, self._b))
        return found

    def set_drift(self, drift: FloatArray) -> None:
        """Set d on the edges to the lower and to the right neighbour, (2, rows, cols)."""
        inside(self._b, self.shape)[...] = backward_divergence(drift)

    def set_mixed(self, planes: Sequence[FloatArray], weights: Sequence[FloatArray]) -> None:
        """Set d to the sum of the differences of planes, times the mean weight of two pixels."""
        b = inside(self._b, self.shape)
        b.fill(0.0)
        for plane, weight in zip(planes, weights, strict=True):
            add_divergence(b, plane, weight)

    def set_target(self, mass: FloatArray, target: FloatArray) -> None:
        r"""Set no drift, and a mass c that ties the integral to t: :math:`c (\psi - t)^2`."""
        inside(self._b, self.shape)[...] = mass * target
        self.set_mass(mass)

    def set_mass(self, mass: FloatArray | float) -> None:
        """Set c, not negative."""
        inside(self._grid.finest.mass, self.shape)[...] = mass
        self._grid.update()

    def set_start(self, psi: FloatArray | float) -> None:
        """Set the initial guess."""
        inside(self._x, self.shape)[...] = psi

    def cycle(self, count: int) -> FloatArray:
        """Improve the integral by V-cycles, and return it as a copy."""
        self._x, self._y = self._grid.cycle(self._x, self._y, self._b, count=count)
        return inside(self._x, self.shape).copy()

    def sweep(self, degree: int) -> FloatArray:
        """Improve the integral by sweeps on its own grid, and return a view of it."""
        steps = chebyshev_steps(FINE_LOW, 2.0, degree)
        self._x, self._y = self._grid.sweep(self._x, self._y, self._b, steps)
        return inside(self._x, self.shape)


@kernel
def add_drift(d: FloatArray, x: FloatArray, weight: FloatArray) -> None:
    """Add to d the differences of x, times the mean weight of their two pixels."""
    rows, cols = x.shape
    for i in prange(rows):
        for j in range(cols):
            if i < rows - 1:
                mean = 0.5 * (weight[i, j] + weight[i + 1, j])
                d[0, i, j] += mean * (x[i + 1, j] - x[i, j])
            if j < cols - 1:
                mean = 0.5 * (weight[i, j] + weight[i, j + 1])
                d[1, i, j] += mean * (x[i, j + 1] - x[i, j])


@kernel
def add_divergence(u: FloatArray, x: FloatArray, weight: FloatArray) -> None:
    """Add D* d to u, with the drift d that `add_drift` would add."""
    rows, cols = x.shape
    half = weight.dtype.type(0.5)
    for i in prange(rows):
        for k in (i - 1, i + 1):
            if 0 <= k < rows:
                for j in range(cols):
                    u[i, j] += half * (weight[i, j] + weight[k, j]) * (x[i, j] - x[k, j])
        for j in range(cols - 1):
            u[i, j] += half * (weight[i, j] + weight[i, j + 1]) * (x[i, j] - x[i, j + 1])
        for j in range(1, cols):
            u[i, j] += half * (weight[i, j] + weight[i, j - 1]) * (x[i, j] - x[i, j - 1])
