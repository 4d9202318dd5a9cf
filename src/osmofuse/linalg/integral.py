r"""Least-squares integral of a drift on the edges of the grid.

.. math::

    \psi = \arg\min_\psi \sum_{ij} (\psi_j - \psi_i - d_{ij})^2 + \sum_i c_i\, \psi_i^2

solves :math:`(\operatorname{diag}(c) + L)\,\psi = D^* d`, a five-point matrix with unit edges. A
drift that no plane has is no trouble: the mismatch is spread. Mass c ties the integral to 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from typing import Any

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
        self._b.fill(0.0)
        for plane, weight in zip(planes, weights, strict=True):
            add_divergence(self._b, plane, weight)

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

    def tied(self, rounds: int, held: float, kappa: float, sure: FloatArray) -> FloatArray:
        r"""Improve the integral by V-cycles, before each of which the mass is set anew.

        It is :math:`c = h / (1 + \psi^2 / \kappa^2)^2 + s`: where the integral is far from 0 it is
        only tied by s. Return a copy.
        """
        number: Any = self._x.dtype.type
        for _ in range(rounds):
            t = inside(self._x, self.shape) / number(kappa)
            t *= t
            t += number(1.0)
            t *= t
            np.divide(number(held), t, out=t)
            t += sure
            self.set_mass(t)
            self._x, self._y = self._grid.cycle(self._x, self._y, self._b)
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
def add_divergence(b: FloatArray, x: FloatArray, weight: FloatArray) -> None:
    """Add D* d to a padded plane, with the drift d that `add_drift` would add."""
    rows, cols = x.shape
    half = weight.dtype.type(0.5)
    for i in prange(rows):
        before, after = max(i - 1, 0), min(i + 1, rows - 1)
        to, here, up, down = b[i + 1, 1:], x[i], x[before], x[after]
        m, m_up, m_down = weight[i], weight[before], weight[after]
        drift = np.zeros(cols + 1, x.dtype)
        for j in range(cols - 1):
            drift[j + 1] = (m[j] + m[j + 1]) * (here[j] - here[j + 1])
        for j in range(cols):
            along = drift[j + 1] - drift[j]
            above, below = (
                (m[j] + m_up[j]) * (here[j] - up[j]),
                (m[j] + m_down[j]) * (here[j] - down[j]),
            )
            to[j] += half * (above + below + along)
