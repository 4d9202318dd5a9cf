r"""Variational osmosis by its gradient flow: the fast solver.

The fusion is where the flow from the start has come at a time T. That is said as a reach in
pixels: with the mean :math:`\bar v` of the target over the whole picture,
:math:`T = \bar v R^2 / 2` lets osmosis act over a distance of R.
"""

from __future__ import annotations

import math
from copy import copy
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from osmofuse.energies import HuberTV
from osmofuse.energies.fused import HELD
from osmofuse.kernels import threads_for
from osmofuse.linalg import inside
from osmofuse.linalg.stencil import zeros
from osmofuse.methods.contract import Fusion, Sources
from osmofuse.methods.problem import Planes, picture_of, planes_of
from osmofuse.optimise import Outcome, Progress, Status, Step, Watch
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
FIRM = 1e4  # holds u at the stationary point, where a larger weight would spoil the solve
HEAVIEST = 1e7  # a weight beyond it does what this does, but for what precision can tell
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

    def __init__(
        self, settings: VariationalOsmosis, sources: Sources, watch: Watch | None = None
    ) -> None:
        self.settings, self.sources = settings, sources
        self.dtype = dtype = _dtype(settings)
        self.planes: list[Planes] = []
        if watch is not None:
            watch.tell(Progress(None, sources.channels, 0, 0.0, 0.0, 0.0))
        shape = sources.shape
        room = partial(_room, shape, dtype)
        for planes in planes_of(sources, settings, dtype, room):
            self.planes.append(planes)
            if watch is not None:
                watch.pulse()
        self.mean = float(np.mean([p.w.mean(dtype=np.float64) for p in self.planes]))
        self.lowest = min(float(p.w.min()) for p in self.planes)

    def changed(self, settings: VariationalOsmosis) -> FlowSolver:
        """Return the solver for other settings; what does not depend on them is kept."""
        if _key(settings) != _key(self.settings):
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
        guard: Watch,
        *,
        plan: Plan | None = None,
        begin: tuple[FloatArray, FloatArray, float] | None = None,
    ) -> Fusion:
        """Run a plan, or to where the settings say; from a u and v at a time if they are given."""
        shape = self.sources.shape
        record = _Recorder(self.mean, self.sources.channels, guard)
        plan = plan or self.plan()
        with threads_for(shape[0] * shape[1]):
            flow = self._load(begin, guard)
            start = begin[2] if begin else 0.0
            if plan is not None:
                found = run_plan(flow, plan, start=start, watch=guard, record=record)
            elif self.settings.reach is None:
                found, plan = run_rule(flow, watch=guard, record=record)
            else:
                found = run_stationary(flow, watch=guard, record=record)
            if found.status is Status.nonfinite:
                for c in flow.channels:  # the structure may be lost; u is the last good one
                    c.v[...] = c.w
            flow.settle(goal=SETTLED, watch=guard)
        return self._fusion(flow, found, plan, record, extended=begin is not None)

    def _fusion(
        self,
        flow: Flow,
        found: Outcome[FlowState],
        plan: Plan | None,
        record: _Recorder,
        extended: bool,
    ) -> Fusion:
        sources, settings, shape = self.sources, self.settings, self.sources.shape
        u, v = ([inside(getattr(c, x), shape) for c in flow.channels] for x in "uv")
        return Fusion(
            image=picture_of(u, sources, settings, held=True),
            structure=picture_of(v, sources, settings),
            energy=np.array([self._energy(c) for c in flow.channels]),
            reach=math.sqrt(2.0 * found.state.time / self.mean),
            history=tuple(record.history),
            status=found.status,
            seconds=record.watch.seconds,
            method=settings,
            # A fusion that was extended began elsewhere: no plan leads there at once.
            plan=self._with_halo(plan) if plan and not extended else None,
            sources=sources,
        )

    def _energy(self, c: Channel) -> float:
        """Return the energy of a channel, with the epsilon that was asked for."""
        s, terms = self.settings, c.terms
        if s.eta > 0 and (s.regulariser == "tv" or (s.regulariser and s.epsilon < LEAST_EPSILON)):
            term = HuberTV(s.eta, s.epsilon if s.regulariser == "huber" else 0.0)
            v = inside(c.v, self.sources.shape).astype(np.float64)
            terms = terms | {"regulariser": term.value(v)}
        return sum(terms.values())

    def _load(self, begin: tuple[FloatArray, FloatArray, float] | None, watch: Watch) -> Flow:
        """Return the flow at its start."""
        shape, dtype, channels = self.sources.shape, self.dtype, list[Channel]()
        for k, planes in enumerate(self.planes):
            c = Channel(shape, dtype)
            u, v = (begin[0][k], begin[1][k]) if begin else (planes.u, planes.w)
            # f and w lie in padded planes already, and are not changed by the flow.
            c.f, c.w = cast(FloatArray, planes.f.base), cast(FloatArray, planes.w.base)
            inside(c.u, shape)[...] = u
            inside(c.v, shape)[...] = v
            c.a = _fidelity(planes.alpha, self.settings)
            channels.append(c)
        weights = replace(
            _weights(self.settings),
            lowest=LOWEST_STRUCTURE * self.lowest,
            brightness=self.mean,
        )
        flow = Flow(channels, weights, shape, dtype)
        for c in channels:
            flow.relax(c, goal=1.0 if begin else SETTLED)
            watch.pulse()
        return flow

    def extend(self, fusion: Fusion, reach: float, guard: Watch) -> Fusion:
        """Go on from a fusion to a larger reach."""
        assert fusion.reach is not None, "the flow says how far it has come"
        assert fusion.structure is not None, "the flow has a structure"
        now, then = self.time_of(fusion.reach), self.time_of(reach)
        u, v = (
            np.moveaxis(x.reshape(*self.sources.shape, -1), -1, 0) + self.settings.offset
            for x in (fusion.image, fusion.structure)
        )
        plan = Plan(steps_to(now, then)) if math.isfinite(reach) else None
        return self.run(guard, plan=plan, begin=(u, v, now))


