r"""Variational osmosis by its gradient flow: the fast solver.

The fusion is where the flow from the start has come at a time T. That is said as a reach in
pixels: with the mean :math:`\bar v` of the target over the whole picture,
:math:`T = \bar v R^2 / 2` lets osmosis act over a distance of R.
"""

from __future__ import annotations

import math
from copy import copy
from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from osmofuse.energies.fused import HELD
from osmofuse.kernels import threads_for
from osmofuse.linalg import inside
from osmofuse.linalg.stencil import zeros
from osmofuse.methods.contract import Fusion, Sources, WatchFunction
from osmofuse.methods.problem import picture_of, planes_of
from osmofuse.optimise import Outcome, Progress, Step, Watch
from osmofuse.optimise.flow import (
    Channel,
    Flow,
    FlowState,
    Plan,
    Weights,
    run_plan,
    run_rule,
    run_stationary,
    steps_to,
)
from osmofuse.typing import FloatArray

if TYPE_CHECKING:
    from osmofuse.methods.variational import VariationalOsmosis

SETTLED = 1e-4  # how far errors of the structure fall at the start and at the end
LEAST_EPSILON = 1e-3  # below this, gradients of a total variation are smoothed
LOWEST_STRUCTURE = 1e-3  # v stays above this part of the least target


class FlowSolver:
    """The flow on given pictures, ready to be run; the pictures are prepared once.

    Parameters
    ----------
    settings : VariationalOsmosis
        The model and where to stop.
    sources : Sources
        The pictures.
    """

    def __init__(self, settings: VariationalOsmosis, sources: Sources) -> None:
        self.settings, self.sources = settings, sources
        wide = settings.precision == "double" or settings.reach == math.inf
        self.dtype: Any = np.float64 if wide else np.float32
        shape = sources.shape
        self.planes = list(
            planes_of(
                sources, settings, self.dtype, lambda: inside(zeros(shape, self.dtype), shape)
            )
        )
        self.mean = float(np.mean([p.w.mean(dtype=np.float64) for p in self.planes]))
        self.lowest = min(float(p.w.min()) for p in self.planes)

    def changed(self, settings: VariationalOsmosis) -> FlowSolver:
        """Return the solver for other settings; what does not depend on them is kept."""
        ours, theirs = self.settings, settings
        same = all(getattr(ours, name) == getattr(theirs, name) for name in _PREPARED_WITH)
        if not same or (math.isinf(theirs.gamma) != math.isinf(ours.gamma)):
            return FlowSolver(settings, self.sources)
        wide = (ours.reach == math.inf) == (theirs.reach == math.inf)
        if not wide:
            return FlowSolver(settings, self.sources)
        other = copy(self)
        other.settings = settings
        return other

    def plan(self) -> Plan | None:
        """Return the plan to a known reach; None where the rule or the limit is to be found."""
        reach = self.settings.reach
        if reach is None or math.isinf(reach):
            return None
        return self._with_halo(Plan(steps_to(0.0, self.time_of(reach))))

    def time_of(self, reach: float) -> float:
        """Return the flow time of a reach."""
        return self.mean * reach**2 / 2.0

    def _with_halo(self, plan: Plan) -> Plan:
        s = self.settings
        reach = math.sqrt(2.0 * plan.time / self.mean)
        smoothing = s.eta / (max(s.epsilon, LEAST_EPSILON) * s.mu) if s.regulariser else 0.0
        halo = 5.0 * reach * math.sqrt(self.mean / self.lowest) + 4.0 * math.sqrt(smoothing)
        return replace(plan, halo=math.ceil(halo))

    def run(
        self,
        watch: WatchFunction | None = None,
        *,
        plan: Plan | None = None,
        begin: tuple[FloatArray, FloatArray, float] | None = None,
    ) -> Fusion:
        """Run a plan, or to where the settings say; from a u and v at a time if they are given."""
        guard, shape = Watch(watch), self.sources.shape
        record = _Recorder(self.mean, guard)
        plan = plan or self.plan()
        with threads_for(shape[0] * shape[1]):
            flow = self._load(begin)
            start = begin[2] if begin else 0.0
            if plan is not None:
                found = run_plan(flow, plan, start=start, watch=guard, record=record)
            elif self.settings.reach is None:
                found, plan = run_rule(flow, watch=guard, record=record)
            else:
                found = run_stationary(flow, watch=guard, record=record)
            flow.settle(goal=SETTLED)
        return self._fusion(flow, found, plan, record, guard)

    def _fusion(
        self,
        flow: Flow,
        found: Outcome[FlowState],
        plan: Plan | None,
        record: _Recorder,
        guard: Watch,
    ) -> Fusion:
        sources, settings, shape = self.sources, self.settings, self.sources.shape
        u, v = ([inside(getattr(c, x), shape) for c in flow.channels] for x in "uv")
        return Fusion(
            image=picture_of(u, sources, settings, held=True),
            structure=picture_of(v, sources, settings),
            energy=np.array([sum(c.terms.values()) for c in flow.channels]),
            reach=math.sqrt(2.0 * found.state.time / self.mean),
            history=tuple(record.history),
            status=found.status,
            seconds=guard.seconds,
            method=settings,
            plan=self._with_halo(plan) if plan else None,
            sources=sources,
        )

    def _load(self, begin: tuple[FloatArray, FloatArray, float] | None) -> Flow:
        """Return the flow at its start."""
        shape, dtype, channels = self.sources.shape, self.dtype, list[Channel]()
        for k, planes in enumerate(self.planes):
            c = Channel(shape, dtype)
            u, v = (begin[0][k], begin[1][k]) if begin else (planes.u, planes.w)
            # f and w lie in padded planes already, and are not changed by the flow.
            c.f, c.w = cast(FloatArray, planes.f.base), cast(FloatArray, planes.w.base)
            inside(c.u, shape)[...] = u
            inside(c.v, shape)[...] = v
            _fill_fidelity(inside(c.a, shape), planes.alpha, self.settings.gamma)
            channels.append(c)
        weights = replace(
            _weights(self.settings),
            lowest=LOWEST_STRUCTURE * self.lowest,
            brightness=self.mean,
        )
        flow = Flow(channels, weights, shape, dtype)
        for c in channels:
            flow.relax(c, goal=1.0 if begin else SETTLED)
        return flow

    def extend(self, fusion: Fusion, reach: float, watch: WatchFunction | None = None) -> Fusion:
        """Go on from a fusion to a larger reach."""
        assert fusion.reach is not None, "the flow says how far it has come"
        assert fusion.structure is not None, "the flow has a structure"
        now, then = self.time_of(fusion.reach), self.time_of(reach)
        u, v = (
            np.moveaxis(x.reshape(*self.sources.shape, -1), -1, 0) + self.settings.offset
            for x in (fusion.image, fusion.structure)
        )
        plan = Plan(steps_to(now, then)) if math.isfinite(reach) else None
        return self.run(watch, plan=plan, begin=(u, v, now))


