r"""Least-squares integral of a drift on the edges of the grid.

.. math::

    \psi = \arg\min_\psi \sum_{ij} (\psi_j - \psi_i - d_{ij})^2 + \sum_i c_i\, \psi_i^2

solves :math:`(\operatorname{diag}(c) + L)\,\psi = D^* d`, a five-point matrix with unit edges. A
drift that no plane has is no trouble: the mismatch is spread. Mass c ties the integral to 0.
"""

from __future__ import annotations

import numpy as np

from osmofuse.kernels import kernel, prange
from osmofuse.linalg.multigrid import Hierarchy
from osmofuse.linalg.stencil import inside, zeros
from osmofuse.operators.difference import backward_divergence
from osmofuse.typing import FloatArray


class Integral:
    """Solver of one shape; drift and mass may change, the memory is kept."""

    def __init__(self, shape: tuple[int, int], dtype: type = np.float32) -> None:
        self.shape, self._grid = shape, Hierarchy(shape, dtype)
        s = self._grid.finest
        inside(s.down, shape)[:-1] = 1.0
        inside(s.right, shape)[:, :-1] = 1.0
        self._x, self._y, self._b = (zeros(shape, dtype) for _ in range(3))

    def set_drift(self, drift: FloatArray) -> None:
        """Set d on the edges to the lower and to the right neighbour, (2, rows, cols)."""
        inside(self._b, self.shape)[...] = backward_divergence(drift)

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
        for _ in range(count):
            self._x, self._y = self._grid.cycle(self._x, self._y, self._b)
        return inside(self._x, self.shape).copy()


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
