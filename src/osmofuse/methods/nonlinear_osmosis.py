r"""Nonlinear osmosis (Recupero, Calatroni, Morigi and Parisotto 2022).

Channel by channel, on pictures to which an offset has been added, follow

.. math::

    \partial_t u = \operatorname{div}\big(g(|\nabla u - d\, u|)\,(\nabla u - d\, u)\big),
    \qquad g(s) = \frac{1}{s^p + \epsilon},

with the drift d of `osmofuse.methods.fusion_drift` (arXiv:2203.15570). Where the picture does not
follow the drift the diffusivity g is small, so a jump that the drift does not explain is
kept instead of being blurred. With g = 1 it is linear osmosis.

The steps are semi-implicit, :math:`(I - \tau A(u^k))\, u^{k+1} = u^k`: each is a step of linear
osmosis with weights on edges, so mass and positivity are kept for every :math:`\tau`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from osmofuse.checks import number
from osmofuse.linalg import DriftSystem, Solution
from osmofuse.linalg.kinds import Kinds
from osmofuse.methods.cost import Cost
from osmofuse.methods.fusion_drift import fusion_drift
from osmofuse.methods.osmosis_flow import MakeStepper, OsmosisFlow, Planes
from osmofuse.methods.region import Box
from osmofuse.methods.sources import Sources
from osmofuse.operators import edge_diffusivity
from osmofuse.optimise import Evolution, Implicit
from osmofuse.optimise.evolve import Stepper
from osmofuse.typing import FloatArray


@dataclass(frozen=True)
class NonlinearOsmosis(OsmosisFlow):
    r"""Fusion by nonlinear osmosis.

    Further settings are those of `OsmosisFlow`. With an infinite time every step ends in the steady
    state of its weights.

    Parameters
    ----------
    power : float, 0 to 2
        Exponent, :math:`p`, of the diffusivity. Raise it to keep more of the jumps; 0 is linear.
    epsilon : float, 1e-7 to 1e6
        Bound of the diffusivity, :math:`\epsilon`. Raise it to keep fewer jumps, and for speed.

    Notes
    -----
    A jump of s flows :math:`1/(s^p + \epsilon)` times as fast as in linear osmosis. The gradient
    is the central difference, g is averaged to edges, and each channel has its own.
    """

    power: float = 1.0
    epsilon: float = 1e-3

    cost: ClassVar[Cost] = Cost(150, 320, 6.0)

    def _check(self) -> None:
        number("power", self.power, most=2.0)
        number("epsilon", self.epsilon, least=1e-7, most=1e6)

    def _steppers(self, sources: Sources, box: Box) -> MakeStepper:
        return self._stepper

    def _stepper(self, planes: Planes, tau: float, go_on: Callable[[], bool]) -> Stepper:
        """Return the time stepper of a channel."""
        drift = fusion_drift(planes.images, planes.weights, self.drift, planes.valid)
        settings = self.power, self.epsilon, self._rtol(tau), self.max_iter
        return SemiImplicit(drift, planes.target, planes.kind, tau, *settings, go_on)

    @property
    def _steps(self) -> int:
        return self.steps


@dataclass(frozen=True, eq=False)
class SemiImplicit:
    r"""Step :math:`u \mapsto (I - \tau A(u))^{-1} u` of nonlinear osmosis.

    Parameters
    ----------
    drift, w, kind, tau
        As for `osmofuse.linalg.DriftSystem`.
    power, epsilon : float
        Exponent and bound of the diffusivity.
    rtol, max_iter, go_on
        As for `osmofuse.linalg.DriftSystem.solve`.
    """

    drift: FloatArray
    w: FloatArray
    kind: Kinds
    tau: float
    power: float
    epsilon: float
    rtol: float
    max_iter: int = 200
    go_on: Callable[[], bool] = lambda: True

    def __call__(self, s: Evolution) -> Evolution:
        """Return u after a step."""
        u = np.require(s.u, requirements=("C", "W"))
        weight = edge_diffusivity(u, self.drift, self.power, self.epsilon)
        system = DriftSystem(self.drift, self.w, self.kind, self.tau, weight=weight)

        def solve(u: FloatArray) -> Solution:
            return system.solve(u, rtol=self.rtol, max_iter=self.max_iter, go_on=self.go_on)

        return Implicit(solve, self.tau)(s)
