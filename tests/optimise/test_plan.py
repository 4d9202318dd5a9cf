"""Plans: as many steps as accuracy asks for, the rule, replay, and cancelling."""

import numpy as np
import pytest

from flows import SHAPE, channel, decibels, exact_flow, flow_of, still
from osmofuse.energies import Channel
from osmofuse.errors import SettingError
from osmofuse.linalg import inside, padded
from osmofuse.optimise.plan import Plan, run_plan, run_rule, run_to, steps_to
from osmofuse.progress import Guard, Status


@pytest.mark.parametrize("contrast", [0.05, 0.1, 0.4], ids=["mild", "harsh", "extreme"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("time", [1.0, 30.0, 300.0])
def test_a_few_steps_follow_the_exact_flow(time, dtype, contrast, rng):
    c = channel(rng, dtype, contrast=contrast)
    flow = still(flow_of(c, dtype=dtype))
    exact = exact_flow(flow, time, steps=200)
    run_to(flow, time, guard=Guard(None))
    assert decibels(inside(flow.unknowns[0].u, SHAPE), exact) >= 54


def test_steps_grow_and_end_in_time():
    steps = steps_to(5.0, 105.0)
    assert sum(steps) == pytest.approx(100.0)
    np.testing.assert_allclose(np.divide(steps[1:], steps[:-1]), 1.5)


def test_steps_are_split_where_the_picture_asks_for_it(rng):
    mild, extreme = (
        run_to(still(flow_of(channel(rng, contrast=x))), 30.0, guard=Guard(None))[1]
        for x in (0.05, 0.8)
    )
    assert len(mild.steps) == 3
    assert len(extreme.steps) > 3
    assert extreme.time == pytest.approx(30.0)


def test_solves_get_more_cycles_where_they_are_rough(rng, monkeypatch):
    _, plan = run_to(still(flow_of(channel(rng, contrast=1e-3))), 300.0, guard=Guard(None))
    assert plan.cycles == (1, 1, 1)
    monkeypatch.setattr("osmofuse.optimise.plan.FIRST_RESIDUAL", 1e-9)
    _, plan = run_to(still(flow_of(channel(rng, contrast=1e-3))), 300.0, guard=Guard(None))
    assert plan.cycles[0] > 2
    assert plan.cycles[1:] == (1, 1)


def test_the_energy_falls_and_its_terms_are_told(rng):
    flow = flow_of(channel(rng))
    states = []
    found, plan = run_to(flow, 50.0, guard=Guard(None), record=lambda _, s: states.append(s))
    energies = [s.measure for s in states]
    assert found.status is Status.reached
    assert found.state.time == pytest.approx(50.0)
    assert energies == sorted(energies, reverse=True)
    assert set(found.state.terms) == {"osmosis", "structure", "fidelity", "regulariser"}
    assert [s.cycles for s in states] == [2 * n for n in plan.cycles], "of both stages"


@pytest.mark.parametrize("rate", [1e-3, 1e-4, 1e-5])
def test_the_rule_stops_where_a_finer_flow_does(rate, rng, monkeypatch):
    found, plan = run_rule(flow_of(channel(rng)), rate=rate, guard=Guard(None))
    assert found.status is Status.energy_rate
    assert plan.time == pytest.approx(found.state.time)
    monkeypatch.setattr("osmofuse.optimise.plan.FIRST_STEP", 0.1)
    monkeypatch.setattr("osmofuse.optimise.plan.RULE_GROWTH", 1.15)
    again = flow_of(channel(np.random.default_rng(0)))
    fine, _ = run_rule(again, rate=rate, max_iter=200, guard=Guard(None))
    assert found.state.time == pytest.approx(fine.state.time, rel=0.08)


def test_nothing_to_do_ends_at_once():
    plain, alpha = (padded(np.full(SHAPE, x), np.float64) for x in (1.5, 1.0))
    c = Channel(plain, alpha, plain, plain)
    found, _ = run_rule(flow_of(c), guard=Guard(None))
    assert found.iterations == 1
    assert found.status is Status.energy_rate


@pytest.mark.parametrize("contrast", [0.05, 0.8])
def test_a_replayed_plan_gives_the_same_bits(contrast):
    """Also where proposals were refused on the way."""
    runs = (
        lambda flow: run_rule(flow, rate=1e-4, guard=Guard(None)),
        lambda flow: run_to(flow, 30.0, guard=Guard(None)),
    )
    for run in runs:
        c = channel(np.random.default_rng(1), contrast=contrast)
        first, again = flow_of(c), flow_of(c)
        _, plan = run(first)
        run_plan(again, plan, guard=Guard(None))
        np.testing.assert_array_equal(first.unknowns[0].u, again.unknowns[0].u)
        np.testing.assert_array_equal(first.unknowns[0].v, again.unknowns[0].v)


def test_it_can_be_cancelled_within_a_step(rng):
    for run in (
        lambda flow, guard: run_plan(flow, Plan((10.0, 20.0), (2, 2)), guard=guard),
        lambda flow, guard: run_to(flow, 50.0, guard=guard)[0],
        lambda flow, guard: run_rule(flow, guard=guard)[0],
    ):
        flow = flow_of(channel(rng))
        before = flow.unknowns[0].u.copy()
        found = run(flow, Guard(lambda progress: True))
        assert found.status is Status.cancelled
        assert found.state.time == 0.0
        np.testing.assert_array_equal(flow.unknowns[0].u, before)


@pytest.mark.parametrize(
    ("changes", "match"),
    [
        ({"steps": ()}, r"plan\.steps: 0 entries"),
        ({"steps": (1.0, np.nan)}, r"plan\.steps\[1\]: nan"),
        ({"steps": (0, 1.0)}, r"plan\.steps\[0\]: 0; must be a number above 0"),
        ({"steps": (1.0, -1.0)}, r"plan\.steps\[1\]: -1"),
        ({"steps": [1.0] * 10**6}, r"plan\.steps: 1000000 entries; must be 1 to 400"),
        ({"steps": 5}, r"plan\.steps: 5; must be a list"),
        ({"cycles": (2,)}, r"plan\.cycles: 1 entries; must be 2"),
        (
            {"cycles": (2, 10**9)},
            r"plan\.cycles\[1\]: 1000000000; must be a whole number from 1 to 8",
        ),
        ({"cycles": (2, 2.0)}, r"plan\.cycles\[1\]: 2\.0"),
        ({"part": 0.0}, r"plan\.part: "),
        ({"part": 2.0}, r"plan\.part: "),
        ({"brightness": 0.0}, r"plan\.brightness: "),
        ({"lowest": np.inf}, r"plan\.lowest: "),
        ({"halo": -1}, r"plan\.halo: "),
    ],
)
def test_a_plan_that_cannot_be_followed_is_refused(changes, match):
    with pytest.raises(SettingError, match=match):
        Plan(**{"steps": (1.0, 2.0), "cycles": (2, 2), **changes})


def test_a_plan_keeps_lists_as_tuples():
    assert Plan([1, 2.0], [2, 3]) == Plan((1.0, 2.0), (2, 3))
