"""Grey copies of a picture: the range that they fill."""

import numpy as np
import pytest

from osmofuse.registration.views import View, frame_of


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


@pytest.mark.parametrize("pixels", [40 * 40, 20 * 20])
def test_a_copy_lies_where_its_matrix_says(pixels):
    ramp = np.tile(np.arange(80.0), (80, 1))
    view = View(ramp)
    plane = view.whole(pixels)
    place = np.linalg.inv(plane.matrix) @ np.array([plane.shape[1] // 2, 3, 1.0])
    value = plane.values[3, plane.shape[1] // 2] * (view._white - view._black) + view._black
    assert value == pytest.approx(place[0], abs=0.02)


def test_a_frame_is_not_much_finer_than_the_coarser_picture():
    enlarge = np.diag([4.0, 4.0, 1.0])
    frame = frame_of(View(np.eye(50)), View(np.eye(200)), enlarge, 10**6)
    assert frame.scale == pytest.approx(1.5 / 4, rel=0.05)
    assert frame_of(View(np.eye(50)), View(np.eye(200)), np.eye(3), 10**6).scale == 1
    apart = np.array([[1, 0, 190], [0, 1, 0], [0, 0, 1.0]])
    assert frame_of(View(np.eye(50)), View(np.eye(200)), apart, 10**6) is None
