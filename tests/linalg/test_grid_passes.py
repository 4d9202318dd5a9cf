"""Passes over strips against NumPy on whole planes."""

import numpy as np
import pytest

from osmofuse.linalg import Hierarchy, inside, padded
from osmofuse.linalg.grid_passes import CORRECTED, EXTENDED, FRESH, RESTRICTED, X, Y, run_passes
from osmofuse.linalg.stencil import zeros
from registry import GRIDS, harmonic_hierarchy

LARGE = [shape for shape in GRIDS if max(shape) > 4]
STEPS = (1.9, 0.7, 0.5)


def run(hierarchy, x, y, b, degree, how, *, strips, least=-np.inf):
    """Do one pass on the finest grid."""
    s = hierarchy.finest
    steps = np.zeros((1, 8), x.dtype)
    steps[0, : len(STEPS)] = STEPS
    scratch = np.full((strips, 39, x.shape[1]), np.nan, x.dtype)
    finest = tuple(p.ravel() for p in (x, y, b, s.down, s.right, s.mass, s.inverse))
    tables = hierarchy._memory, hierarchy._table, hierarchy._direct, steps, scratch
    run_passes(np.array([(0, X, Y, 0, degree, how)]), finest, *tables, x.dtype.type(least))


def interpolated(coarse, shape):
    """Bilinear interpolation of cell centres."""
    for axis in (0, 1):
        coarse = np.moveaxis(coarse, axis, 0)
        wide = np.concatenate([coarse[:1], coarse, coarse[-1:]])
        pairs = [0.75 * coarse + 0.25 * wide[:-2], 0.75 * coarse + 0.25 * wide[2:]]
        coarse = np.moveaxis(np.stack(pairs, axis=1).reshape(-1, coarse.shape[1]), 0, axis)
    return coarse[: shape[0], : shape[1]]


@pytest.mark.parametrize("how", [0, FRESH, CORRECTED, CORRECTED | FRESH | RESTRICTED, RESTRICTED])
@pytest.mark.parametrize("degree", [1, 3])
@pytest.mark.parametrize("shape", LARGE)
def test_a_pass_corrects_sweeps_and_restricts(shape, degree, how, rng):
    hierarchy = harmonic_hierarchy(1 + rng.random(shape), 0.3)
    s, coarse = hierarchy.finest, hierarchy.levels[0]
    half = coarse.stencil.shape
    x, b = (padded(rng.standard_normal(shape), np.float64) for _ in range(2))
    correction = rng.standard_normal(half)
    inside(coarse.x, half)[...] = correction
    e = coarse.x  # with its ends in the frame, as a pass leaves it
    e[:, 0], e[:, half[1] + 1] = e[:, 1], e[:, half[1]]
    y = zeros(shape, np.float64)
    run(hierarchy, x, y, b, degree, how, strips=1)
    expected = np.zeros_like(x) if how & FRESH else x.copy()
    if how & CORRECTED:
        inside(expected, shape)[...] += interpolated(correction, shape)
    for step in STEPS[:degree]:
        expected += step * s.inverse * (b - s(expected))
    np.testing.assert_allclose(inside(y, shape), inside(expected, shape), atol=1e-12)
    if how & RESTRICTED:
        even = np.zeros((2 * half[0], 2 * half[1]))
        even[: shape[0], : shape[1]] = inside(b - s(expected), shape)
        blocks = even.reshape(half[0], 2, half[1], 2).sum(axis=(1, 3))
        np.testing.assert_allclose(inside(coarse.b, half), blocks, atol=1e-11)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_strips_do_not_change_the_bits(dtype, rng):
    shape = (331, 250)
    hierarchy = harmonic_hierarchy(1 + rng.random(shape), 0.3, dtype=dtype)
    x, b = (padded(rng.standard_normal(shape), dtype) for _ in range(2))
    found = []
    for strips in (1, 2, 8):
        y = zeros(shape, dtype)
        run(hierarchy, x, y, b, 3, CORRECTED | RESTRICTED | EXTENDED, strips=strips)
        found.append((y, hierarchy.coarse_b.copy()))
    for y, coarse in found[1:]:
        np.testing.assert_array_equal(y, found[0][0])
        np.testing.assert_array_equal(coarse, found[0][1])


def test_the_result_is_bounded_below_and_nan_stays(rng):
    shape = (9, 7)
    hierarchy = Hierarchy(shape, np.float64)
    x = padded(np.linspace(-1.0, 1.0, 63).reshape(shape), np.float64)
    inside(hierarchy.finest.mass, shape)[...] = 1.0
    hierarchy.update()
    x[3, 3] = np.nan
    y = zeros(shape, np.float64)
    steps = np.zeros(1)
    found, _ = hierarchy.sweep(x, y, zeros(shape, np.float64), steps, least=0.25)
    expected, seen = np.maximum(inside(x, shape), 0.25), inside(found, shape)
    assert np.isnan(seen[2, 2])
    far = np.ones(shape, bool)
    far[1:4, 1:4] = False
    np.testing.assert_array_equal(seen[far], expected[far])
