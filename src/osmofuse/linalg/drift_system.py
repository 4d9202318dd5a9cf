r"""Linear systems of a drift: :math:`x - \tau A x = u`, and :math:`A x = 0`.

The unknown is the ratio to the nearest compatible structure w (`Transport`). The solver is
BiCGStab, preconditioned with the multigrid of the symmetric part. The equations are in double
precision, the cycles in single. If these do not converge, a sparse LU factorisation does.

The inverse of an M-matrix is positive, and the columns of A sum to 0. The solution satisfies both
consequences to the last digit, however early the solver stops: x is at least the result of one
Jacobi sweep from zero, and has the mass of u where nothing is held.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from itertools import cycle

import numpy as np

from osmofuse.kernels import fast_kernel, kernel, prange
from osmofuse.linalg.band_solver import BandSolver
from osmofuse.linalg.components import Components
from osmofuse.linalg.grid_passes import FRESH
from osmofuse.linalg.kinds import FREE, Kinds
from osmofuse.linalg.krylov import Solution, bicgstab
from osmofuse.linalg.link_transport import LinkTransport
from osmofuse.linalg.multigrid import Hierarchy
from osmofuse.linalg.nearest_structure import nearest_structure
from osmofuse.linalg.sparse_lu import SparseLU
from osmofuse.linalg.stencil import inside, padded, zeros
from osmofuse.linalg.transport import Transport, right_side
from osmofuse.operators import inner
from osmofuse.operators.lattice_edges import Links
from osmofuse.typing import BoolArray, FloatArray

LONG_STEP = 1e5  # above it the identity is negligible, and the level of a component ill-determined
INFINITE_STEP = 1e13  # above it a step equals an infinite one up to rounding
RESIDUAL_ROUNDING = 3e-15  # of a residual, relative to its terms
CYCLE_ITERATIONS = 40  # with multigrid, before the LU factorisation is tried
LU_ITERATIONS = 10  # with LU factors; more only reproduce rounding
# Pixels with links, for LU factors of their block: 20 MB and 0.1 s for 20000 in a narrow band,
# 4 s for 90000 all over a picture. Without the factors, cycles take up to ten times as many.
LARGEST_BAND = 200_000
LARGEST_LU = 300_000  # free pixels; a factorisation of this size takes seconds


class DriftSystem:
    r"""Equations of linear osmosis with a drift, on the free pixels of a grid.

    Parameters
    ----------
    drift : array, (2, rows, cols)
        d on the edges to the lower and to the right neighbour.
    w : array, (rows, cols)
        Structure that is compatible with most of the drift; positive.
    kind : array of uint8, (rows, cols)
        `FREE` pixels are unknowns, `HELD` ones keep their values, and nothing flows to or from
        `CLOSED` ones.
    tau : float
        Step length; infinite for the stationary state.
    weight : array, (2, rows, cols), optional
        Weights of the same edges; 1 by default.
    links : Links, optional
        Edges between pixels that are not direct neighbours, with drift and weight.
    stand_in : array, (2, rows, cols), optional
        Weights of a five-point matrix like that of edges and links, for the preconditioner;
        `weight` by default.
    """

    def __init__(
        self,
        drift: FloatArray,
        w: FloatArray,
        kind: Kinds,
        tau: float,
        *,
        weight: FloatArray | None = None,
        links: Links | None = None,
        stand_in: FloatArray | None = None,
    ) -> None:
        shape = (w.shape[0], w.shape[1])
        self.shape, self.drift, self.kind = shape, drift, kind
        self.weight = np.ones_like(drift) if weight is None else weight
        self.tau = tau = tau if tau <= INFINITE_STEP else math.inf
        self.grid = Hierarchy(shape, np.float32)
        self.w = nearest_structure(drift, padded(w, np.float64), kind, self.grid)
        self.components = Components(kind)
        self.share = 1.0 / (1.0 + tau)
        self.matrix = Transport.empty(shape)
        self.matrix.fill(
            drift, self.w, kind, self.share, self.weight if stand_in is None else stand_in
        )
        self.matrix.symmetrise(self.grid.finest)
        self.grid.update(heaviness=1.0 / tau)
        self._band: BandSolver | None = None
        if links is not None:
            self.matrix = self._linked(links)
        self._single = [zeros(shape, np.float32) for _ in range(3)]
        self._double = [zeros(shape, np.float64) for _ in range(6)]
        self._lu: SparseLU | None = None

    def _linked(self, links: Links) -> Transport:
        """Return the matrix with links, and factorise its block around them if that is small."""
        own = LinkTransport(links, self.kind, self.components.labels)
        matrix = replace(self.matrix, links=own)
        matrix.fill(self.drift, self.w, self.kind, self.share, self.weight)
        if links.pixel.size <= LARGEST_BAND:
            self._band = BandSolver(matrix, own)
        return matrix

    def solve(
        self,
        u: FloatArray,
        *,
        rtol: float,
        max_iter: int = 200,
        go_on: Callable[[], bool] = lambda: True,
    ) -> Solution:
        r"""Return x with :math:`x - \tau A x = u` on free pixels and x = u on all others.

        With :math:`\tau = \infty`, x satisfies :math:`A x = 0` and has the mass of u in every
        component of free pixels that touches no held one.

        Parameters
        ----------
        u : array, (rows, cols)
            Nonnegative.
        rtol, max_iter, go_on
            As for `bicgstab`.
        """
        x = padded(self._start(u), np.float64)
        b, r, *turns = self._double
        right_side(b, r, x, self.w, self.drift, self.weight, self.kind, self.share)
        if self.matrix.links is not None:
            self.matrix.links.add_held(b, x, self.share)
        products = cycle(turns[:2])
        find = partial(
            bicgstab, lambda y: self.matrix(y, next(products)), b,
            rtol=rtol, atol=self._rounding(r), go_on=go_on,
        )  # fmt: skip
        found = self._find(find, r, turns[2:], max_iter, go_on)
        if math.isfinite(found.residuals[-1]):
            settle(x, found.x, b, self.matrix.diagonal, self.w, self.kind)
        end = self.components.with_mass_of(u, inside(x, self.shape))
        return Solution(end, found.residuals, found.converged)

    def _find(
        self,
        find: Callable[..., Solution],
        r: FloatArray,
        turns: list[FloatArray],
        max_iter: int,
        go_on: Callable[[], bool],
    ) -> Solution:
        """Solve with multigrid as preconditioner and, if that fails, with LU factors."""
        before: tuple[float, ...] = ()
        if self._lu is None:
            planes = cycle(turns)
            small = (
                max_iter > CYCLE_ITERATIONS and np.count_nonzero(self.kind == FREE) <= LARGEST_LU
            )
            found = find(
                r, precondition=lambda y: self._cycle(y, next(planes)),
                max_iter=CYCLE_ITERATIONS if small else max_iter,
            )  # fmt: skip
            before = found.residuals
            if found.converged or not small or not go_on():
                return found
            try:
                self._lu = SparseLU(self.matrix, self._anchors())
            except RuntimeError:  # exactly singular: a drift of ±2 is a one-way edge
                return found
        found = find(r, precondition=self._lu, max_iter=min(max_iter, LU_ITERATIONS))
        # The solution may be larger than the start, and so its rounding.
        converged = found.converged or found.residuals[-1] <= self._rounding(found.x)
        return Solution(found.x, before + found.residuals, converged)

    def _rounding(self, r: FloatArray) -> float:
        """Return the rounding error of a residual of B r."""
        terms = self.matrix.diagonal * r
        return RESIDUAL_ROUNDING * math.sqrt(inner(terms, terms))

    def _anchors(self) -> BoolArray:
        """Return a mask with one pixel in each component on which the matrix is singular."""
        if math.isfinite(self.tau):
            return np.zeros(self.shape, bool)
        return self.components.peaks(inside(self.w, self.shape))

    def _start(self, u: FloatArray) -> FloatArray:
        """Return the initial guess: u, or for infinite tau w scaled in isolated components."""
        if math.isfinite(self.tau):
            return u
        alone = np.where(self.components.labels > 0, inside(self.w, self.shape), u)
        return self.components.with_mass_of(u, alone)

    def _cycle(self, r: FloatArray, out: FloatArray) -> FloatArray:
        """Return the result of one cycle in single precision on B x = r from zero.

        For a long step the level of a component is determined by little but its mass, and
        coarser grids do not separate components. The initial guess has the right mass; directions
        without mass keep it, and B is not singular for them.
        """
        x, y, b = self._single
        assign(b, r)
        assign(out, self.grid.cycle(x, y, b, start=FRESH)[0])
        if self._band is not None:
            self._band.correct(out, r)
        if self.components.count and (self.tau > LONG_STEP or not self.components.whole):
            x = inside(out, self.shape)
            x[...] = self.components.without_mass(x, inside(self.w, self.shape))
        return out


@fast_kernel
def assign(y: FloatArray, x: FloatArray) -> None:
    """Set y = x, in the precision of y."""
    rows, cols = x.shape
    for i in prange(rows):
        for j in range(cols):
            y[i, j] = x[i, j]


@kernel
def settle(
    x: FloatArray, r: FloatArray, b: FloatArray, diagonal: FloatArray, w: FloatArray, kind: Kinds
) -> None:
    """Set x = w r on free pixels, bounded below by the first Jacobi sweep."""
    rows, cols = kind.shape
    for k in prange(rows):
        i = k + 1
        for n in range(cols):
            j = n + 1
            if kind[k, n] == FREE:
                sweep = b[i, j] / diagonal[i, j] if diagonal[i, j] > 0.0 else 0.0
                x[i, j] = w[i, j] * max(r[i, j], sweep)
