"""How a computation ended, and when the watching function has its turn."""

import itertools
from types import SimpleNamespace

import pytest

from osmofuse.optimise import Progress, Status, Watch, progress, worst


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
    watch = Watch(lambda p: calls.append(clock.now))
    for _ in range(1000):
        watch.pulse()
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

    watch = Watch(slow)
    watch.pulse()
    watch.pulse()
    clock.now += 0.051
    watch.pulse()
    assert len(calls) == 2


def test_told_where_it_is_with_the_time(clock):
    seen = []
    watch = Watch(seen.append)
    watch.tell(Progress(1, 3, 7, 2.5, 4.0, 0.0))
    clock.now += 2.0
    watch.pulse()
    assert seen == [Progress(1, 3, 7, 2.5, 4.0, 2.0)]
    assert watch.seconds == 2.0


def test_something_can_be_told_before_the_first_step(clock):
    seen = []
    Watch(seen.append).pulse()
    assert seen == [Progress(0, 1, 0, None, None, 0.0)]


@pytest.mark.parametrize("answer", [None, False, 0])
def test_goes_on_unless_told(clock, answer):
    watch = Watch(lambda _: answer)
    watch.pulse()
    assert watch.cancelled is False


def test_cancelled_sticks_and_nobody_is_asked_again(clock):
    answers = iter([True])
    watch = Watch(lambda _: next(answers))
    watch.pulse()
    assert watch.cancelled is True
    clock.now += 10.0
    watch.pulse()
    assert watch.cancelled is True


def test_without_a_function_nothing_happens(clock):
    watch = Watch(None)
    clock.now += 10.0
    watch.pulse()
    assert watch.cancelled is False


def test_an_error_of_the_watching_function_comes_through(clock):
    def broken(_):
        raise ValueError("broken")

    with pytest.raises(ValueError, match="broken"):
        Watch(broken).pulse()


def test_what_is_done_in_parts_ended_as_its_worst_part():
    assert worst([Status.converged, Status.max_iter, Status.converged]) is Status.max_iter
    assert worst([Status.max_iter, Status.cancelled, Status.nonfinite]) is Status.cancelled
    assert worst([Status.reached]) is Status.reached


def test_time_spent_compiling_does_not_count(clock, monkeypatch):
    compiled = [5.0]
    monkeypatch.setattr(progress, "seconds_compiling", lambda: sum(compiled))
    watch = Watch(None)
    clock.now += 20.0
    compiled.append(18.0)
    assert watch.seconds == pytest.approx(2.0)
