r"""Five-point matrices of transport, with different weights for the two ways along an edge.

With the drift d on edges (`osmofuse.operators.OsmosisEdges`), a positive plane w and a share
c in [0, 1],

.. math::

    (B r)_i = c\, w_i r_i + (1 - c)
        \sum_j \big[(1 + \tfrac{d_{ij}}2)\, w_i r_i - (1 - \tfrac{d_{ij}}2)\, w_j r_j\big]

is :math:`c u - (1 - c) A u` with A the osmosis matrix, written for the ratio :math:`r = u/w`. Up to
a factor, an implicit step :math:`u - \tau A u` is that with :math:`c = 1/(1 + \tau)`. If d is the
canonical drift of w the two weights of an edge are equal: B is then symmetric, a `Stencil`.
The columns of B sum to :math:`c w`. If edges of A have weights :math:`m_{ij}`, so have the terms
of the sum. Edges between pixels that are not direct neighbours are `LinkTransport`.

Each pixel is of one kind (`osmofuse.linalg.kinds`).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from osmofuse.kernels import fast_kernel, kernel, pixel, prange
from osmofuse.linalg.kinds import CLOSED, FREE, HELD, Kinds
from osmofuse.linalg.link_transport import LinkTransport
from osmofuse.linalg.stencil import Stencil, zeros
from osmofuse.typing import FloatArray


@dataclass(frozen=True, eq=False)
class Transport:
    """Matrix B on the free pixels of a grid.

    Attributes
    ----------
    shape : tuple of int
        Rows and columns of the grid.
    down, up : array
        Weights of the edge to the lower neighbour: outflow to it, and inflow from it. Padded,
        like all planes.
    right, left : array
        Weights of the edge to the right neighbour.
    diagonal : array
        Outflow of a pixel plus :math:`c w`; 0 where a pixel is not free.
    links : LinkTransport, optional
        Edges between pixels that are not direct neighbours.
    """

    shape: tuple[int, int]
    down: FloatArray
    up: FloatArray
    right: FloatArray
    left: FloatArray
    diagonal: FloatArray
    links: LinkTransport | None = None

    @classmethod
    def empty(cls, shape: tuple[int, int], links: LinkTransport | None = None) -> Transport:
        """Return a matrix of zeros in double precision."""
        down, up, right, left, diagonal = (zeros(shape, np.float64) for _ in range(5))
        return cls(shape, down, up, right, left, diagonal, links)

    def fill(
        self,
        drift: FloatArray,
        w: FloatArray,
        kind: Kinds,
        c: float,
        weight: FloatArray | None = None,
    ) -> None:
        """Set the weights.

        Parameters
        ----------
        drift : array, (2, rows, cols)
            d on the edges to the lower and to the right neighbour.
        w : array
            Padded; positive on free pixels.
        kind : array of uint8, (rows, cols)
            `CLOSED`, `FREE` or `HELD`.
        c : float
            Share of the identity.
        weight : array, (2, rows, cols), optional
            Weights m of the edges; 1 by default.
        """
        weights = (self.down, self.up, self.right, self.left, self.diagonal)
        m = np.ones_like(drift) if weight is None else weight
        fill(*weights, drift, m, w, kind, c)
        if self.links is not None:
            self.links.fill(self.diagonal, w, c)

    def __call__(self, r: FloatArray, out: FloatArray | None = None) -> FloatArray:
        """Apply B to a padded plane, into `out`, whose frame is zero, or a new plane."""
        y = np.zeros_like(r) if out is None else out
        transport(y, r, self.down, self.up, self.right, self.left, self.diagonal)
        if self.links is not None:
            self.links.subtract(y, r)
        return y

    def symmetrise(self, s: Stencil) -> None:
        """Set s to the symmetric matrix whose edges carry the mean of both weights.

        Its mass is :math:`c w` plus the outflow to held pixels. For a matrix without links.
        """
        symmetrise(
            *(s.down, s.right, s.mass),
            *(self.down, self.up, self.right, self.left, self.diagonal),
        )


@pixel
def leaves(here: int, there: int) -> bool:
    """Return True if the edge from a free pixel to another is open."""
    return here == FREE and there != CLOSED


@kernel
def fill(
    down: FloatArray,
    up: FloatArray,
    right: FloatArray,
    left: FloatArray,
    diagonal: FloatArray,
    d: FloatArray,
    m: FloatArray,
    w: FloatArray,
    kind: Kinds,
    c: float,
) -> None:
    """Set all weights; planes are padded; drift, edge weights and kinds are not."""
    rows, cols = kind.shape
    for k in prange(rows):
        i = k + 1
        for n in range(cols):
            j, here = n + 1, kind[k, n]
            total = c
            down[i, j] = up[i, j] = right[i, j] = left[i, j] = 0.0
            if k < rows - 1 and leaves(here, kind[k + 1, n]):
                h, s = 0.5 * d[0, k, n], (1.0 - c) * m[0, k, n]
                total += s * (1.0 + h)
                if kind[k + 1, n] == FREE:
                    down[i, j] = s * (1.0 + h) * w[i, j]
                    up[i, j] = s * (1.0 - h) * w[i + 1, j]
            if n < cols - 1 and leaves(here, kind[k, n + 1]):
                h, s = 0.5 * d[1, k, n], (1.0 - c) * m[1, k, n]
                total += s * (1.0 + h)
                if kind[k, n + 1] == FREE:
                    right[i, j] = s * (1.0 + h) * w[i, j]
                    left[i, j] = s * (1.0 - h) * w[i, j + 1]
            if k > 0 and leaves(here, kind[k - 1, n]):
                total += (1.0 - c) * m[0, k - 1, n] * (1.0 - 0.5 * d[0, k - 1, n])
            if n > 0 and leaves(here, kind[k, n - 1]):
                total += (1.0 - c) * m[1, k, n - 1] * (1.0 - 0.5 * d[1, k, n - 1])
            diagonal[i, j] = total * w[i, j] if here == FREE else 0.0


@fast_kernel
def transport(
    y: FloatArray,
    r: FloatArray,
    down: FloatArray,
    up: FloatArray,
    right: FloatArray,
    left: FloatArray,
    diagonal: FloatArray,
) -> None:
    """Set y = B r."""
    rows, cols = r.shape
    for i in prange(1, rows - 1):
        for j in range(1, cols - 1):
            y[i, j] = (
                diagonal[i, j] * r[i, j]
                - up[i, j] * r[i + 1, j]
                - down[i - 1, j] * r[i - 1, j]
                - left[i, j] * r[i, j + 1]
                - right[i, j - 1] * r[i, j - 1]
            )


@kernel
def symmetrise(
    stencil_down: FloatArray,
    stencil_right: FloatArray,
    mass: FloatArray,
    down: FloatArray,
    up: FloatArray,
    right: FloatArray,
    left: FloatArray,
    diagonal: FloatArray,
) -> None:
    """Set the mean edge weights, and the rest of the diagonal as mass."""
    rows, cols = mass.shape
    for i in prange(1, rows - 1):
        for j in range(1, cols - 1):
            stencil_down[i, j] = 0.5 * (down[i, j] + up[i, j])
            stencil_right[i, j] = 0.5 * (right[i, j] + left[i, j])
            rest = diagonal[i, j] - down[i, j] - up[i - 1, j] - right[i, j] - left[i, j - 1]
            mass[i, j] = max(rest, 0.0)


@kernel
def right_side(
    b: FloatArray,
    r: FloatArray,
    u: FloatArray,
    w: FloatArray,
    d: FloatArray,
    m: FloatArray,
    kind: Kinds,
    c: float,
) -> None:
    """Set r = u / w on free pixels, and b = c u plus the inflow from held neighbours."""
    rows, cols = kind.shape
    for k in prange(rows):
        i = k + 1
        for n in range(cols):
            if kind[k, n] != FREE:
                continue
            j, total = n + 1, 0.0
            if k < rows - 1 and kind[k + 1, n] == HELD:
                total += m[0, k, n] * (1.0 - 0.5 * d[0, k, n]) * u[i + 1, j]
            if n < cols - 1 and kind[k, n + 1] == HELD:
                total += m[1, k, n] * (1.0 - 0.5 * d[1, k, n]) * u[i, j + 1]
            if k > 0 and kind[k - 1, n] == HELD:
                total += m[0, k - 1, n] * (1.0 + 0.5 * d[0, k - 1, n]) * u[i - 1, j]
            if n > 0 and kind[k, n - 1] == HELD:
                total += m[1, k, n - 1] * (1.0 + 0.5 * d[1, k, n - 1]) * u[i, j - 1]
            b[i, j] = c * u[i, j] + (1.0 - c) * total
            r[i, j] = u[i, j] / w[i, j]
