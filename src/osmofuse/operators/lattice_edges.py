r"""Anisotropic osmosis matrix: transport along the offsets of a tensor field.

For a field of positive tensors W, the flow :math:`u_t = \operatorname{div}(W(\nabla u - d\,u))`
becomes one along the edges of a graph. Each pixel p gives the edges :math:`p \to p \pm e_k` of
its decomposition :math:`W(p) = \sum_k w_k e_k e_k^T` (`osmofuse.operators.lattice`), each with
half the weight :math:`w_k`; edges out of the picture are dropped. With the weights :math:`m_{ij}`
of all these edges,

.. math::

    (A u)_i = \sum_j m_{ij} \big[(1 - d_{ij}/2)\, u_j - (1 + d_{ij}/2)\, u_i\big],
    \qquad d_{ij} = 2\,\frac{v_j - v_i}{v_j + v_i}

for the canonical drift of a structure v. As on the plain grid (`OsmosisEdges`), columns sum to
zero, off-diagonal entries are nonnegative for :math:`|d| \le 2`, and :math:`A v = 0`. Where
:math:`W = I` the graph is the plain grid, with weights 1, and A has the same bits.

The scheme of Parisotto et al. 2019 (doi:10.1088/1361-6420/ab08d2) takes central differences along
the offsets instead; it is not positive, and the structure is not quite steady.

Edges between direct neighbours are planes, as on the plain grid. All others are `Links`, a list:
it is short if W differs from the identity only in a narrow band.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from osmofuse.kernels import kernel, prange
from osmofuse.operators.lattice import lattice_basis
from osmofuse.operators.osmosis_edges import OsmosisEdges, at_edges, canonical_drift
from osmofuse.typing import Array, BoolArray, FloatArray


@dataclass(frozen=True, eq=False)
class Links:
    """Edges between pixels that are not direct neighbours, listed at both of their ends.

    Attributes
    ----------
    pixel : array of int, (n,)
        Pixels that have links, in order, as indices into the flat plane.
    first : array of int, (n + 1,)
        The links of pixel k are ``first[k]`` to ``first[k + 1] - 1``.
    there : array of int
        Pixel at the other end of each link.
    weight : array
        :math:`m_{ij}`, the same at both ends.
    drift : array
        :math:`d_{ij}` towards the other end, so of opposite sign at both ends.
    """

    pixel: Array
    first: Array
    there: Array
    weight: FloatArray
    drift: FloatArray

    @property
    def here(self) -> Array:
        """Pixel at this end of each link."""
        return np.repeat(self.pixel, np.diff(self.first))


@dataclass(frozen=True, eq=False)
class LatticeOsmosis:
    r"""Matrix :math:`A` of anisotropic osmosis.

    Made by `diffusion` or `canonical`; the drift is then changed with `with_drift` and `without`.

    Parameters
    ----------
    edges : OsmosisEdges
        Edges between direct neighbours, with drift and weight.
    links : Links
        All other edges.
    W : array, (3, rows, cols)
        Tensor field: row-row, row-column and column-column entries.

    Examples
    --------
    >>> import numpy as np
    >>> v = np.arange(1.0, 13.0).reshape(3, 4)
    >>> W = np.stack([np.full((3, 4), x) for x in (0.6, 0.4, 0.5)])
    >>> A = LatticeOsmosis.canonical(v, W)
    >>> bool(abs(A(5.0 * v)).max() < 1e-14)
    True
    """

    edges: OsmosisEdges
    links: Links
    W: FloatArray

    @classmethod
    def diffusion(cls, W: FloatArray) -> LatticeOsmosis:
        """Build the matrix of a tensor field without drift.

        Parameters
        ----------
        W : array, (3, rows, cols)
            Row-row, row-column and column-column entries of positive tensors.
        """
        weight, links = _graph(W)
        return cls(OsmosisEdges(np.zeros(weight.shape), weight), links, W)

    @classmethod
    def canonical(cls, v: FloatArray, W: FloatArray) -> LatticeOsmosis:
        """Build the matrix whose steady states are the multiples of a positive structure v."""
        return cls.diffusion(W).with_structure(v)

    def with_structure(self, v: FloatArray) -> LatticeOsmosis:
        """Return the matrix with the canonical drift of a positive structure v on all edges."""
        v = np.require(v, requirements=("C", "W"))
        here, there = (v.ravel()[n] for n in (self.links.here, self.links.there))
        return self.with_drift(canonical_drift(v), 2.0 * (there - here) / (there + here))

    def with_drift(self, drift: FloatArray, along: FloatArray) -> LatticeOsmosis:
        """Return the matrix with another drift, on edges and along links."""
        edges = OsmosisEdges(drift, self.edges.weight)
        return replace(self, edges=edges, links=replace(self.links, drift=along))

    def without(self, still: BoolArray) -> LatticeOsmosis:
        """Return the matrix with drift 0 on all edges that touch a pixel of a mask."""
        drift = np.where(at_edges(still, np.logical_or), 0.0, self.edges.drift)
        touches = still.ravel()[self.links.here] | still.ravel()[self.links.there]
        return self.with_drift(drift, np.where(touches, 0.0, self.links.drift))

    def stand_in(self, *, narrow: bool) -> FloatArray:
        """Return weights of a five-point matrix that is close to this one, for preconditioners.

        Per axis they are the conductance :math:`1/(W^{-1})_{kk}`, which is that across a narrow
        band whatever its direction, or :math:`W_{kk}`. An edge has the mean of both ends.
        """
        W = self.W
        down, right = W[0], W[2]
        if narrow:
            determinant = W[0] * W[2] - W[1] * W[1]
            down, right = determinant / W[2], determinant / W[0]
        return 0.5 * np.stack([at_edges(down, np.add)[0], at_edges(right, np.add)[1]])

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns of the grid."""
        return self.edges.shape

    def __call__(self, u: FloatArray) -> FloatArray:
        """Apply :math:`A`."""
        out = self.edges(u)
        add_flow(out.ravel(), np.ascontiguousarray(u).ravel(), *self._links)
        return out

    def adjoint(self, u: FloatArray) -> FloatArray:
        r"""Apply :math:`A^*`: :math:`(A^* u)_i = \sum_j m_{ij} (1 + d_{ij}/2)(u_j - u_i)`."""
        out = self.edges.adjoint(u)
        add_flow_back(out.ravel(), np.ascontiguousarray(u).ravel(), *self._links)
        return out

    @property
    def norm_bound(self) -> float:
        r"""Bound of the norm, :math:`\|A\|^2 \le \|A\|_1 \|A\|_\infty`."""
        here, there = self.edges.drift[0, :-1], self.edges.drift[1, :, :-1]
        largest = max(float(np.abs(d).max(initial=0.0)) for d in (here, there, self.links.drift))
        degree = self.edges.degree.ravel()
        np.add.at(degree, self.links.here, self.links.weight)
        return 2.0 * float(degree.max()) * (1.0 + largest / 2.0)

    @cached_property
    def _links(self) -> tuple[Array, Array, Array, FloatArray, FloatArray]:
        """Arrays of the links, as the kernels take them."""
        n = self.links
        return n.pixel, n.first, n.there, n.weight, n.drift


