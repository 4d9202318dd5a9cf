"""The flow: a step against direct solves, what is said of it, v, and the stationary point."""

import math

import numpy as np
import pytest

from flows import SHAPE, channel, decibels, exact_flow, flow_of, still
from osmofuse.energies import HuberTV, Tikhonov, osmosis_gradients
from osmofuse.linalg import inside
from osmofuse.optimise.flow import Flow, FlowState, Weights, Workspace
from osmofuse.optimise.plan import run_stationary
from osmofuse.optimise.sdirk import MIDDLE
from osmofuse.progress import Guard, Status


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("h", [0.01, 1.0, 100.0, 1e4])
def test_a_step_is_that_of_direct_solves(h, dtype, rng):
    c = channel(rng, dtype)
    flow = still(flow_of(c, dtype=dtype))
    one = flow.unknowns[0]
    exact = exact_flow(flow, h, steps=1)
    flow.propose(h, 40, Guard(None))
    flow.accept()
    assert decibels(inside(one.u, SHAPE), exact) >= (100 if dtype is np.float64 else 90)


@pytest.mark.parametrize("h", [1.0, 30.0, 300.0])
def test_the_estimate_is_near_the_error_of_a_step(h, rng):
    """On a flow that has begun, as all steps but the first are."""
    c = channel(rng)
    flow = still(flow_of(c))
    one = flow.unknowns[0]
    flow.propose(h, 8, Guard(None))
    flow.accept()
    exact = exact_flow(flow, h, steps=200)
    quality = flow.propose(h, 8, Guard(None))
    flow.accept()
    error = math.sqrt(np.mean((inside(one.u, SHAPE) - exact) ** 2))
    assert 0.8 <= quality.error / error <= 6.0


def test_the_residual_shows_what_a_solve_leaves(rng):
    """The error is a few times as large: a sweep takes away little of its slow parts."""
    c = channel(rng, contrast=0.1)
    flow = still(flow_of(c))
    one = flow.unknowns[0]
    flow.propose(50.0, 12, Guard(None))
    solved = inside(one.end, SHAPE).copy()
    residuals = []
    for cycles in (1, 2, 3):
        residuals.append(flow.propose(50.0, cycles, Guard(None)).residual)
        left = math.sqrt(np.mean((inside(one.end, SHAPE) - solved) ** 2))
        assert 0.1 * left <= residuals[-1] <= 20 * left
    assert (np.divide(residuals[1:], residuals[:-1]) <= 0.2).all()


def test_a_rough_step_ends_after_a_channel(rng):
    flow = flow_of(*(channel(rng, contrast=0.1) for _ in range(3)))
    whole = flow.propose(50.0, 1, Guard(None))
    last = flow.unknowns[2].end
    last[...] = 0.0
    early = flow.propose(50.0, 1, Guard(None), rough=0.1 * whole.residual)
    assert early.residual > 0.1 * whole.residual
    assert not last.any()


@pytest.mark.parametrize("h", [2.0, 20.0])
def test_the_descent_is_that_of_the_exact_flow_about_the_middle(h, rng):
    c = channel(rng)
    flow = still(flow_of(c))
    one = flow.unknowns[0]
    flow.propose(h, 10, Guard(None))
    flow.accept()
    u = exact_flow(flow, MIDDLE * h, steps=100)
    v, f, alpha = (inside(x, SHAPE).copy() for x in (one.v, c.f, c.alpha))
    gradient = osmosis_gradients(u, v)[0] + alpha * (u - f)
    quality = flow.propose(h, 10, Guard(None))
    assert quality.descent == pytest.approx(np.sum(gradient**2), rel=0.15)


def test_a_proposal_changes_neither_u_nor_v(rng):
    c = channel(rng)
    flow = flow_of(c)
    one = flow.unknowns[0]
    u, v = one.u.copy(), one.v.copy()
    flow.propose(20.0, 2, Guard(None))
    np.testing.assert_array_equal(one.u, u)
    np.testing.assert_array_equal(one.v, v)


def test_the_stationary_point_has_no_gradient(rng):
    c = channel(rng)
    flow = flow_of(c)
    one = flow.unknowns[0]
    found = run_stationary(flow, guard=Guard(None))
    flow.settle(guard=Guard(None))
    assert found.status is Status.stationary
    u, v, f, alpha = (inside(x, SHAPE).copy() for x in (one.u, one.v, c.f, c.alpha))
    gradient = osmosis_gradients(u, v)[0] + alpha * (u - f)
    assert np.sum(gradient**2) < 1e-10 * sum(one.terms.values())


def test_without_fidelity_the_end_is_a_multiple_of_the_structure(rng):
    c = channel(rng)
    c.alpha[...] = 0.0
    flow = flow_of(c)
    one = flow.unknowns[0]
    u, v = (inside(x, SHAPE).copy() for x in (one.u, one.v))
    run_stationary(flow, guard=Guard(None))
    ratio = inside(one.u, SHAPE) / inside(one.v, SHAPE)
    np.testing.assert_allclose(ratio, np.sum(u * v) / np.sum(v * v), rtol=1e-6)


@pytest.mark.parametrize(
    ("weights", "bound"),
    [
        (Weights(100.0, 1.0, Tikhonov(0.0)), 1e-5),
        (Weights(10.0, 1.0, Tikhonov(30.0)), 1e-5),
        (Weights(100.0, 1.0, HuberTV(0.5, 0.05)), 1e-5),
        (Weights(0.1, 1.0, HuberTV(0.1, 0.05)), 1e-5),
        (Weights(1e4, 1.0, HuberTV(1.0, 0.05)), 1e-5),
        (Weights(10.0, 1.0, HuberTV(0.1, 1e-3)), 1e-3),  # near total variation lagging is slow
    ],
    ids=str,
)
def test_the_structure_comes_to_its_minimum(weights, bound, rng):
    """Repeated relaxation brings the gradient of Huber's problem down."""
    c = channel(rng)
    flow = Flow((c,), weights, Workspace(SHAPE, np.float64, 1))
    one, sizes = flow.unknowns[0], []
    for _ in range(40):
        flow.begin(goal=1e-2, guard=Guard(None))
        s = flow.work.grid.finest
        flow.begin(goal=1.0, guard=Guard(None))  # the matrix and its side, at v as it is
        sizes.append(float(np.abs(inside(s(one.v) - flow.work.b, SHAPE)).max()) / weights.mu)
    assert min(sizes) <= bound


def test_a_state_measures_the_energy():
    assert FlowState(1.0, 1.0, {"a": 2.0, "b": 3.0}, 0.0).measure == 5.0
