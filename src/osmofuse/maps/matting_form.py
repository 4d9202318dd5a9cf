r"""Quadratic form of a matte in its open pixels, stored compactly.

.. math::

    \sum_{i, j} l_{ij} (\alpha_i - \alpha_j)^2 + \sum_i e_i \alpha_i^2
    + m \sum_i \Big(\alpha_i - \sum_j w_{ij} \alpha_j\Big)^2

with links l along colour lines and ties, links e to known pixels, and mixtures w. Its matrix is
never formed: the products of mixtures alone fill a hundred places in a row.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from osmofuse.kernels import kernel, prange
from osmofuse.typing import Array, FloatArray

PARTS = 4  # of the pixels, processed in parallel; fixed, so that sums do not depend on threads
# Links of a pixel along lines, mixed neighbours, all neighbours; fixed for unrolled loops.
STEPS, MIXED, SIMILAR = 12, 10, 12
PIXELS_AT_ONCE = 1 << 16  # rows of sparse arrays at once: bounds memory


@dataclass(frozen=True, eq=False)
class MattingForm:
    """Matrix of the form.

    Open pixels are numbered row by row.

    Parameters
    ----------
    number : array of int32
        The number of each pixel of the picture, with a border; 0 for known pixels.
    places : array of int32, (pixels,)
        Index of each open pixel in the flat `number`.
    steps : array of int, (12,)
        Differences of such indices, from a pixel to those that lines link it to.
    lines : array of float32, (pixels, 12)
        Weights of these links; 0 to known pixels.
    near : array of int32, (pixels, 12)
        Numbers of similar pixels; 0 for known ones.
    ties : array of uint16, (pixels, 12)
        Strength of the ties to similar pixels, 0 to 65535; 0 for known pixels.
    mixtures : array of float32, (pixels, 10)
        Weights of the first ten of them in mixtures; 0 for known pixels.
    ends : array, (pixels,)
        Weight of the links to known pixels, e.
    tie, mixing : float
        Weight of a tie per unit of its strength, and of the mixtures, m.
    """

    number: Array
    places: Array
    steps: Array
    lines: FloatArray
    near: Array
    ties: Array
    mixtures: FloatArray
    ends: FloatArray
    tie: float
    mixing: float

    def __matmul__(self, x: FloatArray) -> FloatArray:
        # Unsigned indices need no check of their sign.
        number, places, near = (
            index.view(np.uint32) for index in (self.number.ravel(), self.places, self.near)
        )
        sums = _spread(
            x, number, places, self.steps, self.lines, near, self.ties, self.mixtures, self.ends,
            self.tie, self.mixing,
        )  # fmt: skip
        return np.asarray(sums.sum(axis=0))

    def diagonal(self) -> FloatArray:
        """Return the diagonal."""
        total = self._links()
        total += self.mixing
        for w, j in zip(self.mixtures.T, self.near.T, strict=False):
            total += self.mixing * np.bincount(j, np.square(w, dtype=np.float64), len(total))
        return total

    def _links(self) -> FloatArray:
        """Return the diagonal without the mixtures."""
        total = self.ends + self.lines.sum(axis=1, dtype=np.float64)
        total += self.tie * self.ties.sum(axis=1, dtype=np.float64)
        for weight, step in zip(self.lines.T, self.steps, strict=True):
            total += np.bincount(self.number.ravel()[self.places + step], weight, len(total))
        for weight, j in zip(self.ties.T, self.near.T, strict=True):
            total += self.tie * np.bincount(j, weight, len(total))
        return np.asarray(total)

    def projected(self, space: Any) -> Any:
        """Return P^T A P, a sparse array in P's precision, for a P of few columns in a row."""
        links = self._links()
        total: Any = None
        for here in _parts(len(links)):
            rows = space[here]
            along = rows.multiply(0.5 * links[here, None]).tocsr() - self._ahead(here) @ space
            half = rows.T @ along
            misfit = rows - self._mixed(here) @ space
            part = (half + half.T + self.mixing * (misfit.T @ misfit)).astype(space.dtype)
            total = part if total is None else total + part
        return total.tocsr()

    def _ahead(self, here: slice) -> Any:
        """Return the weights of the links from some pixels."""
        ends = self.number.ravel()[self.places[here, None] + self.steps]
        return self._rows([self.lines[here], self.tie * self.ties[here]], [ends, self.near[here]])

    def _mixed(self, here: slice) -> Any:
        """Return the weights of the mixtures of some pixels."""
        mixtures = self.mixtures[here]
        return self._rows([mixtures], [self.near[here, : mixtures.shape[1]]])

    def _rows(self, weights: list[FloatArray], ends: list[Array]) -> Any:
        from scipy.sparse import csr_array

        values = np.concatenate(weights, axis=1, dtype=np.float64)
        columns = np.concatenate(ends, axis=1)
        starts = np.arange(len(values) + 1, dtype=np.int32) * np.int32(values.shape[1])
        shape = len(values), len(self.ends)
        return csr_array((values.ravel(), columns.ravel(), starts), shape=shape)


def _parts(count: int) -> Iterator[slice]:
    for first in range(0, count, PIXELS_AT_ONCE):
        yield slice(first, first + PIXELS_AT_ONCE)


@kernel
def _spread(
    x: FloatArray,
    number: Array,
    places: Array,
    steps: Array,
    lines: FloatArray,
    near: Array,
    ties: Array,
    mixtures: FloatArray,
    ends: FloatArray,
    tie: float,
    mixing: float,
) -> FloatArray:
    """Return the product with x, as sums over parts of the pixels."""
    count = len(places)
    sums = np.empty((PARTS, count))
    for part in prange(PARTS):
        y = sums[part]
        y[:] = 0.0
        for i in range(part * count // PARTS, (part + 1) * count // PARTS):
            own = x[i]
            flow = ends[i] * own
            for s in range(STEPS):
                j = number[places[i] + steps[s]]
                along = lines[i, s] * (own - x[j])
                flow += along
                y[j] -= along
            misfit = own
            for s in range(MIXED):
                misfit -= mixtures[i, s] * x[near[i, s]]
            misfit *= mixing
            flow += misfit
            for s in range(MIXED):
                j = near[i, s]
                along = tie * ties[i, s] * (own - x[j])
                flow += along
                y[j] -= along + mixtures[i, s] * misfit
            for s in range(MIXED, SIMILAR):
                j = near[i, s]
                along = tie * ties[i, s] * (own - x[j])
                flow += along
                y[j] -= along
            y[i] += flow
    return sums
