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
from osmofuse.methods.contract import Fusion, Sources, joined
from osmofuse.methods.problem import Planes, picture_of, planes_of
from osmofuse.optimise import Outcome
from osmofuse.optimise.flow import Channel, Flow, FlowState, Weights
from osmofuse.optimise.plan import Plan, run_plan, run_rule, run_stationary, run_to
from osmofuse.progress import Guard, Progress, Status, Step
from osmofuse.typing import FloatArray

if TYPE_CHECKING:
    from osmofuse.methods.variational import VariationalOsmosis

SETTLED = 1e-2  # how far errors of the structure fall at the start; steps see to the rest
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
        self, settings: VariationalOsmosis, sources: Sources, guard: Guard | None = None
    ) -> None:
        self.settings, self.sources = settings, sources
        self.dtype = dtype = _dtype(settings)
        self.planes: list[Planes] = []
        guard = guard or Guard(None)
        guard.tell(Progress(None, sources.channels, 0, None, 0.0, 0.0))
        shape = sources.shape
        room = partial(_room, shape, dtype)
        for planes in planes_of(sources, settings, dtype, room):
            self.planes.append(planes)
            if not guard.beat():
                return  # `run` will not need the rest
        self.mean = float(np.mean([p.w.mean(dtype=np.float64) for p in self.planes]))
        self.lowest = min(float(p.w.min()) for p in self.planes)
        # Planes to work on; another solver for the same pictures works on them, too.
        channels = [Channel(shape, dtype) for _ in self.planes]
        self.flow = Flow(channels, self._weights(), shape, dtype)

    def changed(self, settings: VariationalOsmosis, guard: Guard) -> FlowSolver:
        """Return the solver for other settings; what does not depend on them is kept."""
        if not self.serves(settings):
            return FlowSolver(settings, self.sources, guard)
        other = copy(self)
        other.settings = settings
        return other

    def serves(self, settings: VariationalOsmosis) -> bool:
        """Return True if the planes are those that other settings need."""
        return _key(settings) == _key(self.settings)

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
        guard: Guard,
        *,
        plan: Plan | None = None,
        begin: tuple[FloatArray, FloatArray, float] | None = None,
    ) -> Fusion:
        """Run a plan, or to where the settings say; from a u and v at a time if they are given."""
        if guard.cancelled:
            return self._not_begun(guard)
        shape, reach = self.sources.shape, self.settings.reach
        given = plan
        mean = plan.brightness if plan else self.mean
        record = _Recorder(mean, self.sources.channels, guard)
        with self.flow.lock, threads_for(shape[0] * shape[1]):
            flow = self._load(begin, plan, guard)
            start = begin[2] if begin else 0.0
            if plan is not None:
                found = run_plan(flow, plan, guard=guard, record=record)
            elif reach is None:
                found, plan = run_rule(flow, guard=guard, record=record)
            elif math.isinf(reach):
                found = run_stationary(flow, guard=guard, record=record)
            else:
                end = self.time_of(reach)
                found, plan = run_to(flow, end, start=start, guard=guard, record=record)
            if found.status is Status.nonfinite:
                for c in flow.channels:  # the structure may be lost; u is the last good one
                    c.v[...] = c.w
                flow.grid.clear()
            if not guard.cancelled:  # who has cancelled wants no more to be done
                flow.settle(guard=guard)
                record.finish(flow.total())
            fusion = self._fusion(flow, found, record)
        if begin:  # it began elsewhere: no plan leads there at once
            return fusion
        return replace(fusion, plan=given or (self._with_halo(plan) if plan else None))

    def _not_begun(self, guard: Guard) -> Fusion:
        """Return the foreground: what there is before the flow."""
        sources = self.sources
        planes = [sources.image(0, c, sources.dtype) for c in range(sources.channels)]
        return Fusion(
            image=np.stack(planes, axis=-1).reshape(sources.foreground.shape),
            structure=None,
            energy=None,
            reach=0.0,
            history=(),
            status=Status.cancelled,
            seconds=guard.seconds,
            method=self.settings,
            sources=sources,
        )

    def _fusion(
        self,
        flow: Flow,
        found: Outcome[FlowState],
        record: _Recorder,
    ) -> Fusion:
        sources, settings, shape = self.sources, self.settings, self.sources.shape
        u, v = ([inside(getattr(c, x), shape) for c in flow.channels] for x in "uv")
        cancelled = found.status is Status.cancelled
        return Fusion(
            image=picture_of(u, sources, settings, held=True),
            structure=None if cancelled else picture_of(v, sources, settings),
            energy=None if cancelled else np.array([self._energy(c) for c in flow.channels]),
            reach=math.sqrt(2.0 * found.state.time / record.mean),
            history=tuple(record.history),
            status=found.status,
            seconds=record.guard.seconds,
            method=settings,
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

    def _load(
        self,
        begin: tuple[FloatArray, FloatArray, float] | None,
        plan: Plan | None,
        guard: Guard,
    ) -> Flow:
        """Return the flow at its start."""
        shape, flow = self.sources.shape, self.flow
        flow.weights = self._weights(plan)
        for k, (c, planes) in enumerate(zip(flow.channels, self.planes, strict=True)):
            u, v = (begin[0][k], begin[1][k]) if begin else (planes.u, planes.w)
            # f, w and alpha lie in padded planes already, and are not changed by the flow.
            c.f, c.w = cast(FloatArray, planes.f.base), cast(FloatArray, planes.w.base)
            c.alpha = _held(planes.alpha, self.settings)
            inside(c.u, shape)[...] = u
            inside(c.v, shape)[...] = v
        flow.begin(goal=1.0 if begin else SETTLED, guard=guard)
        return flow

    def _weights(self, plan: Plan | None = None) -> Weights:
        """Return the weights, with what a plan says of the whole picture."""
        return replace(
            _weights(self.settings),
            lowest=plan.lowest if plan else LOWEST_STRUCTURE * self.lowest,
            brightness=plan.brightness if plan else self.mean,
        )

    def extend(self, fusion: Fusion, guard: Guard) -> Fusion:
        """Go on from a fusion to the reach of the settings."""
        if guard.cancelled:
            return replace(fusion, status=Status.cancelled)
        assert fusion.reach is not None, "the flow says how far it has come"
        assert fusion.structure is not None, "the flow has a structure"
        now = self.time_of(fusion.reach)
        u, v = (
            np.moveaxis(x.reshape(*self.sources.shape, -1), -1, 0) + self.settings.offset
            for x in (fusion.image, fusion.structure)
        )
        longer = self.run(guard, begin=(u, v, now))
        return replace(longer, history=joined(fusion.history, longer.history))


def _room(shape: tuple[int, int], dtype: Any) -> FloatArray:
    """Return a new plane inside a frame of zeros."""
    return inside(zeros(shape, dtype), shape)


def _key(s: VariationalOsmosis) -> tuple[object, ...]:
    """Return what the prepared planes depend on."""
    return s.offset, s.start, s.band, s.target, _dtype(s), math.isinf(s.gamma)


def _dtype(settings: VariationalOsmosis) -> Any:
    """Return the precision: the stationary point needs double."""
    wide = settings.precision == "double" or settings.reach == math.inf
    return np.float64 if wide else np.float32


def _held(alpha: FloatArray, settings: VariationalOsmosis) -> FloatArray:
    """Return alpha as a padded plane, or 1 where an infinite gamma holds u and 0 elsewhere."""
    plane = cast(FloatArray, alpha.base)
    return (plane == 1.0).astype(plane.dtype) if math.isinf(settings.gamma) else plane


def _weights(settings: VariationalOsmosis) -> Weights:
    """Return the weights; Tikhonov's term is Huber's where no gradient is large."""
    mu, eta = min(settings.mu, HEAVIEST), min(settings.eta, HEAVIEST)
    firm = FIRM if settings.reach == math.inf else HELD
    gamma = firm if math.isinf(settings.gamma) else min(settings.gamma, HEAVIEST)
    if settings.regulariser is None or eta == 0:
        return Weights(mu, 0.0, 1.0, gamma)
    if settings.regulariser == "tikhonov":
        large = 1e6
        return Weights(mu, eta * large, large, gamma)
    epsilon = settings.epsilon if settings.regulariser == "huber" else 0.0
    return Weights(mu, eta, max(epsilon, LEAST_EPSILON), gamma)


class _Recorder:
    """Keep the history, and tell the guard where the flow is."""

    def __init__(self, mean: float, channels: int, guard: Guard) -> None:
        self.mean, self.channels, self.guard = mean, channels, guard
        self.history: list[Step] = []

    def __call__(self, iteration: int, s: FlowState) -> None:
        reach = math.sqrt(2.0 * s.time / self.mean)
        self.history.append(
            Step(None, iteration, s.time, reach, s.measure, s.terms, None, None, s.cycles)
        )
        self.guard.tell(Progress(None, self.channels, iteration, s.measure, reach, 0.0))

    def finish(self, terms: dict[str, float]) -> None:
        """Set the energy of what is returned: a part of the last step, and its structure."""
        if self.history:
            energy = sum(terms.values())
            self.history[-1] = replace(self.history[-1], energy=energy, terms=terms)
