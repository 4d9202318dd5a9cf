r"""The equations of a drift: :math:`x - \tau A x = u`, and :math:`A x = 0`.

They are solved for the ratio to the nearest compatible structure w (`Transport`), by BiCGStab
preconditioned with the multigrid of the symmetric part. The equations are in double precision;
the cycles, which only precondition, in single. Where they do not help, sparse factors do.

The inverse of an M-matrix is positive, and a column of A makes no mass. Both stay true to the
last digit wherever a solver stops: x is no less than one sweep from zero makes it, and keeps
its mass where nothing is held.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from itertools import cycle

import numpy as np

from osmofuse.kernels import fast_kernel, kernel, prange
from osmofuse.linalg.compatible import nearest_structure
from osmofuse.linalg.factors import Factors
from osmofuse.linalg.krylov import Solution, bicgstab
from osmofuse.linalg.multigrid import Hierarchy
from osmofuse.linalg.pieces import Pieces
from osmofuse.linalg.stencil import inside, padded, zeros
from osmofuse.linalg.transport import FREE, Kinds, Transport, right_side
from osmofuse.operators import inner
from osmofuse.typing import BoolArray, FloatArray

LONG = 1e5  # a step beyond it leaves next to nothing of the identity
ENDLESS = 1e13  # a step beyond it is an infinite one, as far as rounding can tell
ROUNDING = 3e-15  # of a residual, beside the terms that it is made of
PATIENCE = 40  # iterations after which cycles are given up
FEW = 10  # with factors there is nothing to be gained after these but rounding
MOST_FACTORS = 300_000  # free pixels whose factors can be had in seconds


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
        self.shape, self.drift, self.kind = shape, drift, kind
        self.tau = tau = tau if tau <= ENDLESS else math.inf
        self.grid = Hierarchy(shape, np.float32)
        self.w = nearest_structure(drift, padded(w, np.float64), kind, self.grid)
        self.pieces = Pieces(kind)
        self.share = 1.0 / (1.0 + tau)
        self.matrix = Transport.empty(shape)
        self.matrix.fill(drift, self.w, kind, self.share)
        self.matrix.symmetrise(self.grid.finest)
        self.grid.update(heaviness=1.0 / tau)
        self._single = [zeros(shape, np.float32) for _ in range(3)]
        self._double = [zeros(shape, np.float64) for _ in range(6)]
        self._factors: Factors | None = None

    def solve(
        self,
        u: FloatArray,
        *,
        rtol: float,
        max_iter: int = 200,
        go_on: Callable[[], bool] = lambda: True,
    ) -> Solution:
        r"""Return x with :math:`x - \tau A x = u` on free pixels and x = u on all others.

        With :math:`\tau = \infty`: with :math:`A x = 0`, and the mass of u in every piece of
        free pixels that touches no held one.

        Parameters
        ----------
        u : array, (rows, cols)
            Not negative.
        rtol, max_iter, go_on
            As for `bicgstab`.
        """
        x = padded(self._start(u), np.float64)
        b, r, *turns = self._double
        right_side(b, r, x, self.w, self.drift, self.kind, self.share)
        products = cycle(turns[:2])
        find = partial(
            bicgstab, lambda y: self.matrix(y, next(products)), b,
            rtol=rtol, atol=self._rounding(r), go_on=go_on,
        )  # fmt: skip
        found = self._find(find, r, turns[2:], max_iter)
        if math.isfinite(found.residuals[-1]):
            settle(x, found.x, b, self.matrix.diagonal, self.w, self.kind)
        end = self.pieces.with_mass_of(u, inside(x, self.shape))
        return Solution(end, found.residuals, found.converged)

    def _find(
        self, find: Callable[..., Solution], r: FloatArray, turns: list[FloatArray], max_iter: int
    ) -> Solution:
        """Return what cycles find; and where they do not, what factors do."""
        before: tuple[float, ...] = ()
        if self._factors is None:
            planes = cycle(turns)
            small = max_iter > PATIENCE and np.count_nonzero(self.kind == FREE) <= MOST_FACTORS
            found = find(
                r, precondition=lambda y: self._cycle(y, next(planes)),
                max_iter=PATIENCE if small else max_iter,
            )  # fmt: skip
            before = found.residuals
            given_up = len(before) > PATIENCE or not math.isfinite(before[-1])
            if found.converged or not small or not given_up:
                return found
            try:
                self._factors = Factors(self.matrix, self._anchors())
            except RuntimeError:  # exactly singular: a drift of ±2 lets nothing come back
                return found
        found = find(r, precondition=self._factors, max_iter=min(max_iter, FEW))
        # What was small at the start may have grown, and its rounding with it.
        converged = found.converged or found.residuals[-1] <= self._rounding(found.x)
        return Solution(found.x, before + found.residuals, converged)

    def _rounding(self, r: FloatArray) -> float:
        """Return a residual of B r that is no more than rounding."""
        terms = self.matrix.diagonal * r
        return ROUNDING * math.sqrt(inner(terms, terms))

    def _anchors(self) -> BoolArray:
        """Return a pixel of each piece that the matrix leaves without a level."""
        if math.isfinite(self.tau):
            return np.zeros(self.shape, bool)
        return self.pieces.peaks(inside(self.w, self.shape))

    def _start(self, u: FloatArray) -> FloatArray:
        """Return where to start: u, or near the stationary state of a piece by itself."""
        if math.isfinite(self.tau):
            return u
        alone = np.where(self.pieces.labels > 0, inside(self.w, self.shape), u)
        return self.pieces.with_mass_of(u, alone)

    def _cycle(self, r: FloatArray, out: FloatArray) -> FloatArray:
        """Return what one cycle in single precision makes of B x = r from zero.

        After a long step little but its mass determines the level of a piece, and coarser
        grids do not tell pieces apart. The mass is right from the start, and stays so where
        directions have none: B is not singular for them.
        """
        x, y, b = self._single
        assign(b, r)
        x.fill(0.0)
        assign(out, self.grid.cycle(x, y, b)[0])
        if self.pieces.count and (self.tau > LONG or not self.pieces.whole):
            x = inside(out, self.shape)
            x[...] = self.pieces.without_mass(x, inside(self.w, self.shape))
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
            j = n + 1
            if kind[k, n] == FREE:
                sweep = b[i, j] / diagonal[i, j] if diagonal[i, j] > 0.0 else 0.0
                x[i, j] = w[i, j] * max(r[i, j], sweep)