def _graph(W: FloatArray) -> tuple[FloatArray, Links]:
    """Return the weights of edges between direct neighbours, and the links, without drift."""
    shape = (W.shape[1], W.shape[2])
    plain = (W[0] == 1.0) & (W[1] == 0.0) & (W[2] == 1.0)
    weight = 0.5 * at_edges(plain.astype(np.float64), np.add)
    i, j = np.nonzero(~plain)
    pairs, halves = [np.zeros((2, 0), np.int64)], [np.zeros(0)]
    e, w = lattice_basis(W[:, i, j])
    for k, sign in np.ndindex(3, 2):
        here, there, half = _ends(i, j, (1 - 2 * sign) * e[k], 0.5 * w[k], shape)
        distance = np.abs(there - here).sum(axis=0)
        for axis in (0, 1):
            direct = (distance == 1) & (there[axis] != here[axis])
            place = np.minimum(here, there)[:, direct]
            np.add.at(weight[axis], (place[0], place[1]), half[direct])
        far = distance > 1
        p, q = (end[0, far] * shape[1] + end[1, far] for end in (here, there))
        pairs += [np.stack([p, q]), np.stack([q, p])]
        halves += [half[far], half[far]]
    return weight, _merged(np.concatenate(pairs, axis=1), np.concatenate(halves), shape)


def _ends(
    i: Array, j: Array, e: Array, half: FloatArray, shape: tuple[int, int]
) -> tuple[Array, Array, FloatArray]:
    """Return both ends of the edges along offsets, and their weights; those in the picture."""
    here = np.stack([i, j])
    there = here + e
    inside = (half > 0) & (there >= 0).all(axis=0)
    inside &= (there[0] < shape[0]) & (there[1] < shape[1])
    return here[:, inside], there[:, inside], half[inside]


def _merged(pairs: Array, halves: FloatArray, shape: tuple[int, int]) -> Links:
    """Return the links of pairs of pixels; both ends of a link may give it a weight."""
    key = pairs[0] * (shape[0] * shape[1]) + pairs[1]
    order = np.argsort(key, kind="stable")
    begin = _new(key[order])
    weight = np.add.reduceat(halves[order], begin) if key.size else halves
    here, there = pairs[:, order[begin]]
    first = _new(here)
    return Links(here[first], np.append(first, here.size), there, weight, np.zeros(here.size))


def _new(x: Array) -> Array:
    """Return the places of a sorted array at which a new value begins."""
    return np.flatnonzero(np.diff(x, prepend=-1))


@kernel
def add_flow(
    out: FloatArray,
    u: FloatArray,
    pixel: Array,
    first: Array,
    there: Array,
    m: FloatArray,
    d: FloatArray,
) -> None:
    """Add the inflow along links to A u; planes are flat."""
    for k in prange(pixel.size):
        total = 0.0
        for n in range(first[k], first[k + 1]):
            h = 0.5 * d[n]
            total += m[n] * ((1.0 - h) * u[there[n]] - (1.0 + h) * u[pixel[k]])
        out[pixel[k]] += total


@kernel
def add_flow_back(
    out: FloatArray,
    u: FloatArray,
    pixel: Array,
    first: Array,
    there: Array,
    m: FloatArray,
    d: FloatArray,
) -> None:
    """Add the links' part of A* u; planes are flat."""
    for k in prange(pixel.size):
        total = 0.0
        for n in range(first[k], first[k + 1]):
            total += m[n] * (1.0 + 0.5 * d[n]) * (u[there[n]] - u[pixel[k]])
        out[pixel[k]] += total
