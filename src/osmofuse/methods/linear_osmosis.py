r"""Linear osmosis (Weickert, Hagenburg, Breuß and Vogel 2013; Vogel et al. 2013).

Channel by channel, on pictures to which an offset has been added, follow

.. math::

    \partial_t u = \Delta u - \operatorname{div}(d\, u) = A u, \qquad u(0) = u_0,

with the drift :math:`d = \nabla \log v` of the foreground here and of the background there
(`osmofuse.methods.fusion_drift`), to a time T or to where it ends (doi:10.1007/978-3-642-40395-8_3,
doi:10.1007/978-3-642-38267-3_31).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

from osmofuse.checks import choice
from osmofuse.errors import SettingError
from osmofuse.linalg import DriftSystem, SplitMatrix
from osmofuse.methods.cost import Cost
from osmofuse.methods.fusion_drift import fusion_drift
from osmofuse.methods.osmosis_flow import MakeStepper, OsmosisFlow, Planes
from osmofuse.methods.region import Box
from osmofuse.methods.sources import Sources
from osmofuse.optimise.evolve import Stepper
from osmofuse.optimise.steppers import LOOPS, SCHEMES, Scheme, stepper

LONGEST_LOOP = 1e4  # time for schemes whose steps are made of passes of at most 1/8


@dataclass(frozen=True)
class LinearOsmosis(OsmosisFlow):
    r"""Fusion by linear osmosis.

    Further settings are those of `OsmosisFlow`.

    Parameters
    ----------
    scheme : str
        Time scheme. "implicit" allows any step, and alone an infinite time; "aos", "mos" and "amos"
        split directions and stay positive; "peaceman-rachford" (second order) and "douglas"
        alternate directions, for short steps; "explicit" and "exponential" (exact) are limited to a
        time of 1e4. Choose another than "implicit" to compare schemes.

    Notes
    -----
    The defaults are those with which the table of Parisotto et al. 2020 is met.
    """

    scheme: Scheme = "implicit"

    cost: ClassVar[Cost] = Cost(130, 300, 3.0)

    def _check(self) -> None:
        choice("scheme", self.scheme, ("implicit", *SCHEMES))
        if math.isinf(self.time) and self.scheme != "implicit":
            raise SettingError(f"time: inf needs the scheme 'implicit', not {self.scheme!r}")
        if self.scheme in LOOPS and self.time > LONGEST_LOOP:
            raise SettingError(
                f"time: {self.time!r}; the scheme {self.scheme!r} would take more than "
                f"{8 * LONGEST_LOOP:.0f} passes: at most {LONGEST_LOOP:g}, or use 'implicit'"
            )

    def _steppers(self, sources: Sources, box: Box) -> MakeStepper:
        return self._stepper

    def _stepper(self, planes: Planes, tau: float, go_on: Callable[[], bool]) -> Stepper:
        """Return the time stepper of a channel."""
        drift = fusion_drift(planes.images, planes.weights, self.drift, planes.valid)
        if self.scheme != "implicit":
            return stepper(self.scheme, SplitMatrix(drift, planes.kind), tau, go_on)
        return self._implicit(DriftSystem(drift, planes.target, planes.kind, tau), tau, go_on)