def _room(shape: tuple[int, int], dtype: Any) -> FloatArray:
    """Return a new plane inside a frame of zeros."""
    return inside(zeros(shape, dtype), shape)


def _key(s: VariationalOsmosis) -> tuple[object, ...]:
    """Return what the prepared planes depend on."""
    return s.offset, s.start, s.band, _dtype(s), math.isinf(s.gamma)


def _dtype(settings: VariationalOsmosis) -> Any:
    """Return the precision: the stationary point needs double."""
    wide = settings.precision == "double" or settings.reach == math.inf
    return np.float64 if wide else np.float32


def _fidelity(alpha: FloatArray, settings: VariationalOsmosis) -> FloatArray:
    """Return gamma alpha, or what holds u where alpha is 1, as a padded plane."""
    if settings.gamma == 1.0:
        return cast(FloatArray, alpha.base)  # it lies in a padded plane already
    shape = (alpha.shape[0], alpha.shape[1])
    a = zeros(shape, alpha.dtype.type)
    if math.isinf(settings.gamma):
        weight = FIRM if settings.reach == math.inf else HELD
        inside(a, shape)[...] = weight * (alpha == 1.0)
    else:
        np.multiply(alpha, alpha.dtype.type(min(settings.gamma, HEAVIEST)), out=inside(a, shape))
    return a


def _weights(settings: VariationalOsmosis) -> Weights:
    """Return the weights; Tikhonov's term is Huber's where no gradient is large."""
    mu, eta = min(settings.mu, HEAVIEST), min(settings.eta, HEAVIEST)
    if settings.regulariser is None or eta == 0:
        return Weights(mu, 0.0, 1.0)
    if settings.regulariser == "tikhonov":
        large = 1e6
        return Weights(mu, eta * large, large)
    epsilon = settings.epsilon if settings.regulariser == "huber" else 0.0
    return Weights(mu, eta, max(epsilon, LEAST_EPSILON))


class _Recorder:
    """Keep the history, and tell the watch where the flow is."""

    def __init__(self, mean: float, channels: int, watch: Watch) -> None:
        self.mean, self.channels, self.watch = mean, channels, watch
        self.history: list[Step] = []

    def __call__(self, iteration: int, s: FlowState) -> None:
        reach = math.sqrt(2.0 * s.time / self.mean)
        self.history.append(
            Step(None, iteration, s.time, reach, s.measure, s.terms, None, None, s.cycles)
        )
        self.watch.tell(Progress(None, self.channels, iteration, s.measure, reach, 0.0))
