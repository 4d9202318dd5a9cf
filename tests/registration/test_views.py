"""Grey copies of a picture: the range that they fill."""

import numpy as np
import pytest

from osmofuse.registration.views import View


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("level", [1e-6, 0.3, 16.0])
def test_the_last_bits_of_a_flat_picture_do_not_fill_the_range(dtype, level, rng):
    away = rng.choice(np.array([0, 99], np.float32), (40, 50))
    flat = np.nextafter(np.float32(level), away).astype(dtype)
    assert np.ptp(View(flat).whole(10_000).values) < 1e-4


@pytest.mark.parametrize("dtype", [np.uint8, np.uint16, np.float32])
def test_faint_pictures_fill_the_range(dtype, rng):
    """Two levels of an integer, or a thousandth about 0.5."""
    levels = rng.integers(0, 2, (40, 50))
    picture = levels + np.iinfo(dtype).max - 2 if dtype != np.float32 else 0.5 + 1e-3 * levels
    values = View(picture.astype(dtype)).whole(10_000).values
    assert np.ptp(values) == pytest.approx(1.0, abs=1e-3)
