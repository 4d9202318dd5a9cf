"""Every public operator, energy term and method, once; and the grid they act on.

The generic laws (`operators/test_operators.py`, `energies/test_energies.py`,
`methods/test_methods.py`) run over it, and fail where a public class is missing.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from scipy.sparse import coo_array, eye_array
from scipy.sparse.linalg import spsolve

from osmofuse.energies import HuberTV, JointModel, Quadratic, Tikhonov
from osmofuse.linalg import CLOSED, FREE, Hierarchy, Stencil, inside
from osmofuse.methods import METHODS as KNOWN
from osmofuse.methods import (
    AnisotropicOsmosis,
    DirectMatting,
    LinearOsmosis,
    PoissonEditing,
    VariationalOsmosis,
)
from osmofuse.operators import ForwardDifference, LatticeOsmosis, OsmosisEdges

SHAPES = [(1, 1), (1, 6), (5, 1), (2, 2), (3, 4), (5, 7)]  # one pixel, one row, odd, even

OPERATORS = {
    ForwardDifference: lambda shape, rng: ForwardDifference(shape),
    OsmosisEdges: lambda shape, rng: OsmosisEdges.canonical(rng.uniform(1, 2, shape)),
    LatticeOsmosis: lambda shape, rng: LatticeOsmosis.canonical(
        rng.uniform(1, 2, shape), tensors(shape, rng)
    ),
}


def tensors(shape, rng, condition=400.0):
    """Positive tensors of any direction, with eigenvalues up to 1 in ratios up to a condition."""
    angle, least = rng.uniform(0, np.pi, shape), condition ** -rng.random(shape)
    c, s = np.cos(angle), np.sin(angle)
    return np.stack([c * c + least * s * s, (1 - least) * c * s, s * s + least * c * c])


@dataclass(frozen=True)
class Energy:
    """A function of one array, and a point around which it is twice differentiable."""

    x: np.ndarray
    value: Callable[[np.ndarray], float]
    gradient: Callable[[np.ndarray], np.ndarray]
    prox: Callable[[np.ndarray, float], np.ndarray] | None = None


def _quadratic(shape, rng):
    q = Quadratic(rng.uniform(0, 3, shape), rng.uniform(1, 2, shape))
    return Energy(rng.uniform(1, 2, shape), q.value, q.gradient, q.prox)


def _huber(shape, rng):
    h = HuberTV(0.3, 0.5)
    return Energy(terraces(shape, rng), h.value, h.gradient)


def _tikhonov(shape, rng):
    t = Tikhonov(0.7)
    return Energy(rng.uniform(1, 2, shape), t.value, t.gradient, t.prox)


def _joint(shape, rng):
    w, f = rng.uniform(1, 2, (2, *shape))
    model = JointModel(Quadratic(3.0, w), Quadratic(1.0, f), Tikhonov(0.7))
    return Energy(
        rng.uniform(1, 2, (2, *shape)),
        lambda x: model.coupling(*x),
        lambda x: np.stack(model.coupling_gradients(*x)),
    )


ENERGIES = {Quadratic: _quadratic, HuberTV: _huber, Tikhonov: _tikhonov, JointModel: _joint}


def terraces(shape: tuple[int, int], rng: np.random.Generator) -> np.ndarray:
    """Return a plane whose differences are below 0.1 on the left and above 1.5 on the right."""
    j = np.arange(shape[1])
    return 1.0 + 2.0 * np.maximum(j - shape[1] // 2, 0) + rng.uniform(0, 0.05, shape)


# Every method by the name that `fuse` knows, with its defaults, or in settings that end soon.
METHODS = {name: kind() for name, kind in KNOWN.items()} | {
    "variational": VariationalOsmosis(reach=2.0),
}

# Methods that do not look at alpha.
WITHOUT_ALPHA = {"average", "guided-filter", "structure-aware"}

# Methods that act only where alpha says so: where it is 1, the foreground keeps its bits.
LOCAL_METHODS = {
    "direct": DirectMatting(),
    "poisson": PoissonEditing(),
    "poisson mixed by edge": PoissonEditing(guidance="mixed"),
    "poisson mixed by pixel": PoissonEditing(guidance="mixed", mixed_by="pixel"),
    "poisson monochrome": PoissonEditing(guidance="monochrome"),
    "linear-osmosis local": LinearOsmosis(extent="local", time=math.inf),
    "anisotropic-osmosis local": AnisotropicOsmosis(extent="local", time=math.inf, widen=1),
}

Pixel = tuple[int, int]


def edges(shape: tuple[int, int]) -> Iterator[tuple[int, Pixel, Pixel]]:
    """Yield the edges of the grid: direction (0 down, 1 right), the pixel and its neighbour."""
    rows, cols = shape
    for i in range(rows):
        for j in range(cols):
            if i + 1 < rows:
                yield 0, (i, j), (i + 1, j)
            if j + 1 < cols:
                yield 1, (i, j), (i, j + 1)


def dense(operator: Callable[[np.ndarray], np.ndarray], shape: tuple[int, ...]) -> np.ndarray:
    """Return the matrix of a linear map on arrays of a shape."""
    units = np.eye(int(np.prod(shape))).reshape(-1, *shape)
    return np.stack([operator(unit).ravel() for unit in units], axis=1)


def osmosis_matrix(drift, kind=None, weight=None):
    """The osmosis matrix as a sparse one, edge by edge; no edge leads to a closed pixel."""
    shape = drift.shape[1:]
    open_ = np.ones(shape, bool) if kind is None else kind != CLOSED
    m = np.ones_like(drift) if weight is None else weight
    entries, places = [], []
    for k, a, b in edges(shape):
        if open_[a] and open_[b]:
            i, j = np.ravel_multi_index(a, shape), np.ravel_multi_index(b, shape)
            comes, leaves = m[k][a] * (1 - drift[k][a] / 2), m[k][a] * (1 + drift[k][a] / 2)
            entries += [comes, -leaves, -comes, leaves]
            places += [(i, j), (i, i), (j, j), (j, i)]
    rows, cols = np.array(places, int).reshape(-1, 2).T
    return coo_array((entries, (rows, cols)), 2 * (drift[0].size,)).tocsr()


def stationary_plane(drift):
    """The plane of mass 1 at which the flow of a drift ends."""
    values, vectors = np.linalg.eig(osmosis_matrix(drift).toarray())
    u = np.real(vectors[:, np.argmin(np.abs(values))])
    return (u / u.sum()).reshape(drift.shape[1:])


def solved_directly(drift, kind, u, tau):
    """The solution of x - tau A x = u on free pixels, of A x = 0 if tau is infinite."""
    return solved_with(osmosis_matrix(drift, kind), kind, u, tau)


def solved_with(A, kind, u, tau):
    """The same for a given sparse matrix."""
    x, free = u.ravel().copy(), kind.ravel() == FREE
    inner, outer = A[free][:, free], A[free][:, ~free] @ x[~free]
    if np.isinf(tau):
        x[free] = spsolve(-inner.tocsc(), outer)
    else:
        x[free] = spsolve((eye_array(inner.shape[0]) - tau * inner).tocsc(), x[free] + tau * outer)
    return x.reshape(u.shape)


def harmonic_stencil(v, mass, dtype=np.float64):
    """The five-point matrix mass v² + L_m of a structure, the diagonal not inverted yet."""
    stencil = Stencil.empty(v.shape, dtype)
    fill_harmonic(stencil, v, mass)
    return stencil


# Even, odd, narrow, of one row, tiny: a hierarchy coarsens them all.
GRIDS = [(64, 64), (63, 65), (5, 700), (1, 300), (300, 1), (37, 4), (7, 7), (2, 3), (97, 101)]


def harmonic_hierarchy(v, mass, *, heaviness=0.0, dtype=np.float64):
    """The multigrid hierarchy of `harmonic_stencil`."""
    hierarchy = Hierarchy(v.shape, dtype)
    fill_harmonic(hierarchy.finest, v, mass)
    hierarchy.update(heaviness=heaviness)
    return hierarchy


def fill_harmonic(stencil, v, mass):
    inside(stencil.down, v.shape)[:-1] = 2 * v[1:] * v[:-1] / (v[1:] + v[:-1])
    across = 2 * v[:, 1:] * v[:, :-1] / (v[:, 1:] + v[:, :-1])
    inside(stencil.right, v.shape)[:, :-1] = across
    inside(stencil.mass, v.shape)[...] = mass * v * v
