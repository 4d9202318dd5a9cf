"""Coarse matrices keep what they must."""

import pytest

from osmofuse.linalg import inside
from registry import GRIDS, harmonic_hierarchy


@pytest.mark.parametrize("shape", GRIDS)
def test_mass_is_kept_and_blocks_cover_the_grid(shape, rng):
    hierarchy = harmonic_hierarchy(1 + rng.random(shape), 0.1)
    total = inside(hierarchy.finest.mass, shape).sum()
    for level in hierarchy.levels[1:]:
        assert inside(level.stencil.mass, level.stencil.shape).sum() == pytest.approx(total)
    assert max(hierarchy.levels[-1].stencil.shape) <= 4
