"""Histories record what a solver does, tell the guard, and can be joined."""

from __future__ import annotations

from osmofuse.methods.history import Recorder, joined
from osmofuse.progress import Guard, Step


def step_of(channel, iteration, energy):
    return Step(channel, iteration, None, 2.0, energy, {"all": energy}, None, None, 0)


def recorded(seen):
    guard = Guard(lambda progress: seen.append(progress) and None)
    guard.interval = 0.0
    return Recorder(2, guard, step_of)


def test_each_step_is_recorded_and_reported():
    seen = []
    record = recorded(seen)
    record.begin(1, energy=3.0, reach=None)
    record.guard.pulse()
    record(1, 0.5)
    record.guard.pulse()
    assert record.history == [step_of(1, 1, 0.5)]
    reports = [(p.channel, p.channels, p.iteration, p.energy, p.reach) for p in seen]
    assert reports == [(1, 2, 0, 3.0, None), (1, 2, 1, 0.5, 2.0)]


def test_the_last_step_gets_the_energy_of_the_result():
    record = recorded([])
    record.finish({"a": 1.0})
    assert record.history == []
    record(1, 9.0)
    record(2, 8.0)
    record.finish({"a": 1.0, "b": 2.0})
    assert [step.energy for step in record.history] == [9.0, 3.0]
    assert record.history[-1].terms == {"a": 1.0, "b": 2.0}


def test_iterations_are_counted_on_in_each_channel():
    before = (step_of(0, 1, 3.0), step_of(0, 2, 2.0), step_of(1, 1, 5.0))
    after = (step_of(0, 1, 1.0), step_of(1, 1, 4.0), step_of(2, 1, 6.0))
    whole = joined(before, after)
    assert [(s.channel, s.iteration) for s in whole[3:]] == [(0, 3), (1, 2), (2, 1)]
    assert whole[:3] == before
