"""Small shifts that are found and undone."""

import numpy as np
from scipy.ndimage import map_coordinates

from osmofuse.filters import smooth
from osmofuse.methods.union.shifts import fitted


def test_a_smooth_field_is_found(rng):
    y = smooth(rng.standard_normal((200, 180)).astype(np.float32), 1.5)
    row, col = np.indices(y.shape, np.float32)
    moved = map_coordinates(y, [row + 0.9 * np.sin(col / 90), col - 0.7], order=3, mode="nearest")
    found = fitted(moved, y, 1.0)
    inner = (slice(20, -20), slice(20, -20))
    before, after = (np.abs(x - y)[inner].mean() for x in (moved, found))
    assert after < 0.3 * before


def test_what_fits_stays(rng):
    y = smooth(rng.standard_normal((120, 100)).astype(np.float32), 1.5)
    np.testing.assert_allclose(fitted(0.3 * y + 1.0, y, 1.0), 0.3 * y + 1.0, atol=4e-2)
