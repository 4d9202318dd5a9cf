r"""How far the flow goes, and in which steps: to a time, by the paper's rule, or to its end.

A plan is made, checked and recorded; obeyed, it gives the same pixels again. Towards a known time
three steps that grow by a constant factor are proposed; the last one decides the accuracy, since
an L-stable step ends most of what the steps before it left. A step whose estimated error is too
large is halved, and one whose solves are too rough gets more cycles.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TypeAlias

from osmofuse.checks import number, sequence, whole
from osmofuse.errors import SettingError
from osmofuse.optimise.flow import LEAST_ENERGY, Flow, FlowState, Quality
from osmofuse.optimise.iterate import Outcome, iterate
from osmofuse.optimise.sdirk import FIRST_MIDDLE, MIDDLE, G
from osmofuse.progress import Guard, Status

STEPS, GROWTH = 3, 1.5  # to a known time
FIRST_STEP, RULE_GROWTH = 16.0, 2.0  # towards an unknown one
ENERGY_RATE = 2.3e-6  # the paper's stopping rule, per unit of time
BEYOND = 1.25  # the end is found within a step, so aim beyond it
LONGEST_EXTRAPOLATION = 1.05
NEAR = 1.03  # times the time there: as near to the end as the rule's rate can tell
SHORTEST_PART, SHORTEST_STEP = 0.5, 1e-3
CYCLES, MOST_CYCLES = 2, 8
MOST_HALVINGS, MOST_STEPS = 6, 400
# Bounds of plans: the time of a reach of a million pixels; the brightest samples with an offset.
LONGEST_STEP, BRIGHTEST, LARGEST_HALO = 1e15, 1000.0, 10**18
ERROR, RESIDUAL = 1.2e-3, 0.7e-3  # allowed in the last step, as parts of the mean brightness
EARLIER = 10.0  # times as much in the steps before it
LONG = 1e4  # a time by which all but rounding has ended on most pictures
ROUNDING = 1e-2  # of the energy, in single precision
STATIONARY = 1e-8

Record: TypeAlias = Callable[[int, FlowState], None]


@dataclass(frozen=True)
class Plan:
    """What the flow did or is to do; the same plan gives the same pixels.

    Attributes
    ----------
    steps : tuple of float, above 0 to 1e15
        Lengths of the steps in flow time; at most 400.
    cycles : tuple of int, 1 to 8
        Multigrid cycles of a stage, in each step.
    part : float, above 0 to 1.05
        The part of the last step at which to end, by dense output.
    brightness, lowest : float
        Of the whole picture: the mean of the target, which says how deep the grids go, and what
        the structure stays above.
    halo : int
        Pixels beyond a piece of the picture that it takes to compute it alone.

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

    @property
    def time(self) -> float:
        """The flow time at its end."""
        return sum(self.steps[:-1]) + self.part * self.steps[-1]


def steps_to(start: float, end: float) -> tuple[float, ...]:
    """Return the steps from a time to another: they grow by a constant factor."""
    first = (end - start) * (GROWTH - 1.0) / (GROWTH**STEPS - 1.0)
    return tuple(first * GROWTH**k for k in range(STEPS))


def run_plan(
    flow: Flow, plan: Plan, *, guard: Guard, record: Record | None = None
) -> Outcome[FlowState]:
    """Take the steps of a plan from time 0, as they are.

    Parameters
    ----------
    flow : Flow
        At its start.
    plan : Plan
        What to do.
    guard : Guard
        Pulsed after each channel of each step.
    record : callable, optional
        Given each step's number and the state after it.
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
    """Go to a time, in as many steps as accuracy asks for.

    Parameters
    ----------
    flow : Flow
        At time `start`.
    end : float
        The time to go to.
    start : float
        The time now.
    guard, record
        As for `run_plan`.

    Returns
    -------
    tuple of Outcome and Plan
        Where it ended, and the plan that leads there again; None if no step was taken.
    """
    left, planner = list(steps_to(start, end)), _Planner(flow, guard)

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
    r"""Follow the flow until its energy falls by less than a part of itself in a unit of time.

    Parameters
    ----------
    flow : Flow
        At time 0.
    rate : float
        Where to stop: :math:`-\dot E / E`.
    max_iter : int
        Most steps.
    guard, record
        As for `run_plan`.

    Returns
    -------
    tuple of Outcome and Plan
        Where it ended, and the plan that leads there again; None if no step was taken.
    """
    planner, before, ends = _Planner(flow, guard), [_START], list[Status]()

    def step(s: FlowState) -> FlowState:
        h, last = _next_step(s, before[-1], rate)
        while (proposed := planner.propose(h, last=last)) is not None:
            h, quality = proposed
            part = _part(rate, s, _expected(flow, s, h, quality))
            if part >= SHORTEST_PART or h <= SHORTEST_STEP:
                break
            h, last = max(BEYOND * part, SHORTEST_PART / 4.0) * h, True
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
    r"""Go where the flow ends: u solves :math:`\partial_u E(u, v) = 0`, v its own problem.

    Where nothing is held (alpha = 0) that is the multiple of v which keeps :math:`\sum v u`.
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
        least = LEAST_ENERGY * flow.samples
        settled = math.isinf(old.time) and change <= max(STATIONARY * abs(new.measure), least)
        if not settled and new.measure > 0.0:
            return None
        return Status.stationary if all(solved) else Status.stalled

    return iterate(step, _START, stop=stop, max_iter=50, guard=guard, record=record)


