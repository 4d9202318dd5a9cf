"""Implicit steps and steady states of anisotropic osmosis against a direct solve; its laws."""

import math

import numpy as np
import pytest
from scipy.sparse import csr_array

from osmofuse.linalg import CLOSED, FREE, HELD, DriftSystem, anisotropic_system, drift_system
from osmofuse.operators import LatticeOsmosis, OsmosisEdges
from registry import SHAPES, dense, solved_with, tensors

STEPS = [1e-2, 10.0, 1e4, math.inf]


def free(shape):
    return np.full(shape, FREE, np.uint8)


def matrix(v, W, still=None):
    A = LatticeOsmosis.canonical(v, W)
    return csr_array(dense(A if still is None else A.without(still), v.shape))


def band_of(shape):
    """A diagonal band, and a tensor field along it that is the identity elsewhere."""
    i, j = np.indices(shape)
    band = abs(i - j) < 3
    W = np.zeros((3, *shape))
    W[0] = W[2] = 1.0
    W[:, band] = np.array([0.505, 0.495, 0.505])[:, None]
    return band, W


def shadowed(n, seed=0):
    """A picture whose part below the diagonal is dark, with the band between and its tensor."""
    rng = np.random.default_rng(seed)
    band, W = band_of((n, n))
    i, j = np.indices((n, n))
    return rng.uniform(1, 2, (n, n)) * np.where(i > j, 0.5, 1.0), band, W


@pytest.mark.parametrize("tau", STEPS)
@pytest.mark.parametrize("shape", [*SHAPES, (17, 12)], ids=str)
def test_a_step_is_that_of_a_direct_solve(shape, tau, rng):
    u, v = rng.uniform(0.1, 2, (2, *shape))
    W = tensors(shape, rng)
    found = anisotropic_system(v, LatticeOsmosis.diffusion(W), free(shape), tau).solve(
        u, rtol=1e-12
    )
    assert found.converged
    if math.isinf(tau):
        np.testing.assert_allclose(found.x, v * u.sum() / v.sum(), rtol=1e-9)
    else:
        np.testing.assert_allclose(
            found.x, solved_with(matrix(v, W), free(shape), u, tau), rtol=1e-7
        )


@pytest.mark.parametrize("tau", STEPS)
def test_without_drift_on_a_band(tau, rng):
    v, band, W = shadowed(16)
    u = rng.uniform(0.1, 2, v.shape)
    system = anisotropic_system(v, LatticeOsmosis.diffusion(W), free(v.shape), tau, still=band)
    found = system.solve(u, rtol=1e-12)
    assert found.converged
    A = matrix(v, W, band)
    if math.isinf(tau):
        assert abs(A @ found.x.ravel()).max() < 1e-9
    else:
        np.testing.assert_allclose(found.x, solved_with(A, free(v.shape), u, tau), rtol=1e-7)


@pytest.mark.parametrize("tau", STEPS)
def test_held_pixels_keep_their_values_and_feed_their_links(tau, rng):
    shape = (15, 14)
    kind = rng.choice([FREE, HELD], shape, p=[0.8, 0.2]).astype(np.uint8)
    u, v = rng.uniform(0.1, 2, (2, *shape))
    W = tensors(shape, rng)
    found = anisotropic_system(v, LatticeOsmosis.diffusion(W), kind, tau).solve(u, rtol=1e-12)
    np.testing.assert_allclose(found.x, solved_with(matrix(v, W), kind, u, tau), rtol=1e-7)
    np.testing.assert_array_equal(found.x[kind == HELD], u[kind == HELD])


@pytest.mark.parametrize("tau", STEPS)
def test_nothing_jumps_over_a_closed_wall(tau, rng):
    """Links reach further than a wall is thick; both sides keep their own mass all the same."""
    shape = (16, 17)
    kind = free(shape)
    kind[:, 8] = CLOSED
    u, v = rng.uniform(0.1, 2, (2, *shape))
    system = anisotropic_system(v, LatticeOsmosis.diffusion(tensors(shape, rng)), kind, tau)
    x = system.solve(u, rtol=1e-10).x
    for side in (np.s_[:, :8], np.s_[:, 9:]):
        assert x[side].sum() == pytest.approx(u[side].sum(), rel=1e-12)
    np.testing.assert_array_equal(x[:, 8], u[:, 8])


@pytest.mark.parametrize("max_iter", [1, 200])
@pytest.mark.parametrize("tau", [1e-6, 1.0, 1e6, 1e12, math.inf])
def test_mass_and_positivity_for_any_step_however_early_the_solver_stops(tau, max_iter, rng):
    v, band, W = shadowed(20)
    u = rng.random(v.shape)
    u[3:8] = 0.0
    system = anisotropic_system(v, LatticeOsmosis.diffusion(W), free(v.shape), tau, still=band)
    x = system.solve(u, rtol=1e-10, max_iter=max_iter).x
    assert x.min() >= 0
    assert x.sum() == pytest.approx(u.sum(), rel=1e-12)


def test_the_identity_is_solved_with_the_same_bits(rng):
    u, v = rng.uniform(0.5, 2, (2, 30, 31))
    W = np.zeros((3, 30, 31))
    W[0] = W[2] = 1.0
    plain = DriftSystem(OsmosisEdges.canonical(v).drift, v, free(v.shape), 100.0)
    found = anisotropic_system(v, LatticeOsmosis.diffusion(W), free(v.shape), 100.0)
    np.testing.assert_array_equal(found.solve(u, rtol=1e-9).x, plain.solve(u, rtol=1e-9).x)


@pytest.mark.parametrize("tau", [1e3, math.inf])
def test_iterations_in_a_narrow_band(tau):
    v, band, W = shadowed(120)
    system = anisotropic_system(v, LatticeOsmosis.diffusion(W), free(v.shape), tau, still=band)
    found = system.solve(v, rtol=1e-9)
    assert found.converged
    assert system._lu is None
    assert len(found.residuals) <= 25


def test_without_factors_of_the_band_the_solution_is_the_same(monkeypatch):
    v, band, W = shadowed(40)
    A = LatticeOsmosis.diffusion(W)
    expected = anisotropic_system(v, A, free(v.shape), 1e3, still=band).solve(v, rtol=1e-11)
    monkeypatch.setattr(drift_system, "LARGEST_BAND", 0)
    system = anisotropic_system(v, A, free(v.shape), 1e3, still=band)
    assert system._band is None
    np.testing.assert_allclose(system.solve(v, rtol=1e-11).x, expected.x, rtol=1e-8)
