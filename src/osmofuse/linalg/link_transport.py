r"""Links of a transport matrix: edges between pixels that are not direct neighbours.

For each of its links a pixel has the outflow :math:`m_{ij} (1 + d_{ij}/2)\, w_i` on the diagonal
of B, and the inflow :math:`m_{ij} (1 - d_{ij}/2)\, w_j` beside it, as for other edges
(`osmofuse.linalg.transport`). A link to a closed pixel is dropped. So is one that would join an
isolated component to anything else (`Components`), across pixels that are closed or held.
"""

from __future__ import annotations

import numpy as np

from osmofuse.kernels import fast_kernel, prange
from osmofuse.linalg.kinds import CLOSED, FREE, HELD, Kinds
from osmofuse.linalg.stencil import padded_shape
from osmofuse.operators.lattice_edges import Links
from osmofuse.typing import Array, FloatArray


class LinkTransport:
    """Links of a matrix B.

    Parameters
    ----------
    links : Links
        Edges with weight and drift.
    kind : array of uint8, (rows, cols)
        `CLOSED`, `FREE` or `HELD`.
    labels : array of int, (rows, cols)
        Number of each pixel's isolated component; 0 for all other pixels.

    Attributes
    ----------
    ends : tuple of array
        Pixels at both ends of each link, as indices into flat planes.
    pixel, there : array of int
        As in `Links`, as indices into flat padded planes.
    first : array of int
        As in `Links`.
    leaves, comes : array
        Outflow and inflow of a pixel along each link; 0 along dropped links.
    inner, held : array of bool
        True for links of a free pixel to a free one, and to a held one.
    values : array
        Entries of B beside the diagonal, without sign.
    """

    def __init__(self, links: Links, kind: Kinds, labels: Array) -> None:
        cols = kind.shape[1]
        width = padded_shape((kind.shape[0], cols))[1]
        self.ends = here, there = links.here, links.there
        kinds, label = kind.ravel(), labels.ravel()
        is_open = (kinds[here] == FREE) & (kinds[there] != CLOSED) & (label[here] == label[there])
        self.inner = is_open & (kinds[there] == FREE)
        self.held = is_open & (kinds[there] == HELD)
        m = np.where(is_open, links.weight, 0.0)
        self.leaves, self.comes = m * (1.0 + 0.5 * links.drift), m * (1.0 - 0.5 * links.drift)
        self.first = links.first
        self.pixel, self.there = (
            (n // cols + 1) * width + n % cols + 1 for n in (links.pixel, there)
        )
        self.values = np.zeros(self.there.size)

    def fill(self, diagonal: FloatArray, w: FloatArray, c: float) -> None:
        """Set the entries of B for a structure and a share, and add the links' to its diagonal."""
        self.values[...] = (1.0 - c) * self.comes * w.ravel()[self.there]
        self.values[~self.inner] = 0.0
        total = np.add.reduceat(self.leaves, self.first[:-1]) if self.pixel.size else 0.0
        diagonal.ravel()[self.pixel] += (1.0 - c) * total * w.ravel()[self.pixel]

    def subtract(self, y: FloatArray, r: FloatArray) -> None:
        """Subtract the links' inflow from y, the other terms of B r."""
        subtract_inflow(y.ravel(), r.ravel(), self.pixel, self.first, self.there, self.values)

    def add_held(self, b: FloatArray, u: FloatArray, c: float) -> None:
        """Add the inflow from held pixels to a right-hand side."""
        inflow = np.where(self.held, (1.0 - c) * self.comes * u.ravel()[self.there], 0.0)
        if self.pixel.size:
            b.ravel()[self.pixel] += np.add.reduceat(inflow, self.first[:-1])


@fast_kernel
def subtract_inflow(
    y: FloatArray, r: FloatArray, pixel: Array, first: Array, there: Array, values: FloatArray
) -> None:
    """Subtract the inflow along links; planes are flat."""
    for k in prange(pixel.size):
        total = 0.0
        for n in range(first[k], first[k + 1]):
            total += values[n] * r[there[n]]
        y[pixel[k]] -= total
