"""Proximal map of total variation: kernel, bound, another solver, and coarse grids."""

import math

import numpy as np
import pytest

from osmofuse.energies import HuberTV
from osmofuse.operators import ForwardDifference
from osmofuse.optimise import primal_dual
from osmofuse.optimise.rof import (
    BLOCK_ROWS,
    doubled_field,
    gap_rows,
    halved,
    halved_field,
    project,
    rof,
    rof_by_grids,
    set_primal,
)
from osmofuse.progress import Guard, Status

SHAPES = [
    (1, 1, 1),
    (1, 1, 7),
    (1, 6, 1),
    (3, 5, 4),
    (1, BLOCK_ROWS + 3, 5),
    (2, 2 * BLOCK_ROWS, 2),
]
COARSENED = [(1, 16, 16), (3, 17, 20), (1, 20, 17), (2, 33, 19)]


def differences(p):
    D = ForwardDifference(p.shape[1:])
    return np.stack([D(plane) for plane in p])


def divergence(y):
    D = ForwardDifference(y.shape[2:])
    return np.stack([D.adjoint(field) for field in y])


def solution(found, q, tau):
    return q - tau * divergence(found.state.y.astype(float))


def field(rng, shape):
    """A feasible field, zero where no edges are."""
    y = differences(rng.random(shape, np.float32))
    return y / np.maximum(1.0, np.sqrt((y * y).sum(axis=(0, 1))))


@pytest.mark.parametrize("shape", SHAPES)
def test_a_pass_is_a_projected_gradient_step(rng, shape):
    y, before = field(rng, shape), field(rng, shape)
    q, theta = rng.random(shape, np.float32), np.float32(0.7)
    z = y + theta * (y - before)
    moved = z + differences(q - divergence(z)) / 8
    expected = moved / np.maximum(1.0, np.sqrt((moved * moved).sum(axis=(0, 1))))
    new = np.empty_like(y)
    project(new, y, before, q, theta)
    np.testing.assert_allclose(new, expected, atol=1e-6)


@pytest.mark.parametrize("shape", SHAPES)
def test_the_gap_is_that_of_primal_and_dual_value(rng, shape):
    y, q = field(rng, shape), rng.random(shape, np.float32)
    p = np.empty_like(q)
    set_primal(p, y, q)
    np.testing.assert_allclose(p, q - divergence(y), atol=1e-6)
    slope = differences(p)
    primal = np.sqrt((slope * slope).sum(axis=(0, 1))).sum() + 0.5 * ((p - q) ** 2).sum()
    dual = 0.5 * (q * q).sum() - 0.5 * (p * p).sum()
    assert gap_rows(p, y).sum() == pytest.approx(primal - dual, rel=1e-6, abs=1e-4)


@pytest.mark.parametrize("tau", [0.02, 0.3, 4.0])
def test_another_solver_agrees(rng, tau):
    q = rng.random((1, 14, 9)).cumsum(axis=2) / 10
    found = rof(q, tau, accuracy=1e-5)
    other = primal_dual(q[0], tau, HuberTV(1.0, 0.0), rtol=1e-7).state.p
    error = math.sqrt(np.mean((solution(found, q, tau)[0] - other) ** 2))
    assert found.status is Status.converged
    assert error <= 1e-4


def test_the_bound_holds_at_every_accuracy(rng):
    q = rng.random((2, 30, 20))
    exact = solution(rof(q, 0.5, accuracy=1e-6, max_iter=20_000), q, 0.5)
    for accuracy in (0.1, 0.03, 0.01, 1e-3):
        found = rof(q, 0.5, accuracy=accuracy)
        error = math.sqrt(((solution(found, q, 0.5) - exact) ** 2).sum() / q[0].size)
        assert error <= found.state.error <= accuracy


def test_equal_channels_together_are_one_with_a_larger_step(rng):
    q = rng.random((1, 12, 9))
    together = solution(rof(q.repeat(4, axis=0), 0.1, accuracy=1e-5), q.repeat(4, axis=0), 0.1)
    # |(slope, slope, slope, slope)| = 2 |slope|, for four times the distance to q.
    alone = solution(rof(q, 0.05, accuracy=1e-5), q, 0.05)
    np.testing.assert_allclose(together, alone.repeat(4, axis=0), atol=1e-4)


