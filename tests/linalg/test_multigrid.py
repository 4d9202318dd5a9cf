"""Multigrid: cycles converge for every shape, coarse matrices keep mass, sweeps damp errors."""

import numpy as np
import pytest

from osmofuse.linalg import Hierarchy, inside, padded
from osmofuse.linalg.grid_passes import FRESH, RESTRICTED
from osmofuse.linalg.multigrid import chebyshev_steps, semi_iteration
from osmofuse.linalg.stencil import zeros
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


def test_an_overflow_leaves_nothing_behind(rng):
    shape = (33, 20)
    hierarchy = harmonic_hierarchy(1 + rng.random(shape), 1e-2)
    b = padded(rng.random(shape), np.float64)
    expected = hierarchy.precondition(b)
    hierarchy.precondition(np.nan * b)
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
        x, y = zeros(shape, dtype), zeros(shape, dtype)
        for _ in range(15):
            x, y = hierarchy.cycle(x, y, padded(b, dtype))
        solutions.append(inside(x, shape))
    np.testing.assert_allclose(solutions[0], solutions[1], rtol=2e-5)


@pytest.mark.parametrize("shape", GRIDS)
def test_mass_is_kept_and_blocks_cover_the_grid(shape, rng):
    hierarchy = harmonic_hierarchy(1 + rng.random(shape), 0.1)
    total = inside(hierarchy.finest.mass, shape).sum()
    for level in hierarchy.levels:
        assert inside(level.stencil.mass, level.stencil.shape).sum() == pytest.approx(total)
    assert max(shape) <= 4 or max(hierarchy.levels[-1].stencil.shape) <= 4


@pytest.mark.parametrize("rho", [0.1, 0.5, 0.9])
def test_semi_iteration_damps_as_chebyshev_promises(rho):
    """On the eigenvalue 1 - t of an iteration matrix: T_n(t/rho) / T_n(1/rho)."""
    t = np.linspace(-rho, rho, 50)
    for degree in (1, 2, 5):
        error = np.prod([1 - step * (1 - t) for step in semi_iteration(rho, degree)], axis=0)
        chebyshev = np.polynomial.chebyshev.Chebyshev.basis(degree)
        np.testing.assert_allclose(error, chebyshev(t / rho) / chebyshev(1 / rho), atol=1e-12)


def test_sweeps_damp_the_upper_spectrum():
    eigenvalue = np.linspace(0.4, 2.0, 50)
    error = np.prod([1 - step * eigenvalue for step in chebyshev_steps(0.4, 2.0, 3)], axis=0)
    assert np.abs(error).max() < 0.12


@pytest.mark.parametrize("shape", GRIDS)
def test_cycles_may_start_from_0_and_from_a_residual(shape, rng):
    hierarchy = harmonic_hierarchy(1 + rng.random(shape), 1e-2)
    b, start = (padded(rng.standard_normal(shape), np.float64) for _ in range(2))
    none = np.zeros_like(b)
    expected, _ = hierarchy.cycle(none.copy(), none.copy(), b, count=2)
    fresh, _ = hierarchy.cycle(start.copy(), none.copy(), b, count=2, start=FRESH)
    np.testing.assert_allclose(inside(fresh, shape), inside(expected, shape), atol=1e-12)
    if hierarchy.levels:
        expected, _ = hierarchy.cycle(start.copy(), none.copy(), b)
        half, rest = hierarchy.levels[0].stencil.shape, b - hierarchy.finest(start)
        even = rest[1 : 2 * half[0] + 1, 1 : 2 * half[1] + 1]
        blocks = even.reshape(half[0], 2, half[1], 2).sum(axis=(1, 3))
        inside(hierarchy.coarse_b, half)[...] = blocks
        found, _ = hierarchy.cycle(start.copy(), none.copy(), b, start=RESTRICTED)
        np.testing.assert_allclose(inside(found, shape), inside(expected, shape), atol=1e-12)


def test_the_frame_stays_empty(rng):
    shape = (33, 20)
    hierarchy = harmonic_hierarchy(1 + rng.random(shape), 1e-2)
    x, y = hierarchy.cycle(
        *(zeros(shape, np.float64) for _ in range(2)), padded(rng.random(shape), np.float64)
    )
    for plane in (x, y):
        inside(plane, shape)[...] = 0.0
        assert not plane.any()
