r"""Osmosis matrix of a drift, split into columns and rows: :math:`A = A_0 + A_1`.

:math:`A_0` holds the flow along columns and :math:`A_1` that along rows. Each is tridiagonal, line
by line, so that :math:`(I - \tau A_k)^{-1}` costs no more than a few products: elimination along
every line and back substitution (Thomas). With the outflow of pixel i along a line to the next
pixel (:math:`n_i`) and to the previous one (:math:`p_i`), the pivots are

.. math::

    s_i + \tau n_i, \qquad s_{i+1} = 1 + \tau p_{i+1} \frac{s_i}{s_i + \tau n_i} :

sums of nonnegative terms. Nothing cancels, however long the step: the solution is positive where
u is, exactly, and has its mass up to rounding.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from osmofuse.kernels import kernel, prange
from osmofuse.linalg.kinds import CLOSED, FREE, Kinds
from osmofuse.typing import BoolArray, FloatArray


class SplitMatrix:
    """Osmosis matrix on the free pixels of a grid.

    Parameters
    ----------
    drift : array, (2, rows, cols)
        d on the edges to the lower and to the right neighbour.
    kind : array of uint8, (rows, cols), optional
        `FREE` pixels change, `HELD` ones do not, and nothing flows to or from `CLOSED` ones.
        All are free by default.
    """

    def __init__(self, drift: FloatArray, kind: Kinds | None = None) -> None:
        if kind is None:
            kind = np.full(drift.shape[1:], FREE, np.uint8)
        self.free: BoolArray = np.asarray(kind == FREE)
        is_open = _open_edges(kind)
        # Outflow of a pixel to its lower or right neighbour, and inflow from there.
        self.leaves = np.where(is_open, 1.0 + drift / 2.0, 0.0)
        self.comes = np.where(is_open, 1.0 - drift / 2.0, 0.0)
        # Elimination runs along rows; columns are rows of the transposed planes.
        self._lines: list[tuple[Any, ...]] = [
            tuple(
                np.ascontiguousarray(x) for x in (self.leaves[0].T, self.comes[0].T, self.free.T)
            ),
            (self.leaves[1], self.comes[1], self.free),
        ]

    @property
    def rate(self) -> float:
        r"""Largest :math:`|A_{ii}|`, the outflow of a pixel: at most 8."""
        total = self.leaves.sum(axis=0)
        total[1:] += self.comes[0, :-1]
        total[:, 1:] += self.comes[1, :, :-1]
        return float(total[self.free].max(initial=0.0))

    def __call__(self, u: FloatArray, axis: int | None = None) -> FloatArray:
        """Return A u, or only its part along columns (0) or rows (1)."""
        u, along = np.require(u, requirements=("C", "W")), (axis != 1, axis != 0)
        out = np.zeros_like(u)
        flow_in(out, u, self.leaves, self.comes, self.free, *along)
        return out

    def solve(self, u: FloatArray, tau: float, axis: int) -> FloatArray:
        r"""Return :math:`(I - \tau A_k)^{-1} u`, with u itself where pixels are not free."""
        leaves, comes, free = self._lines[axis]
        x = np.require(u.T if axis == 0 else u, requirements=("C", "W"))
        out = np.empty_like(x)
        eliminate(out, x, leaves, comes, free, tau)
        return np.ascontiguousarray(out.T) if axis == 0 else out


def _open_edges(kind: Kinds) -> BoolArray:
    """Return a mask of the edges, down and right, with a flow, as (2, rows, cols)."""
    found = np.zeros((2, *kind.shape), bool)
    for edges, here, there in (
        (found[0, :-1], kind[:-1], kind[1:]),
        (found[1, :, :-1], kind[:, :-1], kind[:, 1:]),
    ):
        edges[...] = (here != CLOSED) & (there != CLOSED)
    return found


@kernel
def flow_in(
    out: FloatArray,
    u: FloatArray,
    leaves: FloatArray,
    comes: FloatArray,
    free: BoolArray,
    down: bool,
    right: bool,
) -> None:
    """Add the inflow of each free pixel, along columns and along rows, to out."""
    rows, cols = u.shape
    for i in prange(rows):
        if down and i < rows - 1:
            for j in range(cols):
                out[i, j] += comes[0, i, j] * u[i + 1, j] - leaves[0, i, j] * u[i, j]
        if down and i > 0:
            for j in range(cols):
                out[i, j] -= comes[0, i - 1, j] * u[i, j] - leaves[0, i - 1, j] * u[i - 1, j]
        if right:
            for j in range(cols - 1):
                flux = comes[1, i, j] * u[i, j + 1] - leaves[1, i, j] * u[i, j]
                out[i, j] += flux
                out[i, j + 1] -= flux
        for j in range(cols):
            if not free[i, j]:
                out[i, j] = 0.0


@kernel
def eliminate(
    out: FloatArray,
    u: FloatArray,
    leaves: FloatArray,
    comes: FloatArray,
    free: BoolArray,
    tau: float,
) -> None:
    """Solve out - tau A out = u along each row."""
    rows, cols = u.shape
    for i in prange(rows):
        # Coefficient of the next pixel after elimination of the previous ones.
        share = np.zeros(cols)
        kept, value = 1.0, 0.0
        for j in range(cols):
            back = tau * comes[i, j - 1] if j > 0 else 0.0
            if free[i, j]:
                s = 1.0 + back * kept
                pivot = s + tau * leaves[i, j]
                enters = tau * leaves[i, j - 1] * value if j > 0 else 0.0
                value = (u[i, j] + enters) / pivot
                share[j] = tau * comes[i, j] / pivot
                kept = s / pivot
            else:
                value, kept = u[i, j], 1.0
            out[i, j] = value
        for j in range(cols - 2, -1, -1):
            out[i, j] += share[j] * out[i, j + 1]
