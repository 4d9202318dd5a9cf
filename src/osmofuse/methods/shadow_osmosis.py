r"""Osmosis that removes a shadow, one channel at a time, to its steady state.

Away from the shadow's boundary the drift is that of the picture. On edges that touch the boundary
it is 0, or the picture's minus the shadow's (`osmofuse.methods.shadow_profile`). The models differ
in the diffusivity on the boundary: 1 ("linear"); strong along the edges of the ground and weak
across them ("anisotropic", Parisotto et al. 2019); or falling with the misfit to the drift
("nonlinear", Recupero et al. 2022).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from osmofuse.linalg import DriftSystem
from osmofuse.linalg.anisotropic_system import system_of
from osmofuse.linalg.kinds import Kinds
from osmofuse.methods.nonlinear_osmosis import SemiImplicit
from osmofuse.methods.shadow_profile import ShadowProfile
from osmofuse.operators import LatticeOsmosis
from osmofuse.operators.osmosis_edges import at_edges, canonical_drift
from osmofuse.optimise import Evolution, Implicit
from osmofuse.typing import FloatArray

Model: TypeAlias = Literal["linear", "anisotropic", "nonlinear"]

RTOL = 1e-6  # of the linear solves; the error is below a level of 16 bits
REWEIGHTINGS = 3  # of the nonlinear model; more change the picture by less than a level of 8 bits
POWER, EPSILON = 1.0, 1e-2  # of its diffusivity, for white at 1.0; epsilon of 1e-3..0.1 works


@dataclass(frozen=True, eq=False)
class ShadowOsmosis:
    """Osmosis without the drift of a shadow.

    Parameters
    ----------
    model : {"linear", "anisotropic", "nonlinear"}
        Diffusivity on the boundary.
    kind : array of uint8, (rows, cols)
        Free and held pixels.
    keep : array, (rows, cols)
        1 where the drift is kept, 0 on the boundary.
    profile : ShadowProfile or None
        Shadow whose drift is taken off on the boundary; with None all drift there is taken off.
    tensor : LatticeOsmosis, optional
        Diffusion of the anisotropic model.
    """

    model: Model
    kind: Kinds
    keep: FloatArray
    profile: ShadowProfile | None
    tensor: LatticeOsmosis | None = None

    def __call__(
        self, f: FloatArray, start: FloatArray, channel: int, go_on: Callable[[], bool]
    ) -> Evolution:
        """Return the channel without shadow.

        Parameters
        ----------
        f : array, (rows, cols)
            The channel, positive.
        start : array, (rows, cols)
            Initial picture; where nothing is held, its mean is kept.
        """
        first = Evolution(np.ascontiguousarray(start))
        if self.model == "nonlinear":
            step = SemiImplicit(
                self._drift(f, channel),
                start,
                self.kind,
                math.inf,
                POWER,
                EPSILON,
                RTOL,
                go_on=go_on,
            )
            for _ in range(REWEIGHTINGS):
                first = step(first)
            return first
        system = self._system(f, start, channel)
        return Implicit(lambda u: system.solve(u, rtol=RTOL, go_on=go_on), math.inf)(first)

    def _system(self, f: FloatArray, w: FloatArray, channel: int) -> DriftSystem:
        drift = self._drift(f, channel)
        if self.tensor is None:
            return DriftSystem(drift, w, self.kind, math.inf)
        links, keep = self.tensor.with_structure(f).links, self.keep.ravel()
        if self.profile is not None:
            along = self.profile.along(links.drift, links.here, links.there, channel)
        else:
            along = links.drift * np.minimum(keep[links.here], keep[links.there])
        return system_of(self.tensor.with_drift(drift, along), w, self.kind, math.inf)

    def _drift(self, f: FloatArray, channel: int) -> FloatArray:
        """Return the drift on edges; either end on the boundary counts."""
        drift: FloatArray = canonical_drift(np.ascontiguousarray(f))
        if self.profile is not None:
            return self.profile.drift(drift, channel)
        return drift * at_edges(self.keep, np.minimum)