# What the prepared planes depend on.
_PREPARED_WITH = ("offset", "start", "band", "precision")


def _fill_fidelity(a: FloatArray, alpha: FloatArray, gamma: float) -> None:
    """Set a to gamma alpha, or to what holds u where alpha is 1."""
    if math.isinf(gamma):
        a[...] = HELD * (alpha == 1.0)
    else:
        np.multiply(alpha, a.dtype.type(gamma), out=a)


def _weights(settings: VariationalOsmosis) -> Weights:
    """Return the weights; Tikhonov's term is Huber's where no gradient is large."""
    if settings.regulariser is None or settings.eta == 0:
        return Weights(settings.mu, 0.0, 1.0)
    if settings.regulariser == "tikhonov":
        large = 1e6
        return Weights(settings.mu, settings.eta * large, large)
    epsilon = settings.epsilon if settings.regulariser == "huber" else 0.0
    return Weights(settings.mu, settings.eta, max(epsilon, LEAST_EPSILON))


class _Recorder:
    """Keep the history, and tell the watch where the flow is."""

    def __init__(self, mean: float, watch: Watch) -> None:
        self.mean, self.watch = mean, watch
        self.history: list[Step] = []

    def __call__(self, iteration: int, s: FlowState) -> None:
        reach = math.sqrt(2.0 * s.time / self.mean)
        self.history.append(
            Step(None, iteration, s.time, reach, s.measure, s.terms, None, None, s.cycles)
        )
        self.watch.tell(Progress(0, 1, iteration, s.measure, reach, 0.0))
