r"""Anisotropic osmosis (Parisotto, Calatroni, Caliari, Schönlieb and Weickert 2019).

Channel by channel, on pictures to which an offset has been added, follow

.. math::

    \partial_t u = \operatorname{div}\big(W (\nabla u - d\, u)\big) = A u, \qquad u(0) = u_0,

with the drift d of `osmofuse.methods.fusion_drift` (doi:10.1088/1361-6420/ab08d2). The tensor W is
the identity, so that this is linear osmosis, except on a band where the pictures meet. There

.. math::  W = \lambda_\perp\, z z^T + \lambda_\parallel\, t t^T

with the direction t along the structures around the band, and z across it
(`osmofuse.maps.directions`). Structures that cross the seam are continued along themselves instead
of being blurred. The matrix is `osmofuse.operators.LatticeOsmosis`: whatever W is, it keeps mass
and positivity, and one picture alone is steady.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from itertools import product
from typing import ClassVar, Literal

import numpy as np

from osmofuse.checks import choice, number, whole
from osmofuse.linalg.anisotropic_system import system_of
from osmofuse.maps import grow
from osmofuse.maps.directions import SCALES, SEARCHES, WIDEST, Search, directions
from osmofuse.methods.cost import Cost
from osmofuse.methods.fusion_drift import drift_along, fusion_drift
from osmofuse.methods.osmosis_flow import MakeStepper, OsmosisFlow, Planes
from osmofuse.methods.planes import pictures_of
from osmofuse.methods.region import Box, cropped
from osmofuse.methods.sources import Sources
from osmofuse.operators import LatticeOsmosis
from osmofuse.optimise.evolve import Stepper
from osmofuse.typing import BoolArray, FloatArray

LEAST = 1e-4  # eigenvalue; links are about 1/sqrt(LEAST) = 100 pixels long at most


@dataclass(frozen=True)
class AnisotropicOsmosis(OsmosisFlow):
    r"""Fusion by anisotropic osmosis, along the structures that cross the seam.

    Further settings are those of `OsmosisFlow`.

    Parameters
    ----------
    along : float, 1e-4 to 1
        Eigenvalue of the tensor along structures, :math:`\lambda_\parallel`. Lower it to slow the
        flow down on the band.
    across : float, 1e-4 to 1
        Eigenvalue across structures, :math:`\lambda_\perp`; 1 in both is linear osmosis. Raise it
        if the band becomes streaky.
    widen : int, 0 to 100
        Pixels by which the band is widened on each side; without, it is where alpha is between 0
        and 1, or changes to the next pixel. Raise it over a seam of wrong pixels, with
        ``seam="open"``.
    seam : {"mixed", "open"}
        Drift on edges that touch the band: as `drift` says, or none. Use "open" to replace the
        band's own content by the structures on both sides.
    search : {"structure", "voting"}
        Search for directions: the structure tensor of the surroundings, or tensor voting. Use
        "voting" for single edges across a wide band.
    sigma : float, 0 to 100
        Deviation of the Gaussian before derivatives, :math:`\sigma`, in pixels. Raise it for noisy
        pictures.
    rho : float, 0.1 to 100
        Deviation of the Gaussian that averages directions, :math:`\rho`, in pixels; it reaches
        three times as far into the band. Raise it for a wide band.

    Notes
    -----
    The tensor is the same in all channels: the evidence for directions is summed over them, from
    the foreground where alpha is 1 and from the background with most weight elsewhere. Where
    nothing is found, W is the identity.
    """

    along: float = 1.0
    across: float = 0.0025
    widen: int = 0
    seam: Literal["mixed", "open"] = "mixed"
    search: Search = "structure"
    sigma: float = 0.25
    rho: float = 2.0

    cost: ClassVar[Cost] = Cost(160, 430, 8.0)

    def _check(self) -> None:
        number("along", self.along, least=LEAST, most=1.0)
        number("across", self.across, least=LEAST, most=1.0)
        whole("widen", self.widen, least=0, most=100)
        choice("seam", self.seam, ("mixed", "open"))
        choice("search", self.search, SEARCHES)
        number("sigma", self.sigma, most=WIDEST)
        number("rho", self.rho, least=0.1, most=WIDEST)

    def _steppers(self, sources: Sources, box: Box) -> MakeStepper:
        around, inner = self._surroundings(sources.shape, box)
        part = cropped(sources, around)
        band = seam_of(part, self.widen)
        W = self._field(part, band)[(slice(None), *inner)]
        A = LatticeOsmosis.diffusion(np.ascontiguousarray(W))
        return partial(self._stepper, A, band[inner])

    def _stepper(
        self,
        A: LatticeOsmosis,
        band: BoolArray,
        planes: Planes,
        tau: float,
        go_on: Callable[[], bool],
    ) -> Stepper:
        """Return the time stepper of a channel."""
        mixture = planes.images, planes.weights, self.drift, planes.valid
        A = A.with_drift(fusion_drift(*mixture), drift_along(A.links, *mixture))
        if self.seam == "open":
            A = A.without(band)
        return self._implicit(system_of(A, planes.target, planes.kind, tau), tau, go_on)

    def _field(self, sources: Sources, band: BoolArray) -> FloatArray:
        """Return the tensors, along the structures around a band."""
        pictures = self._pictures(sources)
        found = directions(pictures, band, method=self.search, sigma=self.sigma, rho=self.rho)
        return found.tensors(band, along=self.along, across=self.across)

    def _surroundings(self, shape: tuple[int, int], box: Box) -> tuple[Box, Box]:
        """Return a box with a margin from which directions reach into it, and the box in that."""
        sigma = max(SCALES) if self.search == "voting" else self.rho
        margin = math.ceil(3.0 * sigma + 2.0 * self.sigma) + self.widen + 2
        starts = [max(one.start - margin, 0) for one in box]
        stops = [min(one.stop + margin, n) for one, n in zip(box, shape, strict=True)]
        first, last = (slice(a, b) for a, b in zip(starts, stops, strict=True))
        rows, cols = (
            slice(one.start - a, min(one.stop, n) - a)
            for one, a, n in zip(box, starts, shape, strict=True)
        )
        return (first, last), (rows, cols)

    def _pictures(self, sources: Sources) -> list[FloatArray]:
        """Return the channels of the picture with most weight at each pixel."""
        found = []
        every = pictures_of(sources, offset=self.offset, band=self.band, dtype=np.float64)
        for images, weights in every:
            largest = np.argmax(weights, axis=0)
            if sources.valid is not None:
                largest[~sources.valid] = 0
            found.append(np.take_along_axis(np.stack(images), largest[None], axis=0)[0])
        return found


def seam_of(sources: Sources, widen: int) -> BoolArray:
    """Return the mask of pixels where pictures meet, in any channel, widened by some pixels."""
    weights = [
        sources.weight(k, c, np.float64) for c, k in np.ndindex(sources.channels, sources.count)
    ]
    band = np.any([(weight > 0.0) & (weight < 1.0) for weight in weights], axis=0)
    valid = [] if sources.valid is None else [sources.valid]
    for axis, weight in product((0, 1), [*weights, *valid]):
        rim, plane = np.moveaxis(band, axis, 0), np.moveaxis(weight, axis, 0)
        change = plane[1:] != plane[:-1]
        rim[1:] |= change
        rim[:-1] |= change
    return grow(band, widen) > 0.0
