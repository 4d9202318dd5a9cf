"""The flow against direct sparse solves; plans, dense output and the rule."""

import math

import numpy as np
import pytest
from scipy.sparse import coo_array, diags_array
from scipy.sparse.linalg import splu

from osmofuse.linalg import inside, padded
from osmofuse.optimise import Status, Watch
from osmofuse.optimise.flow import (
    Channel,
    Flow,
    FlowState,
    G,
    Plan,
    Weights,
    dense_output,
    run_plan,
    run_rule,
    run_stationary,
    steps_to,
)

SHAPE = (40, 33)


def channel(rng, dtype=np.float64, shape=SHAPE, contrast=0.05):
    """A picture and a foreground that agree on one side only; contrast is that of the noise."""
    smooth = np.add.outer(np.sin(np.arange(shape[0]) / 5), np.cos(np.arange(shape[1]) / 7))
    w = 1.5 + 0.2 * smooth + contrast * rng.random(shape)
    jump = 2 * contrast + contrast * rng.random(shape)
    f = w + np.where(np.arange(shape[1]) < shape[1] // 2, 0.0, jump)
    alpha = np.where(np.arange(shape[1]) < shape[1] // 2, 1.0, 0.0) * np.ones(shape)
    c = Channel(shape, dtype)
    c.f, c.w = padded(f, dtype), padded(w, dtype)
    c.u, c.v, c.a = c.f.copy(), c.w.copy(), padded(alpha, dtype)
    return c


WEIGHTS = Weights(100.0, 0.1, 0.05)


def flow_of(*channels, weights=WEIGHTS, dtype=np.float64):
    flow = Flow(channels, weights, SHAPE, dtype)
    for c in channels:
        flow.relax(c, goal=1e-6)
    return flow


def exact_flow(c, time, steps):
    """SDIRK2 with sparse direct solves on v as it stands, in u."""
    u, v, f, a = (inside(x, SHAPE).astype(float) for x in (c.u, c.v, c.f, c.a))
    index = np.arange(u.size).reshape(SHAPE)
    rows, cols, values = [], [], []
    pairs = ((index[1:], index[:-1]), (index[:, 1:], index[:, :-1]))
    for i, j in ((p.ravel(), q.ravel()) for p, q in pairs):
        m = 2 * v.flat[i] * v.flat[j] / (v.flat[i] + v.flat[j])
        for a_, b_, s in ((i, i, 1), (j, j, 1), (i, j, -1), (j, i, -1)):
            rows.append(a_), cols.append(b_), values.append(s * m)
    laplace = coo_array((np.concatenate(values), (np.concatenate(rows), np.concatenate(cols))))
    inverse = diags_array(1 / v.ravel())
    matrix = inverse @ laplace @ inverse + diags_array(a.ravel())
    u, source = u.ravel(), (a * f).ravel()
    growth = 1.05
    first = time * (growth - 1) / (growth**steps - 1)
    for k in range(steps):
        h = first * growth**k
        solve = splu((diags_array(np.ones(u.size)) + G * h * matrix).tocsc()).solve
        u1 = solve(u + G * h * source)
        u = solve(u + (1 - G) / G * (u1 - u) + G * h * source)
    return u.reshape(SHAPE)


def decibels(x, y):
    return -10 * math.log10(np.mean((x - y) ** 2))


def still(flow):
    """Keep v where it is, to compare with a flow on a fixed structure."""
    flow.relax = lambda c, goal: c.terms.update(structure=0.0, regulariser=0.0)
    return flow


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("time", [1.0, 30.0, 300.0])
def test_four_steps_follow_the_exact_flow(time, dtype, rng):
    c = channel(rng, dtype)
    flow = still(flow_of(c, dtype=dtype))
    exact = exact_flow(c, time, steps=200)
    run_plan(flow, Plan(steps_to(0.0, time)), watch=Watch(None))
    assert decibels(inside(c.u, SHAPE), exact) >= 54


@pytest.mark.xfail(reason="one cycle a stage leaves 48.7 and 50.7 dB; no step is refined yet")
@pytest.mark.parametrize("time", [30.0, 300.0])
def test_four_steps_follow_the_exact_flow_of_a_harsh_picture(time, rng):
    c = channel(rng, np.float32, contrast=0.1)
    flow = still(flow_of(c, dtype=np.float32))
    exact = exact_flow(c, time, steps=200)
    run_plan(flow, Plan(steps_to(0.0, time)), watch=Watch(None))
    assert decibels(inside(c.u, SHAPE), exact) >= 54


def test_steps_grow_and_end_in_time():
    steps = steps_to(5.0, 105.0)
    assert sum(steps) == pytest.approx(100.0)
    np.testing.assert_allclose(np.divide(steps[1:], steps[:-1]), 3.0)


def test_dense_output_passes_through_the_stages():
    np.testing.assert_allclose(dense_output(1.0), (0, 0, 1), atol=1e-14)
    np.testing.assert_allclose(dense_output(G), (0, 1, 0), atol=1e-14)
    assert sum(dense_output(0.7)) == pytest.approx(1.0)


@pytest.mark.parametrize("part", [0.4, 0.7, 0.9, 1.1])
def test_dense_output_is_as_good_as_a_step(part, rng):
    c = channel(rng)
    flow = still(flow_of(c))
    run_plan(flow, Plan(steps_to(0.0, 40.0)), watch=Watch(None))
    start = Channel(SHAPE, np.float64)
    for name in ("u", "v", "f", "w", "a"):
        setattr(start, name, getattr(c, name).copy())
    flow.step(20.0, Watch(None))
    flow.accept(part)
    exact = exact_flow(start, 20.0 * part, steps=100)
    assert decibels(inside(c.u, SHAPE), exact) >= 60


def test_the_energy_falls_and_its_terms_are_told(rng):
    flow = flow_of(channel(rng))
    states = []
    found = run_plan(
        flow, Plan(steps_to(0.0, 50.0)), watch=Watch(None), record=lambda _, s: states.append(s)
    )
    energies = [s.measure for s in states]
    assert found.status is Status.reached
    assert found.state.time == pytest.approx(50.0)
    assert energies == sorted(energies, reverse=True)
    assert set(found.state.terms) == {"osmosis", "structure", "fidelity", "regulariser"}


def test_the_rule_stops_where_a_finer_flow_does(rng, monkeypatch):
    found, plan = run_rule(flow_of(channel(rng)), rate=1e-4, watch=Watch(None))
    assert found.status is Status.energy_rate
    assert plan.time == pytest.approx(found.state.time)
    monkeypatch.setattr("osmofuse.optimise.flow.FIRST_STEP", 0.5)
    monkeypatch.setattr("osmofuse.optimise.flow.GROWTH", 1.3)
    fine, _ = run_rule(flow_of(channel(np.random.default_rng(0))), rate=1e-4, watch=Watch(None))
    assert found.state.time == pytest.approx(fine.state.time, rel=0.15)


def test_nothing_to_do_ends_at_once():
    c = Channel(SHAPE, np.float64)
    c.f = c.w = padded(np.full(SHAPE, 1.5), np.float64)
    c.u, c.v, c.a = c.f.copy(), c.f.copy(), padded(np.ones(SHAPE), np.float64)
    found, _ = run_rule(flow_of(c), watch=Watch(None))
    assert found.iterations == 1
    assert found.status is Status.energy_rate


def test_a_replayed_plan_gives_the_same_bits(rng):
    first, again = channel(np.random.default_rng(1)), channel(np.random.default_rng(1))
    _, plan = run_rule(flow_of(first), rate=1e-4, watch=Watch(None))
    run_plan(flow_of(again), plan, watch=Watch(None))
    np.testing.assert_array_equal(first.u, again.u)
    np.testing.assert_array_equal(first.v, again.v)


def test_the_stationary_point_has_no_gradient(rng):
    c = channel(rng)
    flow = flow_of(c)
    found = run_stationary(flow, watch=Watch(None))
    flow.settle(goal=1e-6, watch=Watch(None))
    assert found.status is Status.stationary
    assert c.rate < 1e-10 * sum(c.terms.values())


def test_without_fidelity_the_end_is_a_multiple_of_the_structure(rng):
    c = channel(rng)
    c.a[...] = 0.0
    flow = flow_of(c)
    u, v = (inside(x, SHAPE).copy() for x in (c.u, c.v))
    run_stationary(flow, watch=Watch(None))
    ratio = inside(c.u, SHAPE) / inside(c.v, SHAPE)
    np.testing.assert_allclose(ratio, np.sum(u * v) / np.sum(v * v), rtol=1e-6)


@pytest.mark.parametrize(
    ("weights", "bound"),
    [
        (Weights(100.0, 0.0, 1.0), 1e-5),
        (Weights(100.0, 0.5, 0.05), 1e-5),
        (Weights(0.1, 0.1, 0.05), 1e-5),
        (Weights(1e4, 1.0, 0.05), 1e-5),
        (Weights(10.0, 0.1, 1e-3), 1e-3),  # near total variation lagging is slow
    ],
    ids=str,
)
def test_the_structure_comes_to_its_minimum(weights, bound, rng):
    """Repeated relaxation brings the gradient of Huber's problem down."""
    c = channel(rng)
    flow = Flow((c,), weights, SHAPE, np.float64)
    flow.pull[...] = 0.0
    sizes = []
    for _ in range(40):
        flow.relax(c, goal=1e-2)
        s = flow.grid.finest
        flow.relax(c, goal=1.0)  # the matrix and its side, at v as it is
        sizes.append(float(np.abs(inside(s(c.v) - flow.b, SHAPE)).max()) / weights.mu)
    assert min(sizes) <= bound


def test_it_can_be_cancelled_within_a_step(rng):
    watch = Watch(lambda progress: True)
    c = channel(rng)
    flow = flow_of(c)
    before = c.u.copy()
    found = run_plan(flow, Plan(steps_to(0.0, 50.0)), watch=watch)
    assert found.status is Status.cancelled
    assert found.state.time == 0.0
    np.testing.assert_array_equal(c.u, before)


def test_a_state_measures_the_energy():
    assert FlowState(1.0, 1.0, {"a": 2.0, "b": 3.0}, 0.0).measure == 5.0
