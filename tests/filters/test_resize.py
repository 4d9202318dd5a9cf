from __future__ import annotations

import numpy as np
import pytest

from osmofuse.filters import enlarged, reduced


@pytest.mark.parametrize("factor", [1, 2, 3, 7])
@pytest.mark.parametrize("shape", [(1, 1), (5, 7), (6, 9), (6, 9, 3)])
def test_a_reduced_plane_has_the_means_of_squares(rng, factor, shape):
    x = rng.random(shape).astype(np.float32)
    small = reduced(x, factor)
    assert small.dtype == np.float32
    assert small.shape[:2] == tuple(-(-side // factor) for side in shape[:2])
    for i in range(small.shape[0]):
        for j in range(small.shape[1]):
            square = x[i * factor : (i + 1) * factor, j * factor : (j + 1) * factor]
            np.testing.assert_allclose(small[i, j], square.mean(axis=(0, 1)), rtol=1e-6)
    assert not np.shares_memory(small, x)


@pytest.mark.parametrize("shape", [(12, 18), (12, 18, 2), (11, 17)])
def test_enlarging_gives_slopes_back(shape):
    slope = np.add.outer(np.arange(shape[0]) * 2.0, np.arange(shape[1]) * 3.0)
    slope = slope if len(shape) == 2 else np.stack([slope, -slope], axis=2)
    back = enlarged(reduced(slope, 3), 3, shape[:2])
    inner = (slice(2, 8), slice(2, 14))
    np.testing.assert_allclose(back[inner], slope[inner])
    assert back.shape == slope.shape
