r"""Step plans of the flow: to a given time, to the paper's stopping rule, or to the steady state.

A plan is made, checked and recorded; run again, it gives the same pixels. To a known time, three
steps that grow by a constant factor are proposed. The last one decides the accuracy, since an
L-stable step damps most of the errors of the steps before it. A step whose estimated error is too
large is halved. Each stage is solved by one cycle at first; a step whose residual is too large is
solved again with more.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from osmofuse.checks import mapping, number, sequence, whole
from osmofuse.energies.flow_kernels import HELD_GAMMA
from osmofuse.errors import SettingError
from osmofuse.optimise.flow import FLOW_ENERGY_FLOOR, WEAK_MU, Flow, FlowState, Quality
from osmofuse.optimise.iterate import Outcome, iterate
from osmofuse.optimise.sdirk import FIRST_MIDDLE, MIDDLE, G
from osmofuse.progress import Guard, Status

STEPS, GROWTH = 3, 1.5  # number and growth of the steps to a known time
FIRST_STEP, RULE_GROWTH = 16.0, 2.0  # first step and growth towards an unknown time
# Parts of a step for mu below WEAK_MU: v then changes within it, which no estimate shows.
WEAK_PARTS = 6
ENERGY_RATE = 2.3e-6  # the paper's stopping rule: relative energy change per unit of time
OVERSHOOT = 1.25  # aimed beyond the predicted end, which dense output then finds within the step
LONGEST_EXTRAPOLATION = 1.05  # largest part of a step at which dense output is taken
END_MARGIN = 1.03  # an end predicted within this factor of the current time counts as reached
SHORTEST_PART = 0.5  # a step whose end lies before this part is proposed again, shorter
SHORTEST_STEP = 1e-3  # but not below this flow time
MOST_CYCLES = 8  # multigrid cycles of a stage
MOST_HALVINGS, MOST_STEPS = 6, 400  # of a proposed step; of a plan
# Bounds of plans: the time of a reach of a million pixels; the brightest samples with an offset.
LONGEST_STEP, BRIGHTEST, LARGEST_HALO = 1e15, 1000.0, 10**18
MOST_STATISTIC = 1e30  # anything that a plane in single precision can hold works
# Error of the last step relative to the mean brightness. Steps before it may have LATER_FACTOR
# times as much, the first FIRST_FACTOR times, since later steps damp their errors.
ERROR_TOLERANCE, LATER_FACTOR, FIRST_FACTOR = 1.2e-3, 1.6, 10.0
# Residuals of the first step and of later ones, in which little of the error is left in the fast
# parts that residuals show. A cycle leaves a tenth of a residual; a step of length h leaves to the
# next one RESIDUAL_FALL / h of its own, at brightness 1.
FIRST_RESIDUAL, LATER_RESIDUAL, ROUGH_FACTOR, RESIDUAL_FALL = 0.9e-3, 1.2e-4, 4.0, 1.4
LONG_TIME = 1e4  # flow time after which, on most pictures, only rounding changes the energy
ENERGY_ROUNDING = 1e-2  # relative rise of the energy that single precision explains
STATIONARY_RTOL = 1e-8  # relative energy change between iterations of the steady state

Record: TypeAlias = Callable[[int, FlowState], None]


@dataclass(frozen=True)
class Plan:
    """Steps of a flow; the same plan gives the same pixels.

    Attributes
    ----------
    steps : tuple of float, above 0 to 1e15
        Lengths of the steps in flow time; at most 400.
    cycles : tuple of int, 1 to 8
        Multigrid cycles of a stage, in each step.
    part : float, above 0 to 1.05
        Part of the last step at which the flow ends, by dense output.
    brightness, lowest : float
        Of the whole picture: mean of the target, which decides the depth of the grids, and lower
        bound of the structure.
    halo : int
        Pixels around a tile that are needed to compute it alone.
    statistics : mapping of str to float
        Further numbers of the whole picture, for targets and settings that need them.

    Raises
    ------
    SettingError
        A number is out of range.
    """

    steps: tuple[float, ...]
    cycles: tuple[int, ...]
    part: float = 1.0
    brightness: float = 1.0
    lowest: float = 0.0
    halo: int = 0
    statistics: Mapping[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        steps = sequence("plan.steps", self.steps, least=1, most=MOST_STEPS)
        cycles = sequence("plan.cycles", self.cycles, least=1, most=MOST_STEPS)
        if len(steps) != len(cycles):
            raise SettingError(
                f"plan.cycles: {len(cycles)} entries; must be {len(steps)}, as steps"
            )
        lengths = [
            number(f"plan.steps[{k}]", h, above=True, most=LONGEST_STEP)
            for k, h in enumerate(steps)
        ]
        counts = [
            whole(f"plan.cycles[{k}]", n, least=1, most=MOST_CYCLES) for k, n in enumerate(cycles)
        ]
        object.__setattr__(self, "steps", tuple(lengths))
        object.__setattr__(self, "cycles", tuple(counts))
        number("plan.part", self.part, above=True, most=LONGEST_EXTRAPOLATION)
        number("plan.brightness", self.brightness, above=True, most=BRIGHTEST)
        number("plan.lowest", self.lowest, most=BRIGHTEST)
        whole("plan.halo", self.halo, least=0, most=LARGEST_HALO)
        for name, value in mapping("plan.statistics", self.statistics).items():
            number(f"plan.statistics[{name!r}]", value, least=-MOST_STATISTIC, most=MOST_STATISTIC)

    @property
    def time(self) -> float:
        """Flow time at the end."""
        return sum(self.steps[:-1]) + self.part * self.steps[-1]


def steps_to(start: float, end: float, *, parts: int = 1) -> tuple[float, ...]:
    """Return steps from one time to another that grow by a constant factor, each in parts."""
    growth, count = GROWTH ** (1.0 / parts), STEPS * parts
    first = (end - start) * (growth - 1.0) / (growth**count - 1.0)
    return tuple(first * growth**k for k in range(count))


def _parts(flow: Flow) -> int:
    """Return the number of parts of a usual step."""
    return WEAK_PARTS if flow.weights.mu < WEAK_MU else 1


def run_plan(
    flow: Flow, plan: Plan, *, guard: Guard, record: Record | None = None
) -> Outcome[FlowState]:
    """Run the steps of a plan from time 0 without changing them.

    Parameters
    ----------
    flow : Flow
        Flow at its start.
    plan : Plan
        Steps to take.
    guard : Guard
        Pulsed after each channel of each step.
    record : callable, optional
        Called with each step's number and the state after it.
    """
    left = list(zip(plan.steps, plan.cycles, strict=True))

    def step(s: FlowState) -> FlowState:
        h, cycles = left.pop(0)
        quality = flow.propose(h, cycles, guard)
        if quality is None or not flow.follow(guard):
            return s
        new = _state_after(flow, s, h, quality, cycles)
        return _accept(flow, new, s, 1.0 if left else plan.part)

    def stop(_: int, __: FlowState, ___: FlowState) -> Status | None:
        return None if left else Status.reached

    return iterate(step, _START, stop=stop, max_iter=len(left), guard=guard, record=record)


def run_to(
    flow: Flow, end: float, *, start: float = 0.0, guard: Guard, record: Record | None = None
) -> tuple[Outcome[FlowState], Plan | None]:
    """Run the flow to a given time, in as many steps as the tolerances require.

    Parameters
    ----------
    flow : Flow
        Flow at time `start`.
    end : float
        Final time.
    start : float
        Current time.
    guard, record
        As for `run_plan`.

    Returns
    -------
    tuple of Outcome and Plan
        Result of the loop, and the plan that reproduces it; None if no step was taken.
    """
    left = list(steps_to(start, end, parts=_parts(flow)))
    planner = _Planner(flow, guard)

    def step(s: FlowState) -> FlowState:
        proposed = planner.propose(left[0], last=len(left) == 1)
        if proposed is None or not flow.follow(guard):
            return s
        h, quality = proposed
        left[:1] = [left[0] - h] if h < left[0] else []
        return planner.accept(_state_after(flow, s, h, quality, planner.cycles), s)

    def stop(_: int, __: FlowState, ___: FlowState) -> Status | None:
        return None if left else Status.reached

    first = replace(_START, time=start)
    found = iterate(step, first, stop=stop, max_iter=MOST_STEPS, guard=guard, record=record)
    return found, planner.plan()


def run_rule(
    flow: Flow,
    *,
    rate: float = ENERGY_RATE,
    max_iter: int = 60,
    guard: Guard,
    record: Record | None = None,
) -> tuple[Outcome[FlowState], Plan | None]:
    r"""Run the flow until the relative decrease of its energy per unit of time is below a rate.

    Parameters
    ----------
    flow : Flow
        Flow at time 0.
    rate : float
        Value of :math:`-\dot E / E` at which to stop.
    max_iter : int
        Maximum number of steps.
    guard, record
        As for `run_plan`.

    Returns
    -------
    tuple of Outcome and Plan
        Result of the loop, and the plan that reproduces it; None if no step was taken.
    """
    planner, before, ends = _Planner(flow, guard), [_START], list[Status]()

    def step(s: FlowState) -> FlowState:
        h, last = _next_step(s, before[-1], rate, _parts(flow))
        while (proposed := planner.propose(h, last=last)) is not None:
            h, quality = proposed
            part = _part(rate, s, _expected(flow, s, h, quality))
            if part < SHORTEST_PART and h > max(SHORTEST_STEP, (END_MARGIN - 1.0) * s.time):
                h, last = max(OVERSHOOT * part, SHORTEST_PART / 4.0) * h, True
            elif part < 1.0 and not last and planner.is_coarse(quality):
                last = True  # it was not expected to be, and is proposed again as the last
            else:
                break
        if proposed is None or not flow.follow(guard):
            return s
        new = _state_after(flow, s, h, quality, planner.cycles)
        part, status = _end_of(rate, s, new)
        before.append(s)
        ends.extend([status] if status else [])
        return planner.accept(new, s, part)

    def stop(_: int, __: FlowState, ___: FlowState) -> Status | None:
        return ends[0] if ends else None

    found = iterate(step, _START, stop=stop, max_iter=max_iter, guard=guard, record=record)
    return found, planner.plan()


def run_stationary(flow: Flow, *, guard: Guard, record: Record | None = None) -> Outcome[FlowState]:
    r"""Run the flow to its steady state: :math:`\partial_u E(u, v) = 0`, with v at its minimum.

    Without a fidelity (alpha = 0) u is the multiple of v that keeps :math:`\sum v u`.
    """
    solved: list[bool] = []

    def step(s: FlowState) -> FlowState:
        channels = range(len(flow.channels))
        solved[:] = [guard.beat() and flow.solve_stationary(k, guard) for k in channels]
        if guard.cancelled or not flow.follow(guard):
            return s
        new = FlowState(math.inf, math.inf, flow.total(), 0.0)
        if math.isfinite(new.measure):
            flow.accept()
        return new

    def stop(_: int, old: FlowState, new: FlowState) -> Status | None:
        change = abs(new.measure - old.measure)
        least = FLOW_ENERGY_FLOOR * flow.samples
        settled = math.isinf(old.time) and change <= max(STATIONARY_RTOL * abs(new.measure), least)
        if not settled and new.measure > 0.0:
            return None
        return Status.stationary if all(solved) else Status.stalled

    return iterate(step, _START, stop=stop, max_iter=50, guard=guard, record=record)


class _Planner:
    """Step control: proposes steps until they meet the tolerances, and records accepted ones."""

    def __init__(self, flow: Flow, guard: Guard) -> None:
        self.flow, self.guard, self.cycles = flow, guard, 1
        self.residual = self.proposed_residual = 0.0  # of the last step, after one cycle
        self.steps: list[float] = []
        self.cycles_taken: list[int] = []
        self.part = 1.0

    def propose(self, h: float, *, last: bool) -> tuple[float, Quality] | None:
        """Return a proposed step of length h or shorter and its quality; None if cancelled."""
        brightness, shortest = self.flow.weights.brightness, 0.5**MOST_HALVINGS * h
        rough = brightness * (LATER_RESIDUAL if self.steps else FIRST_RESIDUAL)
        early = LATER_FACTOR if self.steps else FIRST_FACTOR
        self.cycles = self._first_cycles(rough)
        while True:
            more = self.cycles < MOST_CYCLES
            limit = rough if more else math.inf
            quality = self.flow.propose(h, self.cycles, self.guard, rough=limit)
            if quality is None:
                return None
            allowed = ERROR_TOLERANCE * brightness * (1.0 if last else early)
            if quality.residual > limit:
                self.cycles += 2 if quality.residual > ROUGH_FACTOR * rough else 1
                self.cycles = min(self.cycles, MOST_CYCLES)
            elif quality.error > allowed and h > shortest:
                h, last = 0.5 * h, False
            else:
                self.proposed_residual = quality.residual * 10.0 ** (self.cycles - 1)
                return h, quality

    def _first_cycles(self, rough: float) -> int:
        """Return the number of cycles with which the next step is first proposed."""
        weights = self.flow.weights
        if weights.gamma >= HELD_GAMMA:
            return 2  # at the border of what is held a cycle does less than its residual shows
        if not self.steps:
            return 1
        expected = self.residual * RESIDUAL_FALL * weights.brightness / self.steps[-1]
        return 2 if expected > rough else 1

    def is_coarse(self, quality: Quality) -> bool:
        """Return True for a step that is too long for the last."""
        return quality.error > ERROR_TOLERANCE * self.flow.weights.brightness

    def accept(self, new: FlowState, s: FlowState, part: float = 1.0) -> FlowState:
        """Accept a proposed step from s to a new state, or part of it."""
        if math.isfinite(new.measure):
            self.residual = self.proposed_residual
            self.steps.append(new.step)
            self.cycles_taken.append(self.cycles)
            self.part = part
        return _accept(self.flow, new, s, part)

    def plan(self) -> Plan | None:
        """Return the plan of all accepted steps, or None."""
        if not self.steps:
            return None
        w = self.flow.weights
        cycles = tuple(self.cycles_taken)
        return Plan(tuple(self.steps), cycles, self.part, w.brightness, w.lowest)


_START = FlowState(0.0, 0.0, {}, math.inf)


def _state_after(flow: Flow, s: FlowState, h: float, quality: Quality, cycles: int) -> FlowState:
    """Return the state at the end of a step."""
    terms = flow.total()
    energy = sum(terms.values())
    rate = quality.descent / energy if energy > FLOW_ENERGY_FLOOR * flow.samples else 0.0
    return FlowState(s.time + h, h, terms, rate, _middle(s, h), 2 * cycles)


def _middle(s: FlowState, h: float) -> float:
    """Return the time for which a step estimates the rate of the flow."""
    return s.time + (MIDDLE if s.time > 0.0 else FIRST_MIDDLE) * h


def _accept(flow: Flow, new: FlowState, s: FlowState, part: float) -> FlowState:
    if math.isfinite(new.measure):
        flow.accept(part)
    return replace(new, time=s.time + part * new.step)


def _expected(flow: Flow, s: FlowState, h: float, quality: Quality) -> FlowState:
    """Return the state after a proposed step, with a lower bound of its energy.

    The bound is that of the structure's terms in the previous step, which hardly change.
    """
    left = sum(one.terms["structure"] + one.terms["regulariser"] for one in flow.unknowns)
    rate = quality.descent / left if left > 0.0 else math.inf
    return FlowState(s.time + h, h, {}, rate, _middle(s, h))


def _end_of(rate: float, old: FlowState, new: FlowState) -> tuple[float, Status | None]:
    """Return the part of a step at which the flow ends, and its status; None if it continues."""
    fall, expected = old.measure - new.measure, new.rate * new.step * new.measure
    if old.time > LONG_TIME and fall < 0.1 * expected:
        # Only rounding and solver errors are left in the gradient; a rising energy is an error.
        return 1.0, Status.stationary if fall >= -ENERGY_ROUNDING * new.measure else Status.stalled
    end = _time_of(rate, old, new)
    if end > END_MARGIN * new.time:
        return 1.0, None
    return min(max(_part(rate, old, new), G), LONGEST_EXTRAPOLATION), Status.energy_rate


def _next_step(s: FlowState, before: FlowState, rate: float, parts: int) -> tuple[float, bool]:
    """Return the next step, and True if the stopping rule should be met within it."""
    growth = RULE_GROWTH ** (1.0 / parts)
    if s.time == 0.0:
        return FIRST_STEP * (growth - 1.0) / (RULE_GROWTH - 1.0), False
    planned = growth * s.step
    aim = OVERSHOOT * (_time_of(rate, before, s) - s.time)
    if aim <= 1.2 * planned:
        return max(aim, 0.2 * planned), True
    return (0.5 * aim, False) if aim <= 2.0 * planned else (planned, False)


def _part(rate: float, old: FlowState, new: FlowState) -> float:
    return (_time_of(rate, old, new) - old.time) / new.step


def _time_of(rate: float, old: FlowState, new: FlowState) -> float:
    """Return the time at which a rate is reached, by the power law through two states."""
    if new.rate <= 0.0:
        return new.time
    if math.isinf(new.rate):
        return math.inf
    if old.seen == 0.0:
        power = -1.5  # for the first step; later steps estimate it
    else:
        power = math.log(new.rate / old.rate) / math.log(new.seen / old.seen)
    power = min(power, -0.5)
    return float(new.seen * (rate / new.rate) ** (1.0 / power))
