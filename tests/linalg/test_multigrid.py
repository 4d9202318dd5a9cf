"""Multigrid: cycles converge for every shape, coarse matrices keep mass, sweeps damp errors."""

import numpy as np
import pytest

from osmofuse.linalg import Hierarchy, inside, padded
from osmofuse.linalg.multigrid import fourth_kind, semi_iteration
from registry import GRIDS, harmonic_hierarchy


def factors(hierarchy, x, cycles=10):
    """Mean factor by which a cycle reduces the residual of A x = 0."""
    shape = hierarchy.finest.shape
    y, b = np.zeros_like(x), np.zeros_like(x)
    norms = [np.linalg.norm(inside(hierarchy.finest(x), shape))]
    for _ in range(cycles):
        x, y = hierarchy.cycle(x, y, b)
        norms.append(np.linalg.norm(inside(hierarchy.finest(x), shape)))
    return (norms[-1] / norms[0]) ** (1 / cycles)


@pytest.mark.parametrize("mass", [1.0, 1e-2, 1e-4])
@pytest.mark.parametrize("shape", GRIDS)
def test_a_cycle_takes_most_of_the_residual(shape, mass, rng):
    hierarchy = harmonic_hierarchy(1 + rng.random(shape), mass)
    x = padded(rng.standard_normal(shape), np.float64)
    assert factors(hierarchy, x) <= 0.15


def test_the_factor_does_not_depend_on_size(rng):
    found = []
    for n in (64, 128, 256):
        hierarchy = harmonic_hierarchy(1 + rng.random((n, n)), 1e-4)
        found.append(factors(hierarchy, padded(rng.standard_normal((n, n)), np.float64)))
    assert max(found) <= 1.1 * min(found)


def test_a_singular_matrix_is_solved_up_to_a_constant(rng):
    shape = (33, 20)
    hierarchy = harmonic_hierarchy(1 + rng.random(shape), 0.0)
    b = rng.standard_normal(shape)
    b = padded(b - b.mean(), np.float64)
    x, y = np.zeros_like(b), np.zeros_like(b)
    for _ in range(12):
        x, y = hierarchy.cycle(x, y, b)
    assert np.abs(inside(hierarchy.finest(x) - b, shape)).max() < 1e-7


def test_a_heavy_matrix_needs_no_coarse_grid(rng):
    shape = (40, 40)
    hierarchy = harmonic_hierarchy(1 + rng.random(shape), 9.0, heaviness=9.0)
    assert hierarchy.depth == 1
    assert factors(hierarchy, padded(rng.standard_normal(shape), np.float64)) < 0.15


def test_mass_grows_fourfold_against_edges_from_level_to_level(rng):
    """1, 4, 16: the third level is above 8, and the last."""
    assert harmonic_hierarchy(1 + rng.random((64, 64)), 1.0, heaviness=1.0).depth == 3


def test_cycles_converge_between_held_stripes(rng):
    """With the edges of blocks beside held ones as they are, the factor is 0.77."""
    hierarchy = harmonic_hierarchy(1 + rng.random((128, 128)), 1e-4)
    held = np.indices((128, 128))[0] % 11 < 3
    inside(hierarchy.finest.mass, (128, 128))[held] = 1e8
    hierarchy.update()
    x = padded(rng.standard_normal((128, 128)), np.float64)
    assert factors(hierarchy, x, cycles=20) <= 0.55


def test_clearing_removes_what_an_overflow_left(rng):
    shape = (33, 20)
    hierarchy = harmonic_hierarchy(1 + rng.random(shape), 1e-2)
    b = padded(rng.random(shape), np.float64)
    expected = hierarchy.precondition(b)
    hierarchy.precondition(np.nan * b)
    hierarchy.clear()
    np.testing.assert_array_equal(hierarchy.precondition(b), expected)


def test_single_precision_solves_to_its_own_precision(rng):
    shape = (50, 61)
    v = 1 + rng.random(shape)
    single, double = Hierarchy(shape, np.float32), harmonic_hierarchy(v, 1e-2)
    for name in ("down", "right", "mass"):
        getattr(single.finest, name)[...] = getattr(double.finest, name)
    single.update()
    b = rng.random(shape)
    solutions = []
    for hierarchy, dtype in ((single, np.float32), (double, np.float64)):
        x, y = np.zeros((52, 64), dtype), np.zeros((52, 64), dtype)
        for _ in range(15):
            x, y = hierarchy.cycle(x, y, padded(b, dtype))
        solutions.append(inside(x, shape))
    np.testing.assert_allclose(solutions[0], solutions[1], rtol=2e-5)


@pytest.mark.parametrize("shape", GRIDS)
def test_mass_is_kept_and_blocks_cover_the_grid(shape, rng):
    hierarchy = harmonic_hierarchy(1 + rng.random(shape), 0.1)
    total = inside(hierarchy.finest.mass, shape).sum()
    for level in hierarchy.levels[1:]:
        assert inside(level.stencil.mass, level.stencil.shape).sum() == pytest.approx(total)
    assert max(hierarchy.levels[-1].stencil.shape) <= 4


@pytest.mark.parametrize("rho", [0.1, 0.5, 0.9])
def test_semi_iteration_damps_as_chebyshev_promises(rho):
    """On the eigenvalue 1 - t of an iteration matrix: T_n(t/rho) / T_n(1/rho)."""
    t = np.linspace(-rho, rho, 50)
    for degree in (1, 2, 5):
        old, error = np.ones_like(t), np.ones_like(t)
        for momentum, step in semi_iteration(rho, degree):
            old, error = error, error + momentum * (error - old) - step * (1 - t) * error
        chebyshev = np.polynomial.chebyshev.Chebyshev.basis(degree)
        np.testing.assert_allclose(error, chebyshev(t / rho) / chebyshev(1 / rho), atol=1e-12)


def test_fourth_kind_sweeps_damp_the_upper_spectrum():
    eigenvalue = np.linspace(1.0, 2.0, 50)
    old, error = np.ones(50), np.ones(50)
    for momentum, step in fourth_kind(2):
        old, error = error, error + momentum * (error - old) - step * eigenvalue * error
    assert np.abs(error).max() < 0.35
