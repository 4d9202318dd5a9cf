"""Settings of variational osmosis with numbers for all that were "auto", on measured pictures."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from osmofuse.energies import Channel, HuberTV, JointModel, Quadratic, Regulariser, Tikhonov
from osmofuse.energies.flow_kernels import HELD_GAMMA
from osmofuse.methods.contract import Fusion
from osmofuse.methods.flow_solver import FlowSolver
from osmofuse.methods.measured import Measured
from osmofuse.methods.planes import Found, Reading, channels_of
from osmofuse.optimise.flow import Weights
from osmofuse.optimise.plan import Plan
from osmofuse.progress import Guard

if TYPE_CHECKING:
    from osmofuse.methods.variational import VariationalOsmosis

FIRM = 1e4  # holds u at the stationary point, where a larger weight would spoil the solve
HEAVIEST = 1e7  # larger weights give the same result up to precision


@dataclass(frozen=True, eq=False)
class Settled:
    """Settings with a number for each that was "auto", on measured pictures."""

    asked: VariationalOsmosis
    measured: Measured
    chosen: Mapping[str, float]

    def _number(self, name: str) -> float:
        found: float = self.chosen.get(name, getattr(self.asked, name))
        return found

    @property
    def reach(self) -> float | None:
        """Reach in pixels; None for the paper's rule."""
        return None if self.asked.reach is None else self._number("reach")

    @property
    def reading(self) -> Reading:
        """Settings on which the planes depend."""
        asked, measured = self.asked, self.measured
        held, dtype = math.isinf(asked.gamma), asked.dtype
        offsets, single = measured.offsets(asked.offset), measured.single
        ground = measured.ground if asked.band == "coarse" else None
        return Reading(
            offsets, asked.band, ground, single, asked.start, measured.target, held, dtype
        )

    @property
    def term(self) -> Regulariser:
        """The regulariser as an object, with its weights."""
        chosen, eta = self.asked.regulariser, self._number("eta")
        if isinstance(chosen, Regulariser):
            return chosen
        if chosen is None or eta == 0 or chosen == "tikhonov":
            return Tikhonov(0.0 if chosen is None else eta)
        return HuberTV(eta, self.asked.epsilon if chosen == "huber" else 0.0)

    @property
    def weights(self) -> Weights:
        """Weights of the flow."""
        held = FIRM if self.reach == math.inf else HELD_GAMMA
        gamma = held if math.isinf(self.asked.gamma) else min(self.asked.gamma, HEAVIEST)
        return Weights(min(self._number("mu"), HEAVIEST), gamma, self.term)

    def models(self) -> Iterator[tuple[JointModel, Channel]]:
        """Yield the energy and the planes of each channel, in double precision."""
        gamma, sources = self.asked.gamma, self.measured.sources
        for c in channels_of(sources, replace(self.reading, dtype=np.float64)):
            weight = np.where(c.alpha == 1.0, math.inf, 0.0)
            fidelity = Quadratic(weight if math.isinf(gamma) else gamma * c.alpha, c.f)
            yield JointModel(Quadratic(self._number("mu"), c.w), fidelity, self.term), c

    def follow(self, solver: FlowSolver, guard: Guard, plan: Plan | None = None) -> Fusion:
        """Follow the flow of these settings."""
        fusion = solver.run(self.weights, self.reach, guard, plan=plan)
        if fusion.plan is not None and plan is None:
            full = replace(fusion.plan, statistics=dict(self.measured.known.values))
            fusion = replace(fusion, plan=full)
        return self.told(fusion)

    def told(self, fusion: Fusion) -> Fusion:
        """Return a fusion with its settings, and with what was found in the pictures."""
        target = self.measured.target
        return replace(
            fusion,
            method=self.asked,
            chosen=dict(self.chosen),
            notes=tuple(self.measured.words(self.chosen)),
            alpha=target.alpha if isinstance(target, Found) else None,
        )
