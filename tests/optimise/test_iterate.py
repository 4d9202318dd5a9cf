"""The loop: every way it ends."""

import math
from dataclasses import dataclass

import pytest

from osmofuse.optimise import iterate
from osmofuse.progress import Guard, Status


@dataclass(frozen=True, eq=False)
class State:
    measure: float


def halve(s):
    return State(s.measure / 2)


def never(*_):
    return None


def cancel_at(count):
    """Return a guard that is pulsed at every step and cancels at one of them."""
    pulses = []

    def function(_):
        pulses.append(None)
        return len(pulses) == count

    guard = Guard(function)
    guard.interval = 0.0
    return guard


def test_most_steps():
    found = iterate(halve, State(1.0), stop=never, max_iter=5)
    assert (found.state.measure, found.status, found.iterations) == (2**-5, "max_iter", 5)


def test_no_step_at_all():
    start = State(1.0)
    found = iterate(halve, start, stop=never, max_iter=0)
    assert found.state is start
    assert (found.status, found.iterations) == (Status.max_iter, 0)


def test_stops_with_the_status_of_the_rule():
    seen = []

    def stop(iteration, old, new):
        seen.append((iteration, old.measure, new.measure))
        return Status.stationary if iteration == 3 else None

    found = iterate(halve, State(8.0), stop=stop, max_iter=10)
    assert seen == [(1, 8.0, 4.0), (2, 4.0, 2.0), (3, 2.0, 1.0)]
    assert (found.state.measure, found.status, found.iterations) == (1.0, "stationary", 3)


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
def test_nonfinite_gives_the_last_good_state(bad):
    recorded = []
    found = iterate(
        lambda s: State(bad) if s.measure < 0.2 else halve(s),
        State(1.0),
        stop=never,
        max_iter=10,
        record=lambda k, s: recorded.append(k),
    )
    assert (found.state.measure, found.status, found.iterations) == (0.125, "nonfinite", 3)
    assert recorded == [1, 2, 3]


def test_stalled_when_the_step_gives_back_its_state():
    recorded = []
    found = iterate(
        lambda s: s if s.measure < 0.2 else halve(s),
        State(1.0),
        stop=never,
        max_iter=10,
        record=lambda k, s: recorded.append(k),
    )
    assert (found.state.measure, found.status, found.iterations) == (0.125, "stalled", 3)
    assert recorded == [1, 2, 3]


def test_record_gets_each_accepted_state():
    recorded = []
    found = iterate(
        halve, State(8.0), stop=never, max_iter=3, record=lambda k, s: recorded.append((k, s))
    )
    assert [(k, s.measure) for k, s in recorded] == [(1, 4.0), (2, 2.0), (3, 1.0)]
    assert recorded[-1][1] is found.state


def test_cancelled_between_steps_keeps_the_step():
    found = iterate(halve, State(1.0), stop=never, max_iter=10, guard=cancel_at(4))
    assert (found.state.measure, found.status, found.iterations) == (2**-4, "cancelled", 4)


def test_cancelled_within_a_step_drops_it():
    """The inner loop of a step pulses the same guard."""
    guard, recorded = cancel_at(4), []  # 2 pulses a step: within and after it

    def step(s):
        guard.pulse()
        return halve(s)

    def cancel_within(_):
        guard.pulse()
        guard.pulse()
        return State(-1.0)

    found = iterate(
        lambda s: cancel_within(s) if s.measure == 0.5 else step(s),
        State(1.0),
        stop=never,
        max_iter=10,
        guard=guard,
        record=lambda k, s: recorded.append(k),
    )
    assert (found.state.measure, found.status, found.iterations) == (0.5, "cancelled", 1)
    assert recorded == [1]


def test_cancelled_wins_over_what_a_cut_step_looks_like():
    guard = cancel_at(1)

    def cut(s):
        guard.pulse()
        return s  # as a stalled step would

    found = iterate(cut, State(1.0), stop=never, max_iter=10, guard=guard)
    assert (found.status, found.iterations) == (Status.cancelled, 0)


def test_a_finished_computation_is_not_cancelled():
    found = iterate(
        halve, State(1.0), stop=lambda *_: Status.converged, max_iter=10, guard=cancel_at(1)
    )
    assert (found.status, found.iterations) == (Status.converged, 1)