def test_a_start_that_is_good_enough_is_left_as_it_is(rng):
    q = rng.random((1, 15, 11))
    first = rof(q, 0.2, accuracy=1e-3)
    y0 = first.state.y.copy()
    y0.flags.writeable = False
    again = rof(q, 0.2, y0=y0, accuracy=1e-3)
    assert again.iterations == 0
    assert np.array_equal(again.state.y, y0)
    rof(q, 0.2, y0=y0, accuracy=1e-5)
    assert np.array_equal(first.state.y, y0)


def test_it_ends_after_so_many_iterations_or_a_cancel(rng):
    q = rng.random((1, 15, 11))
    assert rof(q, 5.0, accuracy=1e-9, max_iter=40).state.iteration == 40
    guard = Guard(lambda _: True)
    assert rof(q, 5.0, accuracy=1e-9, guard=guard).status is Status.cancelled


# ---- coarse grids ----


def random_field(rng, shape):
    """A field, not feasible, that is zero where no edges are."""
    y = rng.random((shape[0], 2, *shape[1:]))
    y[:, 0, -1] = 0.0
    y[:, 1, :, -1] = 0.0
    return y


def test_a_plane_is_halved_by_means():
    q = np.arange(12.0).reshape(1, 3, 4)
    assert halved(q).tolist() == [[[2.5, 4.5], [8.5, 10.5]]]


def test_a_doubled_field_has_half_the_divergence(rng):
    y = random_field(rng, (2, 5, 4))
    fine = divergence(doubled_field(y, (10, 8)))
    np.testing.assert_allclose(fine, divergence(y).repeat(2, 1).repeat(2, 2) / 2, atol=1e-14)


@pytest.mark.parametrize("shape", COARSENED)
def test_fields_have_nothing_where_no_edges_are(rng, shape):
    y = random_field(rng, shape)
    coarse = halved_field(y)
    fine = doubled_field(coarse, shape[1:])
    assert coarse.shape[2:] == halved(rng.random(shape)).shape[1:]
    assert fine.shape == y.shape
    for x in (coarse, fine):
        assert not x[:, 0, -1].any()
        assert not x[:, 1, :, -1].any()


def test_halving_undoes_doubling(rng):
    y = random_field(rng, (1, 6, 5))
    np.testing.assert_allclose(halved_field(doubled_field(y, (12, 10))), y, atol=1e-14)


@pytest.mark.parametrize("shape", COARSENED)
@pytest.mark.parametrize("tau", [0.01, 1.0])
def test_grids_find_what_one_grid_finds(rng, shape, tau):
    q = rng.random(shape)
    found, plain = (
        q - tau * divergence(solve(q, tau, accuracy=2e-5).state.y.astype(float))
        for solve in (rof_by_grids, rof)
    )
    assert np.sqrt(((found - plain) ** 2).sum() / q[0].size) <= 4e-5


def test_the_finest_grid_has_less_to_do():
    rows, cols = np.indices((128, 160)) - 64
    q = (rows**2 + cols**2 < 900)[None].astype(float)
    found, plain = (solve(q, 5.0, accuracy=2e-3).state for solve in (rof_by_grids, rof))
    assert found.iteration < plain.iteration / 2


@pytest.mark.parametrize(("shape", "tau"), [((1, 15, 40), 1.0), ((1, 20, 20), 0.05)])
def test_small_grids_and_small_steps_are_not_coarsened(rng, shape, tau):
    q = rng.random(shape)
    found, plain = (solve(q, tau).state for solve in (rof_by_grids, rof))
    assert found.iteration == plain.iteration
    assert np.array_equal(found.y, plain.y)


def test_the_coarse_problem_of_stripes_has_the_same_solution():
    """For stripes of whole squares half the step on the coarse grid is exact.

    The last two stripes have merged, so that the field between them depends on the step.
    """
    q = np.tile(np.repeat([0.0, 1.0, 0.3, 0.8], 8), (1, 16, 1))
    found = rof_by_grids(q, 2.0, accuracy=1e-3)
    assert rof(q, 2.0, accuracy=1e-3).iterations > 0
    assert found.iterations == 0


def test_a_smaller_batch_stops_earlier_within_the_same_bound(rng):
    q = rng.standard_normal((1, 40, 50)).astype(np.float32)
    few, many = (rof_by_grids(q, 0.02, accuracy=5e-3, batch=batch).state for batch in (5, 20))
    assert few.iteration < many.iteration
    assert few.error <= 5e-3
    assert few.iteration % 5 == 0
