r"""The equations of a drift: :math:`x - \tau A x = u`, and :math:`A x = 0`.

They are solved for the ratio to the nearest compatible structure w (`Transport`), by BiCGStab
preconditioned with the multigrid of the symmetric part. The equations are in double precision;
the cycles, which only precondition, in single.

The inverse of an M-matrix is positive, and a column of A makes no mass. Both stay true to the
last digit wherever a solver stops: x is no less than one sweep from zero makes it, and keeps
its mass where nothing is held.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import cycle

import numpy as np

from osmofuse.kernels import fast_kernel, kernel, prange
from osmofuse.linalg.compatible import nearest_structure
from osmofuse.linalg.krylov import Solution, bicgstab
from osmofuse.linalg.multigrid import Hierarchy
from osmofuse.linalg.pieces import Pieces
from osmofuse.linalg.stencil import inside, padded, zeros
from osmofuse.linalg.transport import FREE, Kinds, Transport, right_side
from osmofuse.operators import inner
from osmofuse.typing import FloatArray

ROUNDING = 1e-15  # of a residual, beside the terms that it is made of


class DriftSystem:
    r"""The equations of linear osmosis with a drift, on the free pixels of a grid.

    Parameters
    ----------
    drift : array, (2, rows, cols)
        d on the edges to the lower and to the right neighbour.
    w : array, (rows, cols)
        A structure that is compatible with most of the drift; positive.
    kind : array of uint8, (rows, cols)
        `FREE` pixels are solved for, `HELD` ones keep their values, and nothing flows to or
        from `CLOSED` ones.
    tau : float
        The step; infinite for the stationary state.
    """

    def __init__(self, drift: FloatArray, w: FloatArray, kind: Kinds, tau: float) -> None:
        shape = (w.shape[0], w.shape[1])
        self.shape, self.drift, self.tau = shape, drift, tau
        self.grid = Hierarchy(shape, np.float32)
        self.w = nearest_structure(drift, padded(w, np.float64), kind, self.grid)
        self.pieces = Pieces(kind)
        # A piece that touches nothing held is known up to a factor: one pixel is held instead.
        self.kind = self.pieces.anchored(inside(self.w, shape)) if math.isinf(tau) else kind
        self.share = 1.0 / (1.0 + tau)
        self.matrix = Transport.empty(shape)
        self.matrix.fill(drift, self.w, self.kind, self.share)
        self.matrix.symmetrise(self.grid.finest)
        self.grid.update(heaviness=1.0 / tau)
        self._single = [zeros(shape, np.float32) for _ in range(3)]
        self._double = [zeros(shape, np.float64) for _ in range(6)]

    def solve(
        self,
        u: FloatArray,
        *,
        rtol: float,
        max_iter: int = 200,
        halt: Callable[[], bool] | None = None,
    ) -> Solution:
        r"""Return x with :math:`x - \tau A x = u` on free pixels and x = u on all others.

        With :math:`\tau = \infty`: with :math:`A x = 0`, and the mass of u in every piece of
        free pixels that touches no held one.

        Parameters
        ----------
        u : array, (rows, cols)
            Not negative.
        rtol, max_iter, halt
            As for `bicgstab`.
        """
        x = padded(self._start(u), np.float64)
        b, r, *turns = self._double
        right_side(b, r, x, self.w, self.drift, self.kind, self.share)
        terms = np.multiply(self.matrix.diagonal, r, out=turns[0])
        atol = ROUNDING * math.sqrt(inner(terms, terms))
        products, directions = cycle(turns[:2]), cycle(turns[2:])
        found = bicgstab(
            lambda y: self.matrix(y, next(products)), b, r,
            precondition=lambda y: self._precondition(y, next(directions)),
            rtol=rtol, atol=atol, max_iter=max_iter, halt=halt,
        )  # fmt: skip
        if math.isfinite(found.residuals[-1]):
            settle(x, found.x, b, self.matrix.diagonal, self.w, self.kind)
        end = self.pieces.with_mass_of(u, inside(x, self.shape))
        return Solution(end, found.residuals, found.converged)

    def _start(self, u: FloatArray) -> FloatArray:
        """Return where to start: u, or near the stationary state of a piece by itself."""
        if math.isfinite(self.tau):
            return u
        alone = np.where(self.pieces.labels > 0, inside(self.w, self.shape), u)
        return self.pieces.with_mass_of(u, alone)

    def _precondition(self, r: FloatArray, out: FloatArray) -> FloatArray:
        """Return what one cycle in single precision makes of B x = r from zero."""
        x, y, b = self._single
        assign(b, r)
        x.fill(0.0)
        assign(out, self.grid.cycle(x, y, b)[0])
        return out


@fast_kernel
def assign(y: FloatArray, x: FloatArray) -> None:
    """Set y = x in its own precision."""
    rows, cols = x.shape
    for i in prange(rows):
        for j in range(cols):
            y[i, j] = x[i, j]


@kernel
def settle(
    x: FloatArray, r: FloatArray, b: FloatArray, diagonal: FloatArray, w: FloatArray, kind: Kinds
) -> None:
    """Set x = w r on free pixels, but no less than the first Jacobi sweep."""
    rows, cols = kind.shape
    for k in prange(rows):
        i = k + 1
        for n in range(cols):
            if kind[k, n] == FREE:
                j = n + 1
                x[i, j] = w[i, j] * max(r[i, j], b[i, j] / diagonal[i, j])
