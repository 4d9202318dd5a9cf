r"""The gradient flow of the joint model, integrated in a few implicit steps.

u follows :math:`\partial_t u = -\partial_u E`; v stays where it minimises the energy for the
current u, which it reaches a hundred times faster. A step of length h is the L-stable SDIRK
method of order 2 with :math:`g = 1 - 1/\sqrt2`:

.. math::

    U_1 = u + g h F(U_1), \qquad
    U_2 = u + \tfrac{1-g}{g} (U_1 - u) + g h F(U_2), \qquad F = -\partial_u E ,

two solves with one matrix, :math:`[(1/gh + \gamma\alpha) v^2 + L_m]\, r = \dots` in the ratio
r = u/v, by one multigrid cycle each. Steps grow by a constant factor, since what the flow
still has to do at time t happens over times of order t. Between :math:`g h` and the end of a
step (and a little beyond) u is the parabola through :math:`U_1` and :math:`U_2` with the
slope of the scheme at :math:`U_2`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np

from osmofuse.energies.fused import (
    blend,
    first_stage,
    implicit_matrix,
    lagged_matrix,
    measure,
    ratio,
    second_stage,
)
from osmofuse.linalg import Hierarchy, flexible_cg, inside
from osmofuse.linalg.multigrid import semi_iteration
from osmofuse.linalg.stencil import zeros
from osmofuse.operators import inner
from osmofuse.optimise.iterate import Outcome, iterate
from osmofuse.optimise.progress import Status, Watch
from osmofuse.typing import FloatArray

G = 1.0 - 1.0 / math.sqrt(2.0)
GROWTH = 3.0
BETWEEN = 1e-2  # how far errors of v fall from step to step
TERMS = ("osmosis", "structure", "fidelity", "regulariser")
STEPS = 4  # to a known time
FIRST_STEP = 4.0  # towards an unknown one
ENERGY_RATE = 2.3e-6  # the paper's stopping rule, per unit of time
LONGEST_EXTRAPOLATION = 1.15
BEYOND = 1.5
MOST_SWEEPS = 8
NEARLY_TV = 0.01
WEAK = 10.0
ROUNDS = 20
TYPICAL_STIFFNESS = 12.0  # of the pull on a structure of brightness 1
LONG = 1e4  # a time by which all but rounding has ended on most pictures
ROUNDING = 1e-2  # of the energy, in single precision
STATIONARY = 1e-8
LEAST_ENERGY = 1e-12  # per sample: a smaller change of the energy is none


@dataclass(frozen=True)
class Weights:
    """The numbers of the model that the flow needs.

    Attributes
    ----------
    mu, eta, epsilon : float
        Weights of the model; eta = 0 for no regulariser.
    lowest : float
        v stays above it.
    brightness : float
        The mean of w.
    """

    mu: float
    eta: float
    epsilon: float
    lowest: float = 0.0
    brightness: float = 1.0


class Channel:
    """The planes of a channel, padded: u, v and the stages of a step.

    f, w and a are to be set; they are never changed.

    Parameters
    ----------
    shape : tuple of int
        Rows and columns.
    dtype : type
        float32 or float64.
    """

    def __init__(self, shape: tuple[int, int], dtype: type) -> None:
        self.u, self.u1, self.u2, self.v = (zeros(shape, dtype) for _ in range(4))
        self.f = self.w = self.a = self.u
        self.terms: dict[str, float] = {}
        self.rate = 0.0


@dataclass(frozen=True, eq=False)
class FlowState:
    """Where the flow is.

    Attributes
    ----------
    time, step : float
        Flow time, and the step that led there.
    terms : dict of str to float
        The energy by term, of all channels.
    rate : float
        The descent -dE/dt, as a part of the energy.
    cycles : int
        Multigrid cycles of the step, in each channel.
    """

    time: float
    step: float
    terms: dict[str, float]
    rate: float
    cycles: int = 2

    @property
    def measure(self) -> float:
        """The energy."""
        return sum(self.terms.values())


Record: TypeAlias = Callable[[int, FlowState], None]


class Flow:
    """The integrator: planes to work on, shared by all channels, and a step.

    Parameters
    ----------
    channels : sequence of Channel
        With u, v, f, w and a set.
    weights : Weights
        Of the model.
    shape : tuple of int
        Rows and columns.
    """

    def __init__(
        self, channels: Sequence[Channel], weights: Weights, shape: tuple[int, int], dtype: type
    ) -> None:
        self.channels, self.weights, self.shape = channels, weights, shape
        self.number: Any = dtype
        self.grid = Hierarchy(shape, dtype)
        self.r, self.y, self.b = (zeros(shape, dtype) for _ in range(3))
        self.pull, self.stiffness = zeros(shape, dtype), zeros(shape, dtype)

    def relax(self, c: Channel, *, goal: float) -> None:
        """Bring v nearer to its minimum: errors fall by `goal`, for a pull that is held still.

        The terms of the energy that are told of are those before.
        """
        w, s, number = self.weights, self.grid.finest, self.number
        sums = lagged_matrix(
            *(s.down, s.right, s.mass, self.b, c.v, c.w, self.pull, self.stiffness),
            *(number(w.mu), number(w.eta), number(w.epsilon)),
            *self.shape,
        )
        quadratic, huber = sums.sum(axis=1, dtype=np.float64)
        c.terms |= {"structure": w.mu * float(quadratic), "regulariser": w.eta * float(huber)}
        if goal < 1.0:
            s.invert_diagonal()
            c.v, self.y = self.solve_structure(c.v, goal)
            np.maximum(c.v, number(w.lowest), out=c.v)
            _clear_frame(c.v, self.shape)

    def solve_structure(self, v: FloatArray, goal: float) -> tuple[FloatArray, FloatArray]:
        """Solve with the lagged matrix: by sweeps where its mass is heavy, else by cycles."""
        edges = 4.0 * self.weights.eta / self.weights.epsilon
        rho = edges / (self.weights.mu + edges)
        sigma = rho / (1.0 + math.sqrt(1.0 - rho * rho))
        sweeps = 1.0 if sigma == 0.0 else math.log(2.0 / goal) / max(-math.log(sigma), 1e-9)
        if sweeps <= MOST_SWEEPS:
            return self.grid.sweep(v, self.y, self.b, semi_iteration(rho, math.ceil(sweeps)))
        self.grid.coarsen(heaviness=4.0 * self.weights.mu / edges)
        y = self.y
        for _ in range(math.ceil(math.log10(1.0 / goal))):
            v, y = self.grid.cycle(v, y, self.b)
        return v, y

    def advance(self, channel: Channel, h: float) -> None:
        """Compute both stages of a step, its end as `u2`, the terms there and the pull."""
        number, grid, shape = self.number, self.grid, self.shape
        s, rate, c = grid.finest, 1.0 / (G * h), channel
        implicit_matrix(s.down, s.right, s.mass, s.inverse, c.v, c.a, number(rate), *shape)
        grid.coarsen(heaviness=rate * self.weights.brightness)
        first_stage(self.r, self.b, c.u, c.v, c.a, c.f, number(rate), *shape)
        self.r, self.y = grid.cycle(self.r, self.y, self.b)
        weight = number(rate * (1.0 - G) / G)
        second_stage(self.r, self.b, c.u1, c.u, c.v, weight, *shape)
        self.r, self.y = grid.cycle(self.r, self.y, self.b)
        self.measure(c)

    def solve_stationary(self, c: Channel) -> bool:
        """Solve for u with v held still, for the increment; tell whether it converged."""
        grid, shape, zero = self.grid, self.shape, self.number(0.0)
        s = grid.finest
        implicit_matrix(s.down, s.right, s.mass, s.inverse, c.v, c.a, zero, *shape)
        first_stage(self.r, self.b, c.u, c.v, c.a, c.f, zero, *shape)
        converged = True
        if not c.a.any():
            inside(self.r, shape)[...] = inner(c.v, c.u) / inner(c.v, c.v)
        else:
            grid.coarsen()
            found = flexible_cg(
                s, self.b - s(self.r), np.zeros_like(self.r), precondition=grid.precondition,
                rtol=1e-6, atol=1e-13 * math.sqrt(inner(self.b, self.b)), max_iter=60,
            )  # fmt: skip
            self.r += found.x
            converged = found.converged
        self.measure(c)
        return converged

    def measure(self, c: Channel) -> None:
        """Take the end of a step from r, with its terms, its rate and its pull."""
        sums = measure(c.u2, self.pull, self.stiffness, self.r, c.v, c.f, c.a, *self.shape)
        osmosis, fidelity, rate = sums.sum(axis=1, dtype=np.float64)
        c.terms = {"osmosis": float(osmosis), "fidelity": float(fidelity)}
        c.rate = float(rate)

    def step(self, h: float, watch: Watch) -> bool:
        """Compute a step in all channels, not accepted yet; False if it was cancelled."""
        for c in self.channels:
            self.advance(c, h)
            self.follow(c)
            watch.pulse()
            if watch.cancelled:
                return False
        return True

    def follow(self, c: Channel) -> None:
        """Bring v after the end of a step."""
        self.relax(c, goal=BETWEEN)
        for _ in range(self.rounds - 1):
            ratio(self.r, c.u2, c.v, *self.shape)
            self.measure(c)
            self.relax(c, goal=BETWEEN)

    @property
    def rounds(self) -> int:
        """How often the structure must be relaxed to follow u: more where mu is weak."""
        stiffness = TYPICAL_STIFFNESS / self.weights.brightness
        kept = stiffness / (stiffness + self.weights.mu)
        return min(math.ceil(math.log(0.1) / math.log(kept)), ROUNDS)

    def accept(self, part: float = 1.0) -> None:
        """Make a part of the step the new u: all of it, or a point of its dense output."""
        for c in self.channels:
            if part == 1.0:
                c.u, c.u2 = c.u2, c.u
            else:
                c0, c1, c2 = (self.number(x) for x in dense_output(part))
                blend(c.u, c.u1, c.u2, c0, c1, c2, *self.shape)

    def settle(self, *, goal: float, watch: Watch) -> None:
        """Bring v to its minimum where steps do not, and the terms of the energy up to date."""
        # Near total variation, or with a weak mu, a step on the structure is a short one.
        weak = self.weights.epsilon <= NEARLY_TV or self.weights.mu <= WEAK
        for c in self.channels:
            for _ in range(ROUNDS if weak else 0):
                if watch.cancelled:
                    break
                self._measure_u(c)
                self.relax(c, goal=goal)
                watch.pulse()
            self._measure_u(c)
            self.relax(c, goal=1.0)

    def _measure_u(self, c: Channel) -> None:
        ratio(self.r, c.u, c.v, *self.shape)
        self.measure(c)

    def total(self) -> tuple[dict[str, float], float]:
        """Return the terms of the energy and its descent as a part of it, of all channels."""
        terms = {name: sum(c.terms[name] for c in self.channels) for name in TERMS}
        energy = sum(terms.values())
        descent = sum(c.rate for c in self.channels)
        least = LEAST_ENERGY * math.prod(self.shape) * len(self.channels)
        return terms, 0.0 if energy <= least else descent / energy


def dense_output(part: float) -> tuple[float, float, float]:
    r"""Return the weights of u, :math:`U_1` and :math:`U_2` at a part of a step.

    .. math::

        U_2 + (\theta - 1)\, h F_2 + c (\theta - 1)^2, \qquad
        h F_2 = \tfrac1g \big(U_2 - u - \tfrac{1-g}{g} (U_1 - u)\big),

    with c such that it passes through :math:`U_1` at :math:`\theta = g`.
    """
    k, s = (1.0 - G) / G, part - 1.0
    slope = np.array([(k - 1.0) / G, -k / G, 1.0 / G])  # of u, U1, U2
    curve = (np.array([0.0, 1.0, -1.0]) + (1.0 - G) * slope) / (1.0 - G) ** 2
    c0, c1, c2 = np.array([0.0, 0.0, 1.0]) + s * slope + s * s * curve
    return float(c0), float(c1), float(c2)


def _clear_frame(v: FloatArray, shape: tuple[int, int]) -> None:
    """Set the frame to 0 again, where sweeps, interpolation and clamping leave values."""
    v[0] = 0.0
    v[shape[0] + 1 :] = 0.0
    v[:, 0] = 0.0
    v[:, shape[1] + 1 :] = 0.0


@dataclass(frozen=True)
class Plan:
    """What the flow did or is to do; the same plan gives the same pixels.

    Attributes
    ----------
    steps : tuple of float
        Lengths of the steps in flow time.
    part : float
        The part of the last step at which to end, by dense output.
    cycles : int
        Multigrid cycles of a stage.
    halo : int
        Pixels beyond a piece of the picture that it takes to compute it alone.
    """

    steps: tuple[float, ...]
    part: float = 1.0
    cycles: int = 1
    halo: int = 0

    @property
    def time(self) -> float:
        """The flow time at its end."""
        return sum(self.steps[:-1]) + self.part * self.steps[-1]


def steps_to(start: float, end: float) -> tuple[float, ...]:
    """Return the steps from a time to another: they grow by a constant factor."""
    first = (end - start) * (GROWTH - 1.0) / (GROWTH**STEPS - 1.0)
    return tuple(first * GROWTH**k for k in range(STEPS))


def run_plan(
    flow: Flow,
    plan: Plan,
    *,
    start: float = 0.0,
    watch: Watch,
    record: Record | None = None,
) -> Outcome[FlowState]:
    """Take the steps of a plan.

    Parameters
    ----------
    flow : Flow
        At time `start`.
    plan : Plan
        What to do.
    start : float
        The time now.
    watch : Watch
        Pulsed after each channel of each step.
    record : callable, optional
        Given each step's number and the state after it.
    """
    left = list(plan.steps)

    def step(s: FlowState) -> FlowState:
        h = left[0]
        if not flow.step(h, watch):
            return s
        left.pop(0)
        part = 1.0 if left else plan.part
        state = FlowState(s.time + part * h, h, *flow.total())
        if math.isfinite(state.measure):
            flow.accept(part)
        return state

    def stop(_: int, __: FlowState, ___: FlowState) -> Status | None:
        return None if left else Status.reached

    first = FlowState(start, 0.0, {}, 0.0)
    return iterate(step, first, stop=stop, max_iter=len(left), watch=watch, record=record)


def run_rule(
    flow: Flow,
    *,
    rate: float = ENERGY_RATE,
    max_iter: int = 60,
    watch: Watch,
    record: Record | None = None,
) -> tuple[Outcome[FlowState], Plan | None]:
    r"""Follow the flow until its energy falls by less than a part of itself in a unit of time.

    Parameters
    ----------
    flow : Flow
        At time 0.
    rate : float
        Where to stop: :math:`-\dot E / E`.
    max_iter : int
        Most steps.
    watch, record
        As for `run_plan`.

    Returns
    -------
    tuple of Outcome and Plan
        Where it ended, and the plan that leads there again; None if no step was taken.
    """
    taken: list[float] = []
    ends: list[tuple[float, Status]] = []

    def step(s: FlowState) -> FlowState:
        h = _next_step(s, before[-1], rate)
        if not flow.step(h, watch):
            return s
        terms, now = flow.total()
        new = FlowState(s.time + h, h, terms, now)
        if not math.isfinite(new.measure):
            return new
        taken.append(h)
        part, status = _end_of(rate, s, new)
        flow.accept(part)
        if status is None:
            before.append(s)
        else:
            ends.append((part, status))
        return replace(new, time=s.time + part * h)

    def stop(_: int, __: FlowState, ___: FlowState) -> Status | None:
        return ends[0][1] if ends else None

    first = FlowState(0.0, FIRST_STEP / GROWTH, {}, math.inf)
    before = [first]
    found = iterate(step, first, stop=stop, max_iter=max_iter, watch=watch, record=record)
    return found, Plan(tuple(taken), ends[0][0] if ends else 1.0) if taken else None


def run_stationary(flow: Flow, *, watch: Watch, record: Record | None = None) -> Outcome[FlowState]:
    r"""Go where the flow ends: u solves :math:`[a v^2 + L_m] r = v a f`, v its own problem.

    Where nothing is held (a = 0) that is the multiple of v which keeps :math:`\sum v u`.
    """
    solved: list[bool] = []

    def step(s: FlowState) -> FlowState:
        solved.clear()
        for c in flow.channels:
            solved.append(flow.solve_stationary(c))
            flow.follow(c)
            watch.pulse()
            if watch.cancelled:
                return s
        flow.accept()
        return FlowState(math.inf, math.inf, *flow.total())

    def stop(_: int, old: FlowState, new: FlowState) -> Status | None:
        change = abs(new.measure - old.measure)
        least = LEAST_ENERGY * math.prod(flow.shape) * len(flow.channels)
        settled = math.isinf(old.time) and change <= max(STATIONARY * abs(new.measure), least)
        if not settled and new.measure > 0.0:
            return None
        return Status.stationary if all(solved) else Status.stalled

    first = FlowState(0.0, 0.0, {}, 0.0)
    return iterate(step, first, stop=stop, max_iter=50, watch=watch, record=record)


def _end_of(rate: float, old: FlowState, new: FlowState) -> tuple[float, Status | None]:
    """Return the part of a step at which the flow ends, and how; None if it goes on."""
    fall, expected = old.measure - new.measure, new.rate * new.step * new.measure
    if old.time > LONG and fall < 0.1 * expected:
        # The gradient is what rounding and cycles leave of it; or, if energy rises, a fault.
        return 1.0, Status.stationary if fall >= -ROUNDING * new.measure else Status.stalled
    part = (_time_of(rate, old, new) - old.time) / new.step
    if new.rate > rate and part > LONGEST_EXTRAPOLATION:
        return 1.0, None
    return min(max(part, G), LONGEST_EXTRAPOLATION), Status.energy_rate


def _next_step(s: FlowState, before: FlowState, rate: float) -> float:
    """Return the next step: as planned, or to where the rule seems to be met."""
    planned = GROWTH * s.step
    if s.time == 0.0 or before.time == 0.0:
        return planned
    # The descent slows down: aim beyond, since the end is better found within a step.
    expected = BEYOND * (_time_of(rate, before, s) - s.time)
    return (
        float(min(max(expected, 0.3 * planned), planned)) if expected < 1.3 * planned else planned
    )


def _time_of(rate: float, old: FlowState, new: FlowState) -> float:
    """Return when the rate is met, if it falls as a power of time as between two states."""
    if new.rate <= 0.0:
        return new.time
    if old.time == 0.0:
        power = -1.5  # of a flow that has begun; the next steps know better
    else:
        power = math.log(new.rate / old.rate) / math.log(new.time / old.time)
    power = min(power, -0.5)
    return float(new.time * (rate / new.rate) ** (1.0 / power))
