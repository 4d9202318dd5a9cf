"""How a computation ended, and when the watching function has its turn."""

import itertools
from types import SimpleNamespace

import pytest

from osmofuse import kernels, progress
from osmofuse.errors import SettingError
from osmofuse.progress import Guard, Progress, Status, check_watch, leave_out, worst


class Clock:
    """A clock that is set by hand."""

    def __init__(self):
        self.now = 100.0

    def __call__(self):
        return self.now


@pytest.fixture
def clock(monkeypatch):
    clock = Clock()
    monkeypatch.setattr(progress, "time", SimpleNamespace(perf_counter=clock))
    return clock


def test_success():
    successes = {"reached", "energy_rate", "converged", "stationary", "direct"}
    failures = {"max_iter", "stalled", "nonfinite", "cancelled", "refused"}
    assert {s.value for s in Status if s.is_success} == successes
    assert {s.value for s in Status if not s.is_success} == failures


def test_status_is_its_word():
    assert str(Status.max_iter) == "max_iter"
    assert Status("stalled") is Status.stalled


def test_called_at_most_every_50_ms(clock):
    calls = []
    guard = Guard(lambda p: calls.append(clock.now))
    for _ in range(1000):
        guard.pulse()
        clock.now += 0.001
    gaps = [b - a for a, b in itertools.pairwise(calls)]
    assert calls[0] == 100.0
    assert 19 <= len(calls) <= 20
    assert min(gaps) >= 0.05 - 1e-9


def test_the_interval_counts_from_the_end_of_the_call(clock):
    """A slow watching function does not eat the computation."""
    calls = []

    def slow(_):
        calls.append(clock.now)
        clock.now += 1.0

    guard = Guard(slow)
    guard.pulse()
    guard.pulse()
    clock.now += 0.051
    guard.pulse()
    assert len(calls) == 2


def test_told_where_it_is_with_the_time(clock):
    seen = []
    guard = Guard(seen.append)
    guard.tell(Progress(1, 3, 7, 2.5, 4.0, 0.0))
    clock.now += 2.0
    guard.pulse()
    assert seen == [Progress(1, 3, 7, 2.5, 4.0, 2.0)]
    assert guard.seconds == 2.0


def test_passes_of_work_without_channels_are_counted(monkeypatch):
    monkeypatch.setattr(Guard, "interval", 0.0)
    seen = []
    guard = Guard(lambda p: seen.append((p.channel, p.iteration)) or p.iteration == 2)
    assert [guard.next_pass() for _ in range(4)] == [True, True, False, False]
    assert seen[:3] == [(None, 0), (None, 1), (None, 2)]


@pytest.mark.parametrize("watch", [None, print])
def test_a_watch_is_a_function_or_none(watch):
    check_watch(watch)


def test_what_cannot_be_called_is_no_watch():
    with pytest.raises(SettingError, match=r"^watch: 'loud'; must be a function of a Progress"):
        check_watch("loud")


def test_something_can_be_told_before_the_first_step(clock):
    seen = []
    Guard(seen.append).pulse()
    assert seen == [Progress(0, 1, 0, None, None, 0.0)]


@pytest.mark.parametrize("answer", [None, False, 0])
def test_goes_on_unless_told(clock, answer):
    guard = Guard(lambda _: answer)
    guard.pulse()
    assert guard.cancelled is False


def test_cancelled_sticks_and_nobody_is_asked_again(clock):
    answers = iter([True])
    guard = Guard(lambda _: next(answers))
    guard.pulse()
    assert guard.cancelled is True
    clock.now += 10.0
    guard.pulse()
    assert guard.cancelled is True


def test_without_a_function_nothing_happens(clock):
    guard = Guard(None)
    clock.now += 10.0
    guard.pulse()
    assert guard.cancelled is False


def test_an_error_of_the_watching_function_comes_through(clock):
    def broken(_):
        raise ValueError("broken")

    with pytest.raises(ValueError, match="broken"):
        Guard(broken).pulse()


def test_what_is_done_in_parts_ended_as_its_worst_part():
    assert worst([Status.converged, Status.max_iter, Status.converged]) is Status.max_iter
    assert worst([Status.max_iter, Status.cancelled, Status.nonfinite]) is Status.cancelled
    assert worst([Status.reached]) is Status.reached


def test_time_that_is_left_out_does_not_count(clock, monkeypatch):
    monkeypatch.setattr(progress, "_left_out", [])
    waited = [5.0]
    leave_out(lambda: sum(waited))
    guard = Guard(None)
    clock.now += 20.0
    waited.append(18.0)
    assert guard.seconds == pytest.approx(2.0)


def test_time_spent_compiling_is_left_out():
    assert kernels.seconds_compiling in progress._left_out
