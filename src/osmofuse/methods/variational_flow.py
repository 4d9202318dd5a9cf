r"""Variational osmosis by its gradient flow: the fast solver.

The fusion is where the flow from the start has come at a time T. That is said as a reach in
pixels: with the mean :math:`\bar v` of the target over the whole picture,
:math:`T = \bar v R^2 / 2` lets osmosis act over a distance of R.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from osmofuse.energies.fused import HELD
from osmofuse.kernels import threads_for
from osmofuse.linalg import inside
from osmofuse.methods.contract import Fusion, Sources, WatchFunction
from osmofuse.methods.problem import picture_of, planes_of
from osmofuse.optimise import Progress, Step, Watch
from osmofuse.optimise.flow import (
    Channel,
    Flow,
    FlowState,
    Weights,
    run_rule,
    run_steps,
    steps_to,
)
from osmofuse.typing import FloatArray

if TYPE_CHECKING:
    from osmofuse.methods.variational import VariationalOsmosis

SETTLED = 1e-4  # how far errors of the structure fall at the start and at the end
LEAST_EPSILON = 1e-3  # below this, gradients of a total variation are smoothed
LOWEST_STRUCTURE = 1e-3  # v stays above this part of the least target


def fuse_by_flow(
    settings: VariationalOsmosis, sources: Sources, watch: WatchFunction | None
) -> Fusion:
    """Fuse the sources by the gradient flow, all channels together."""
    guard = Watch(watch)
    dtype: Any = np.float64 if settings.precision == "double" else np.float32
    shape = sources.shape
    with threads_for(shape[0] * shape[1]):
        flow, mean = _load(settings, sources, dtype)
        record = _Recorder(mean, guard)
        if settings.reach is None:
            found = run_rule(flow, watch=guard, record=record)
        else:
            steps = steps_to(0.0, mean * settings.reach**2 / 2.0)
            found = run_steps(flow, steps, watch=guard, record=record)
        flow.settle(goal=SETTLED)
    return Fusion(
        image=picture_of([inside(c.u, shape) for c in flow.channels], sources, settings, held=True),
        structure=picture_of([inside(c.v, shape) for c in flow.channels], sources, settings),
        energy=np.array([sum(c.terms.values()) for c in flow.channels]),
        reach=math.sqrt(2.0 * found.state.time / mean),
        history=tuple(record.history),
        status=found.status,
        seconds=guard.seconds,
        method=settings,
    )


def _load(settings: VariationalOsmosis, sources: Sources, dtype: Any) -> tuple[Flow, float]:
    """Return the flow at its start, and the mean of the target over the whole picture."""
    channels, means, lowest = [], [], math.inf
    for planes in planes_of(sources, settings, dtype):
        c = Channel(sources.shape, dtype)
        for name, plane in (("u", planes.u), ("v", planes.w), ("f", planes.f), ("w", planes.w)):
            inside(getattr(c, name), sources.shape)[...] = plane
        inside(c.a, sources.shape)[...] = _fidelity(planes.alpha, settings.gamma, dtype)
        channels.append(c)
        means.append(float(planes.w.mean(dtype=np.float64)))
        lowest = min(lowest, float(planes.w.min()))
    flow = Flow(channels, _weights(settings, LOWEST_STRUCTURE * lowest), sources.shape, dtype)
    for c in channels:
        flow.relax(c, goal=SETTLED)
    return flow, float(np.mean(means))


def _fidelity(alpha: FloatArray, gamma: float, dtype: Any) -> FloatArray:
    held = dtype(HELD)
    if math.isinf(gamma):
        return np.asarray(np.where(alpha == 1.0, held, dtype(0.0)))
    return np.asarray(dtype(gamma) * alpha)


def _weights(settings: VariationalOsmosis, lowest: float) -> Weights:
    """Return the weights; Tikhonov's term is Huber's where no gradient is large."""
    if settings.regulariser is None or settings.eta == 0:
        return Weights(settings.mu, 0.0, 1.0, lowest)
    if settings.regulariser == "tikhonov":
        large = 1e6
        return Weights(settings.mu, settings.eta * large, large, lowest)
    epsilon = settings.epsilon if settings.regulariser == "huber" else 0.0
    return Weights(settings.mu, settings.eta, max(epsilon, LEAST_EPSILON), lowest)


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
