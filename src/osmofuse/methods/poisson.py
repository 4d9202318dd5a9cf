r"""Poisson editing (Pérez, Gangnet and Blake 2003, doi:10.1145/882262.882269).

In the region :math:`A` where alpha is small, u has differences as close as can be to a guide g,
taken from the background; everywhere else it is the foreground:

.. math::

    \min_u \; |D u - g|^2 \quad\text{with}\quad u = f \text{ outside } A .

Differences across the picture's border are free. With the paste w, which is b in the
region and f outside, u = w + x, and the correction x solves

.. math::

    D^* D x = D^* (g - D w) \text{ in } A, \qquad x = 0 \text{ outside.}

The guide g may import :math:`D b`, or mix: take of :math:`D b` and :math:`D f` the larger, edge
by edge or pixel by pixel.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, Literal

import numpy as np

from osmofuse.checks import choice, number
from osmofuse.errors import InputError
from osmofuse.kernels import threads_for
from osmofuse.linalg import Hierarchy, flexible_cg, inside, padded
from osmofuse.methods.contract import Fusion
from osmofuse.methods.cost import Cost
from osmofuse.methods.passes import Passes, fuse_by_passes
from osmofuse.methods.planes import Band, Layers
from osmofuse.methods.region import box_around, region_of
from osmofuse.methods.sources import Sources
from osmofuse.operators import ForwardDifference, inner
from osmofuse.progress import Guard, Status, Watch
from osmofuse.typing import BoolArray, FloatArray

RTOL = 1e-10  # relative residual of the solution
ROUND_RTOL = 1e-3  # reduction of the residual in a round of single precision
ROUNDS = 20  # most rounds; 4 are enough for any usual region


@dataclass(frozen=True)
class PoissonEditing:
    """Fusion by Poisson editing, of a foreground and one background.

    Parameters
    ----------
    guidance : {"import", "mixed", "monochrome"}
        Differences inside the region: the background's; at each place the stronger of both
        pictures; or the background's without its colours. Use "mixed" for writing on a textured
        ground, "monochrome" to keep the foreground's hue.
    mixed_by : {"edge", "pixel"}
        Where "mixed" compares strengths: on each edge between two pixels, or for both edges of a
        pixel together. Use "pixel" to compare with implementations that do.
    threshold : float, 0 to below 1
        The region is where alpha is at most this. Raise it if the map is soft or grey.
    band : {"keep", "repeat"}
        Colour of a background of one band: the foreground's chromaticity, or grey ("monochrome"
        always takes grey). Use "repeat" to follow the paper.

    Notes
    -----
    Outside the region the foreground keeps its bits. The region may be empty, touch any
    border and have any number of parts. If it is the whole picture, u is determined up to a
    constant in each channel: it gets the foreground's mean. On edges to pixels where the
    background is not valid the foreground's differences guide. Several backgrounds are
    refused; fuse one after the other.
    """

    guidance: Literal["import", "mixed", "monochrome"] = "import"
    mixed_by: Literal["edge", "pixel"] = "edge"
    threshold: float = 0.0
    band: Band = "keep"

    cost: ClassVar[Cost] = Cost(90, 160, 2.5)

    def __post_init__(self) -> None:
        choice("guidance", self.guidance, ("import", "mixed", "monochrome"))
        choice("mixed_by", self.mixed_by, ("edge", "pixel"))
        choice("band", self.band, ("keep", "repeat"))
        number("threshold", self.threshold, most=1.0, below=True)

    def __call__(self, sources: Sources, *, watch: Watch | None = None) -> Fusion:
        """Fuse the sources."""
        if sources.count != 2:
            raise InputError(
                f"background: {sources.count - 1} pictures; Poisson editing takes one: "
                "fuse one after the other"
            )
        guard, found = Guard(watch), [Status.converged]
        passes = self._passes(sources, guard, found)
        return fuse_by_passes(self, sources, passes, guard, found=found)

    def _passes(self, sources: Sources, guard: Guard, found: list[Status]) -> Passes:
        """Yield the channels; append the status of each solve to `found`."""
        layers = Layers(sources, self.band, np.float64)
        monochrome = self.guidance == "monochrome"
        grey = Layers(sources, "repeat", np.float64).grey(1) if monochrome else None
        region = _Region(np.zeros(sources.shape, bool))
        for c in range(sources.channels):
            chosen = region_of(sources, c, self.threshold)
            if not np.array_equal(chosen, region.chosen):  # most maps are the same in each channel
                region = _Region(chosen)
            u = sources.image(0, c, sources.dtype)
            if chosen.any():
                f = layers.image(0, c)[region.box]
                b = (layers.image(1, c) if grey is None else grey)[region.box]
                with threads_for(f.size):
                    edited, solved = self._edit(region, f, b, sources.valid, guard)
                u[region.box][region.inner] = edited[region.inner]
                found.append(Status.converged if solved else Status.max_iter)
            yield u

    def _edit(
        self,
        region: _Region,
        f: FloatArray,
        b: FloatArray,
        valid: BoolArray | None,
        guard: Guard,
    ) -> tuple[FloatArray, bool]:
        """Return u on the box of a region, and True if the solver converged."""
        D = ForwardDifference(region.shape)
        df, db = D(f), D(b)
        if valid is not None:
            db = np.where(_both(valid[region.box]), db, df)
        pasted = np.where(region.inner, b, f)
        x, solved = region.solve(D.adjoint(self._guide(df, db) - D(pasted)), guard)
        u = pasted + x
        if region.inner.all():
            u += f.mean() - u.mean()
        return u, solved

    def _guide(self, df: FloatArray, db: FloatArray) -> FloatArray:
        if self.guidance != "mixed":
            return db
        if self.mixed_by == "edge":
            return np.where(np.abs(df) > np.abs(db), df, db)
        return np.where((df**2).sum(axis=0) > (db**2).sum(axis=0), df, db)


class _Region:
    """Pixels that are solved for, True in `chosen`, and the matrix that couples them."""

    def __init__(self, chosen: BoolArray) -> None:
        self.chosen = chosen
        # With a pixel more on every side that is not the picture's.
        self.box = box_around([chosen]) or (slice(0), slice(0))
        self.inner = chosen[self.box]
        self.shape = (self.inner.shape[0], self.inner.shape[1])

    @cached_property
    def _hierarchy(self) -> Hierarchy:
        """The matrix D* D with x = 0 outside: an edge that leaves the region becomes mass."""
        found, D = Hierarchy(self.shape, np.float32), ForwardDifference(self.shape)
        ones = self.inner.astype(np.float64)
        down, right = _both(self.inner)
        inside(found.finest.down, self.shape)[...] = down
        inside(found.finest.right, self.shape)[...] = right
        inside(found.finest.mass, self.shape)[...] = D.adjoint(D(ones)) * ones
        found.update()
        return found

    def solve(self, b: FloatArray, guard: Guard) -> tuple[FloatArray, bool]:
        """Solve D* D x = b in the region; return x, and True if it is a solution.

        Corrections are computed in single precision from residuals in double precision: as exact as
        double precision alone, on planes of half the size. The matrix is the same in both, since
        its entries are small whole numbers.
        """
        b = padded(b * self.inner, np.float64)
        x, r = np.zeros_like(b), b
        goal = RTOL * math.sqrt(inner(b, b))
        for _ in range(ROUNDS):
            size = math.sqrt(inner(r, r))
            if size <= goal or guard.cancelled:
                break
            A, small = self._hierarchy.finest, (r / size).astype(np.float32)
            found = flexible_cg(
                A,
                small,
                np.zeros_like(small),
                precondition=self._hierarchy.precondition,
                rtol=ROUND_RTOL,
                go_on=guard.beat,
            )
            x += size * found.x
            r = b - A(x)
        return inside(x, self.shape), math.sqrt(inner(r, r)) <= goal


def _both(chosen: BoolArray) -> BoolArray:
    """Return the mask of edges, down and right, with both ends chosen; as (2, rows, cols)."""
    both = np.zeros((2, *chosen.shape), bool)
    np.logical_and(chosen[:-1], chosen[1:], out=both[0, :-1])
    np.logical_and(chosen[:, :-1], chosen[:, 1:], out=both[1, :, :-1])
    return both