class _Planner:
    """Propose steps until they are good enough, and keep what was accepted."""

    def __init__(self, flow: Flow, guard: Guard) -> None:
        self.flow, self.guard, self.cycles = flow, guard, CYCLES
        self.steps: list[float] = []
        self.cycles_taken: list[int] = []
        self.part = 1.0

    def propose(self, h: float, *, last: bool) -> tuple[float, Quality] | None:
        """Propose a step of length h, or a shorter one; None if it was cancelled."""
        shortest = 0.5**MOST_HALVINGS * h
        while (quality := self.flow.propose(h, self.cycles, self.guard)) is not None:
            allowed = self.flow.weights.brightness * (1.0 if last else EARLIER)
            # Early solves may be rough: the solves after them go on where they stopped.
            rough = last and quality.residual > RESIDUAL * allowed
            if rough and self.cycles < MOST_CYCLES:
                self.cycles += 1
            elif quality.error > ERROR * allowed and h > shortest:
                h, last = 0.5 * h, False
            else:
                return h, quality
        return None

    def accept(self, new: FlowState, s: FlowState, part: float = 1.0) -> FlowState:
        """Accept a proposed step from s to a new state, or a part of it."""
        if math.isfinite(new.measure):
            self.steps.append(new.step)
            self.cycles_taken.append(self.cycles)
            self.part = part
        return _accept(self.flow, new, s, part)

    def plan(self) -> Plan | None:
        """Return the plan of what was accepted."""
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
    rate = quality.descent / energy if energy > LEAST_ENERGY * flow.samples else 0.0
    return FlowState(s.time + h, h, terms, rate, _middle(s, h), 2 * cycles)


def _middle(s: FlowState, h: float) -> float:
    """Return the time at which a step tells the rate of the flow."""
    return s.time + (MIDDLE if s.time > 0.0 else FIRST_MIDDLE) * h


def _accept(flow: Flow, new: FlowState, s: FlowState, part: float) -> FlowState:
    if math.isfinite(new.measure):
        flow.accept(part)
    return replace(new, time=s.time + part * new.step)


def _expected(flow: Flow, s: FlowState, h: float, quality: Quality) -> FlowState:
    """Return the state a proposed step would lead to, with the energy that will be left at least.

    The structure's terms are known from the step before and hardly change.
    """
    left = sum(one.terms["structure"] + one.terms["regulariser"] for one in flow.unknowns)
    rate = quality.descent / left if left > 0.0 else math.inf
    return FlowState(s.time + h, h, {}, rate, _middle(s, h))


def _end_of(rate: float, old: FlowState, new: FlowState) -> tuple[float, Status | None]:
    """Return the part of a step at which the flow ends, and how; None if it goes on."""
    fall, expected = old.measure - new.measure, new.rate * new.step * new.measure
    if old.time > LONG and fall < 0.1 * expected:
        # The gradient is what rounding and cycles leave of it; or, if energy rises, a fault.
        return 1.0, Status.stationary if fall >= -ROUNDING * new.measure else Status.stalled
    end = _time_of(rate, old, new)
    if end > NEAR * new.time:
        return 1.0, None
    return min(max(_part(rate, old, new), G), LONGEST_EXTRAPOLATION), Status.energy_rate


def _next_step(s: FlowState, before: FlowState, rate: float) -> tuple[float, bool]:
    """Return the next step, and whether the rule should be met within it."""
    if s.time == 0.0:
        return FIRST_STEP, False
    planned = RULE_GROWTH * s.step
    aim = BEYOND * (_time_of(rate, before, s) - s.time)
    if aim <= 1.2 * planned:
        return max(aim, 0.2 * planned), True
    return (0.5 * aim, False) if aim <= 2.0 * planned else (planned, False)


def _part(rate: float, old: FlowState, new: FlowState) -> float:
    return (_time_of(rate, old, new) - old.time) / new.step


def _time_of(rate: float, old: FlowState, new: FlowState) -> float:
    """Return when the rate is met, if it falls as a power of time as between two states."""
    if new.rate <= 0.0:
        return new.time
    if math.isinf(new.rate):
        return math.inf
    if old.seen == 0.0:
        power = -1.5  # of a flow that has begun; the next steps know better
    else:
        power = math.log(new.rate / old.rate) / math.log(new.seen / old.seen)
    power = min(power, -0.5)
    return float(new.seen * (rate / new.rate) ** (1.0 / power))
