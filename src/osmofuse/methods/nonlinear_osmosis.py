r"""Nonlinear osmosis (Recupero, Calatroni, Morigi and Parisotto 2022).

Channel by channel, on pictures to which an offset has been added, follow

.. math::

    \partial_t u = \operatorname{div}\big(g(|\nabla u - d\, u|)\,(\nabla u - d\, u)\big),
    \qquad g(s) = \frac{1}{s^p + \epsilon},

with the drift d of `osmofuse.methods.linear_osmosis` (arXiv:2203.15570). Where the picture does not
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
from osmofuse.errors import SettingError
from osmofuse.linalg import DriftSystem, Solution
from osmofuse.linalg.kinds import Kinds
from osmofuse.methods.cost import Cost
from osmofuse.methods.linear_osmosis import LinearOsmosis
from osmofuse.operators import edge_diffusivity
from osmofuse.optimise import Evolution, Implicit
from osmofuse.optimise.evolve import Stepper
from osmofuse.typing import FloatArray


@dataclass(frozen=True)
class NonlinearOsmosis(LinearOsmosis):
    r"""Fusion by nonlinear osmosis.

    Parameters
    ----------
    drift : {"averaged", "hard", "soft"}
        Drift on an edge where pictures meet: the mean of the two ends; that of the picture with
        more weight; or the mean weighted by alpha. Use "soft" with soft maps.
    start : {"pasted", "foreground", "composite"}
        Initial picture, :math:`u_0`: background pasted into the foreground, the foreground, or
        their mean weighted by alpha. It matters: its jumps are kept. Choose "foreground" to keep
        its brightness.
    time : float, 1e-12 to 5e11, or inf
        Flow time, :math:`T`; with ``math.inf`` every step ends in the steady state of its
        weights. Raise it to balance colours over larger distances.
    steps : int, 1 to 10000
        Number of time steps, each of length :math:`\tau` = T / steps; the diffusivity is updated
        after each. Raise it for a more accurate result.
    scheme : {"implicit"}
        Time scheme. Only "implicit" allows the long steps that are needed; no other is offered.
    extent : {"global", "local"}
        Change the whole picture, or only the region where alpha is 0. Use "local" to keep all other
        pixels bit for bit.
    boundary : {"neumann", "dirichlet", "mixed", None}
        At the frame and the region's rim: no flow; the foreground held; or the foreground held at
        the rim and no flow at the frame. None is "neumann" for the whole picture and "mixed" for a
        region. Use "dirichlet" to hold the frame as well.
    threshold : float, 0 to below 1
        The region is where alpha is at most this. Raise it if the map is soft or grey.
    offset : float, 0 to 100
        Added to all samples while computing. Lower it to transfer ratios of brightness, as light
        and ink act; raise it to transfer differences. With 0 all samples must be positive.
    band : {"keep", "repeat"}
        Colour of a background of one band: the foreground's chromaticity, or grey. Use "repeat"
        to follow the paper, or when the band is to enter as grey.
    rtol : float, 1e-16 to 1
        Relative residual at which a linear solve stops; a thousandth of it at an infinite time.
        Raise it for speed.
    max_iter : int, 1 to 1e6
        Largest number of iterations of a linear solve. Raise it after the status ``max_iter``.
    power : float, 0 to 2
        Exponent, :math:`p`, of the diffusivity. Raise it to keep more of the jumps; 0 is linear.
    epsilon : float, 1e-7 to 1e6
        Bound of the diffusivity, :math:`\epsilon`. Raise it to keep fewer jumps, and for speed.

    Notes
    -----
    A jump of s flows :math:`s^p + \epsilon` times more slowly than in linear osmosis. The gradient is
    the central difference, g is averaged to edges, and each channel has its own.
    """

    power: float = 1.0
    epsilon: float = 1e-3

    cost: ClassVar[Cost] = Cost(150, 320, 6.0)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.scheme != "implicit":
            raise SettingError(f"scheme: {self.scheme!r}; nonlinear osmosis has only 'implicit'")
        number("power", self.power, most=2.0)
        number("epsilon", self.epsilon, least=1e-7, most=1e6)

    def _implicit(
        self,
        drift: FloatArray,
        w: FloatArray,
        kind: Kinds,
        tau: float,
        go_on: Callable[[], bool],
    ) -> Stepper:
        return SemiImplicit(
            drift, w, kind, tau, self.power, self.epsilon, self._rtol(tau), self.max_iter, go_on
        )

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
