"""Implicit steps and stationary states against a sparse direct solve; mass and positivity."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from osmofuse.linalg import CLOSED, FREE, HELD, DriftSystem, drift_system
from osmofuse.operators import OsmosisEdges
from registry import osmosis_matrix, solved_directly

SIZES = [(1, 1), (1, 9), (8, 1), (5, 60), (17, 23), (32, 32)]


def joined(shape, offset, rng):
    """The drift of two pictures of noise joined at random, a structure and a start."""
    f, b = rng.random((2, *shape)) + offset
    mask = rng.random(shape) < 0.5
    d = [OsmosisEdges.canonical(x).drift for x in (f, b)]
    return np.where(mask, *d), np.where(mask, f, b)


def system_of(shape, tau, kind=None, offset=1.0, seed=0):
    rng = np.random.default_rng(seed)
    drift, w = joined(shape, offset, rng)
    kind = np.full(shape, FREE, np.uint8) if kind is None else kind
    u = rng.random(shape) + offset
    return DriftSystem(drift, w, kind, tau), drift, kind, u


@pytest.mark.parametrize("offset", [1.0, 1e-2, 1e-4])
@pytest.mark.parametrize("tau", [1e-3, 1.0, 1e3, 1e6])
@pytest.mark.parametrize("shape", SIZES, ids=str)
def test_a_step_is_that_of_a_direct_solve(shape, tau, offset):
    system, drift, kind, u = system_of(shape, tau, offset=offset)
    found = system.solve(u, rtol=1e-10)
    assert found.converged
    exact = solved_directly(drift, kind, u, tau)
    np.testing.assert_allclose(found.x, exact, rtol=1e-7)


@pytest.mark.parametrize("tau", [1.0, 1e3, math.inf])
@pytest.mark.parametrize("offset", [1.0, 1e-4])
def test_held_pixels_keep_their_values(tau, offset, rng):
    kind = rng.choice([FREE, HELD], (21, 19), p=[0.8, 0.2]).astype(np.uint8)
    system, drift, kind, u = system_of((21, 19), tau, kind, offset)
    found = system.solve(u, rtol=1e-11)
    np.testing.assert_allclose(found.x, solved_directly(drift, kind, u, tau), rtol=1e-7)
    np.testing.assert_array_equal(found.x[kind == HELD], u[kind == HELD])


@pytest.mark.parametrize("shape", SIZES, ids=str)
@pytest.mark.parametrize("offset", [1.0, 1e-3])
def test_the_stationary_state_is_the_null_space_with_the_mass_of_the_start(shape, offset):
    system, drift, _, u = system_of(shape, math.inf, offset=offset)
    found = system.solve(u, rtol=1e-12)
    assert found.converged
    assert found.x.sum() == pytest.approx(u.sum(), rel=1e-12)
    assert np.abs(osmosis_matrix(drift) @ found.x.ravel()).max() <= 1e-9
    assert found.x.min() > 0


def test_every_piece_by_itself_keeps_its_mass():
    kind = np.full((20, 21), FREE, np.uint8)
    kind[:, 7] = kind[11, :7] = kind[4, 12:15] = CLOSED
    pieces = [np.s_[:11, :7], np.s_[12:, :7], np.s_[:, 8:]]
    for tau in (1.0, 1e4, math.inf):
        system, drift, _, u = system_of((20, 21), tau, kind)
        found = system.solve(u, rtol=1e-11)
        for piece in pieces:
            free = kind[piece] == FREE
            before, now = (x[piece][free].sum() for x in (u, found.x))
            assert now == pytest.approx(before, rel=1e-12)
        if math.isinf(tau):
            flow = (osmosis_matrix(drift, kind) @ found.x.ravel()).reshape(kind.shape)
            assert np.abs(flow[kind == FREE]).max() <= 1e-9
        else:
            np.testing.assert_allclose(found.x, solved_directly(drift, kind, u, tau), rtol=1e-7)


def test_components_beside_each_other_do_not_slow_the_cycles_down():
    kind = np.full((64, 64), FREE, np.uint8)
    kind[:, 7::8] = CLOSED
    system, _, _, u = system_of((64, 64), 1e3, kind)
    found = system.solve(u, rtol=1e-9)
    assert system._lu is None
    assert len(found.residuals) <= 24  # 31 if the masses of components are not removed


@pytest.mark.parametrize("offset", [1 / 255, 1e-6])
@pytest.mark.parametrize("tau", [10.0, 1e4, 1e12])
def test_where_cycles_do_not_converge_lu_factors_do(tau, offset):
    """Black and white noise: no coarser grid resembles it."""
    rng = np.random.default_rng(3)
    f, b = (rng.random((2, 30, 28)) < 0.5) + offset
    mask = rng.random((30, 28)) < 0.5
    drift = np.where(mask, *(OsmosisEdges.canonical(x).drift for x in (f, b)))
    kind = np.full(mask.shape, FREE, np.uint8)
    system = DriftSystem(drift, np.where(mask, f, b), kind, tau)
    found = system.solve(b, rtol=1e-10)
    assert found.converged
    again = system.solve(b, rtol=1e-10)
    assert len(again.residuals) <= len(found.residuals)
    exact = solved_directly(drift, kind, b, tau)
    exact *= b.sum() / exact.sum()  # what a direct solve loses after a long step
    np.testing.assert_allclose(again.x, exact, rtol=1e-5, atol=1e-12)


def test_black_and_white_pieces_without_any_contact(rng):
    kind = rng.choice([CLOSED, FREE], (20, 20), p=[0.4, 0.6]).astype(np.uint8)
    v = (rng.random((2, 20, 20)) < 0.5) + 1e-4
    drift = np.where(rng.random((20, 20)) < 0.5, *(OsmosisEdges.canonical(x).drift for x in v))
    found = DriftSystem(drift, v[0], kind, math.inf).solve(v[1], rtol=1e-12)
    assert found.converged
    flow = (osmosis_matrix(drift, kind) @ found.x.ravel()).reshape(kind.shape)
    assert np.abs(flow[kind == FREE]).max() <= 1e-9
    free = kind == FREE
    assert found.x[free].sum() == pytest.approx(v[1][free].sum(), rel=1e-12)


def test_too_large_a_picture_is_not_factorised(monkeypatch):
    monkeypatch.setattr(drift_system, "CYCLE_ITERATIONS", 2)
    monkeypatch.setattr(drift_system, "LARGEST_LU", 399)
    for side, factorised in ((19, True), (20, False)):
        system, drift, kind, u = system_of((side, side), 1e3, offset=1e-3)
        found = system.solve(u, rtol=1e-10)
        assert found.converged
        assert (system._lu is not None) is factorised
        np.testing.assert_allclose(found.x, solved_directly(drift, kind, u, 1e3), rtol=1e-7)
        if factorised:
            by_factors = system.solve(u, rtol=1e-10).residuals
            assert len(found.residuals) == 1 + 2 + len(by_factors), "those of the cycles count too"


@pytest.mark.parametrize("patience", [1, 40])
def test_a_drift_that_lets_nothing_back_is_no_end(monkeypatch, patience):
    """Two drains: what flows into either stays there, so the matrix is more than singular."""
    monkeypatch.setattr(drift_system, "CYCLE_ITERATIONS", patience)
    drift = np.zeros((2, 2, 7))
    drift[1] = [-2, -2, -2, 2, 2, 2, 0]
    system = DriftSystem(drift, np.ones((2, 7)), np.full((2, 7), FREE, np.uint8), math.inf)
    found = system.solve(np.ones((2, 7)), rtol=1e-12)
    assert found.x.sum() == pytest.approx(14, rel=1e-12)
    assert found.x.min() >= 0


def test_a_long_walk_ends_at_the_stationary_state():
    end, *_ = system_of((15, 14), math.inf)
    step, _, _, u = system_of((15, 14), 1e4)
    x = u
    for _ in range(20):
        x = step.solve(x, rtol=1e-12).x
    np.testing.assert_allclose(x, end.solve(u, rtol=1e-12).x, rtol=1e-9)


@settings(max_examples=40)
@given(
    seed=st.integers(0, 2**32 - 1),
    rows=st.integers(1, 12),
    cols=st.integers(1, 12),
    tau=st.sampled_from([1e-300, 1e-30, 1e-8, 0.3, 40.0, 1e8, 1e30, 1e300, math.inf]),
    largest=st.sampled_from([0.5, 1.9, 2.0]),
    rtol=st.sampled_from([1e-2, 1e-8]),
)
def test_mass_and_positivity_hold_however_well_it_is_solved(seed, rows, cols, tau, largest, rtol):
    rng = np.random.default_rng(seed)
    drift = rng.uniform(-largest, largest, (2, rows, cols))
    if largest == 2.0:
        drift = np.sign(drift) * 2.0
    u = np.where(rng.random((rows, cols)) < 0.5, 1e-9, 1.0)
    kind = np.full((rows, cols), FREE, np.uint8)
    system = DriftSystem(drift, np.ones((rows, cols)), kind, tau)
    found = system.solve(u, rtol=rtol, max_iter=20)
    assert found.x.sum() == pytest.approx(u.sum(), rel=1e-12)
    assert (found.x > 0).all() or (largest == 2.0 and (found.x >= 0).all())


def test_a_start_that_is_stationary_stays(rng):
    v = rng.uniform(0.1, 1, (30, 31))
    drift, kind = OsmosisEdges.canonical(v).drift, np.full(v.shape, FREE, np.uint8)
    for tau in (1.0, 1e5, math.inf):
        found = DriftSystem(drift, np.ones_like(v), kind, tau).solve(3.0 * v, rtol=1e-10)
        np.testing.assert_allclose(found.x, 3.0 * v, rtol=1e-7)
        found = DriftSystem(drift, v, kind, tau).solve(3.0 * v, rtol=1e-10)
        np.testing.assert_allclose(found.x, 3.0 * v, rtol=1e-13)


def test_few_iterations_solve_a_picture_with_a_seam(rng):
    """The nearest structure takes the jump away: as many iterations as without a seam."""
    shape = (120, 110)
    f, b = rng.uniform(1, 1.2, (2, *shape)) * np.array([1.0, 4.0])[:, None, None]
    mask = np.arange(shape[1]) < 50
    drift = np.where(mask, *(OsmosisEdges.canonical(x).drift for x in (f, b)))
    drift[1, :, 49] = 0.0
    w = np.where(mask, f, b)
    system = DriftSystem(drift, w, np.full(shape, FREE, np.uint8), 1000.0)
    assert len(system.solve(w, rtol=1e-8).residuals) - 1 <= 6


def test_it_stops_when_it_is_told():
    system, _, _, u = system_of((40, 40), 1e3, offset=1e-3)
    found = system.solve(u, rtol=1e-12, go_on=lambda: False)
    assert not found.converged
    np.testing.assert_allclose(found.x, u, rtol=1e-12)


def test_too_few_iterations_are_told_of():
    system, _, _, u = system_of((40, 40), 1e3, offset=1e-3)
    assert not system.solve(u, rtol=1e-12, max_iter=1).converged


def test_nothing_free_leaves_all_as_it_is(rng):
    kind = np.full((6, 5), HELD, np.uint8)
    system, _, _, u = system_of((6, 5), math.inf, kind)
    found = system.solve(u, rtol=1e-8)
    assert found.converged
    np.testing.assert_array_equal(found.x, u)
