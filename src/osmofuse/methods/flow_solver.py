r"""Variational osmosis by its gradient flow: the fast solver.

The fusion is the state of the flow at a time T, given as a reach in pixels: with the mean
:math:`\bar v` of the target over the whole picture, :math:`T = \bar v R^2 / 2` lets osmosis act
over a distance of R.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from osmofuse.kernels import threads_for
from osmofuse.linalg import inside
from osmofuse.methods.contract import Fusion
from osmofuse.methods.flow_planes import FlowChannel, flow_channels
from osmofuse.methods.history import Recorder, joined
from osmofuse.methods.planes import Reading, picture_of
from osmofuse.methods.sources import Sources
from osmofuse.optimise import Outcome
from osmofuse.optimise.flow import Flow, FlowState, Weights, Workspace
from osmofuse.optimise.plan import Plan, run_plan, run_rule, run_stationary, run_to
from osmofuse.progress import Guard, Progress, Status, Step
from osmofuse.typing import FloatArray

SETTLED = 1e-2  # reduction of the structure's error at the start; steps reduce the rest
LOWEST_STRUCTURE = 1e-3  # v stays above this part of the least target


class FlowSolver:
    """Solver of the flow on prepared pictures, one call at a time; `found` are padded planes."""

    def __init__(self, sources: Sources, reading: Reading, found: Sequence[FlowChannel]) -> None:
        self.sources, self.reading = sources, reading
        self.channels = [one.planes for one in found]
        self.mean = float(np.mean([one.mean for one in found]))
        self.lowest = min(one.lowest for one in found)
        self._workspace = Workspace(sources.shape, reading.dtype, len(found))
        self._lock = threading.Lock()  # two calls would work on the same planes

    @classmethod
    def prepared(cls, sources: Sources, reading: Reading, guard: Guard) -> FlowSolver | None:
        """Return a solver for the sources; None if it was cancelled."""
        guard.tell(Progress(None, sources.channels, 0, None, 0.0, 0.0))
        channels = []
        for channel in flow_channels(sources, reading):
            channels.append(channel)
            if not guard.beat():
                return None
        return cls(sources, reading, channels)

    def run(
        self,
        weights: Weights,
        reach: float | None,
        guard: Guard,
        *,
        plan: Plan | None = None,
        begin: tuple[FloatArray, FloatArray, float] | None = None,
    ) -> Fusion:
        """Follow the flow.

        It goes to `reach` in pixels, or by the paper's rule if that is None; or it follows the
        steps of `plan`. `begin` has u and v, one plane for each channel, and the time to start
        from. The brightness and the lowest structure in `weights` are replaced by those of the
        picture.
        """
        shape = self.sources.shape
        weights = replace(
            weights,
            lowest=plan.lowest if plan else LOWEST_STRUCTURE * self.lowest,
            brightness=plan.brightness if plan else self.mean,
        )

        def step_of(channel: int | None, iteration: int, s: FlowState) -> Step:
            reach = math.sqrt(2.0 * s.time / weights.brightness)
            return Step(channel, iteration, s.time, reach, s.measure, s.terms, None, None, s.cycles)

        record = Recorder(self.sources.channels, guard, step_of)
        with self._lock, threads_for(shape[0] * shape[1]):
            start = list(zip(begin[0], begin[1], strict=True)) if begin else None
            flow = Flow(self.channels, weights, self._workspace, start)
            flow.begin(goal=1.0 if begin else SETTLED, guard=guard)
            found, made = self._follow(flow, reach, plan, begin[2] if begin else 0.0, record)
            if found.status is Status.nonfinite:
                flow.restart_structure()  # it may be lost; u is the last finite one
            if not guard.cancelled:
                flow.settle(guard=guard)
                record.finish(flow.total())
            fusion = self._fusion(flow, found, record)
        if begin:  # no plan leads from the start of the flow to here
            return fusion
        return replace(fusion, plan=plan or (made and self._with_halo(made, weights)))

    def _follow(
        self,
        flow: Flow,
        reach: float | None,
        plan: Plan | None,
        start: float,
        record: Recorder[FlowState],
    ) -> tuple[Outcome[FlowState], Plan | None]:
        """Run a plan, or to the end of the flow; return the plan that was made."""
        guard = record.guard
        if plan is not None:
            return run_plan(flow, plan, guard=guard, record=record), None
        if reach is None:
            return run_rule(flow, guard=guard, record=record)
        if math.isinf(reach):
            return run_stationary(flow, guard=guard, record=record), None
        return run_to(flow, self.time_of(reach), start=start, guard=guard, record=record)

    def time_of(self, reach: float) -> float:
        """Return the flow time of a reach."""
        return self.mean * reach**2 / 2.0

    def _with_halo(self, plan: Plan, weights: Weights) -> Plan:
        reach = math.sqrt(2.0 * plan.time / self.mean)
        smoothing = weights.regulariser.largest_edge / weights.mu
        halo = 5.0 * reach * math.sqrt(self.mean / self.lowest) + 4.0 * math.sqrt(smoothing)
        return replace(plan, halo=math.ceil(halo))

    def _fusion(self, flow: Flow, found: Outcome[FlowState], record: Recorder[FlowState]) -> Fusion:
        sources, reading, shape = self.sources, self.reading, self.sources.shape
        u, v = ([inside(getattr(one, x), shape) for one in flow.unknowns] for x in "uv")
        cancelled = found.status is Status.cancelled
        energy = np.array([sum(one.terms.values()) for one in flow.unknowns])
        return Fusion(
            image=picture_of(u, sources, reading.offsets[0], held=reading.held),
            structure=None if cancelled else picture_of(v, sources, reading.offsets[0]),
            energy=None if cancelled else energy,
            reach=math.sqrt(2.0 * found.state.time / flow.weights.brightness),
            history=tuple(record.history),
            status=found.status,
            seconds=record.guard.seconds,
            sources=sources,
        )

    def extend(self, fusion: Fusion, weights: Weights, reach: float, guard: Guard) -> Fusion:
        """Continue a fusion to a larger reach."""
        if guard.cancelled:
            return replace(fusion, status=Status.cancelled)
        assert fusion.reach is not None, "a fusion by the flow has a reach"
        assert fusion.structure is not None, "the flow has a structure"
        now = self.time_of(fusion.reach)
        u, v = (
            np.moveaxis(x.reshape(*self.sources.shape, -1), -1, 0) + self.reading.offsets[0]
            for x in (fusion.image, fusion.structure)
        )
        longer = self.run(weights, reach, guard, begin=(u, v, now))
        return replace(longer, history=joined(fusion.history, longer.history))


def not_begun(sources: Sources, guard: Guard) -> Fusion:
    """Return the foreground as the fusion that was cancelled before the flow began."""
    planes = [sources.image(0, c, sources.dtype) for c in range(sources.channels)]
    return Fusion(
        image=np.stack(planes, axis=-1).reshape(sources.foreground.shape),
        reach=0.0,
        status=Status.cancelled,
        seconds=guard.seconds,
        sources=sources,
    )
