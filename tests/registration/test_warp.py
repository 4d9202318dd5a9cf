"""The warp: exact where it can be, in the stored depth, within the range, in blocks."""

import cv2
import numpy as np
import pytest

from osmofuse.registration import warp
from osmofuse.registration.transform import Transform
from osmofuse.registration.warp import warped

SHIFT = Transform("translation", np.array([[1, 0, 3.0], [0, 1, 2], [0, 0, 1]]))
HALF = Transform("translation", np.array([[1, 0, 0.5], [0, 1, 0.5], [0, 0, 1]]))


@pytest.mark.parametrize("depth", ["u1", "u2", "i2", "f2", "f4", "f8"])
@pytest.mark.parametrize("bands", [None, 1, 3, 5])
def test_a_shift_by_whole_pixels_is_exact(rng, depth, bands):
    shape = (20, 30) if bands is None else (20, 30, bands)
    pixels = (rng.random(shape) * (1 if depth[0] == "f" else 200)).astype(depth)
    pixels.flags.writeable = False
    image, valid = warped(pixels, SHIFT, (20, 30))
    assert image.dtype == pixels.dtype
    np.testing.assert_array_equal(image[2:, 3:], pixels[:-2, :-3])
    assert valid[2:, 3:].all()
    assert not valid[:2].any()
    assert not image[~valid].any()


def test_values_stay_in_the_range_of_the_source():
    edge = np.zeros((16, 16), np.uint16)
    edge[:, 8:] = 40000
    image, _ = warped(edge, HALF, (16, 16))
    assert image.max() == 40000
    assert image.min() == 0


def test_values_stay_in_the_range_of_what_is_valid():
    edge = np.full((16, 40), 0.2, np.float32)
    edge[:, 8:] = 0.8
    valid = np.ones(edge.shape, bool)
    valid[:, 36:], edge[:, 36:] = False, 5.0
    image, known = warped(edge, HALF, edge.shape, valid=valid)
    assert image[known].max() == np.float32(0.8)


def test_blocks_do_not_show(rng, monkeypatch):
    pixels = rng.random((70, 60)).astype(np.float32)
    turn = Transform("affine", np.array([[0.98, -0.2, 9], [0.2, 0.98, -4], [0, 0, 1]]))
    whole, _ = warped(pixels, turn, (64, 66))
    monkeypatch.setattr(warp, "_WARP_BLOCK", 16)
    parts, _ = warped(pixels, turn, (64, 66))
    np.testing.assert_allclose(parts, whole, atol=2e-2)  # OpenCV rounds places to 1/32 pixel


def test_threads_do_not_show(rng, monkeypatch):
    pixels = rng.integers(0, 60000, (70, 60, 3), np.uint16)
    turn = Transform("affine", np.array([[0.98, -0.2, 9], [0.2, 0.98, -4], [0, 0, 1]]))
    monkeypatch.setattr(warp, "_WARP_BLOCK", 16)
    found = []
    before = cv2.getNumThreads()
    try:
        for count in (1, 3):
            cv2.setNumThreads(count)
            found.append(warped(pixels, turn, (64, 66)))
    finally:
        cv2.setNumThreads(before)
    for one, other in zip(*found, strict=True):
        np.testing.assert_array_equal(one, other)


def test_a_smooth_picture_is_carried_closely():
    down, across = np.mgrid[:60, :80].astype(float)

    def scene(x, y):
        return 0.5 + 0.3 * np.sin(x / 9) * np.cos(y / 7)

    turn = Transform("affine", np.array([[1.1, -0.15, 4], [0.1, 0.95, 3], [0, 0, 1]]))
    back = np.linalg.inv(turn.matrix)
    x = back[0, 0] * across + back[0, 1] * down + back[0, 2]
    y = back[1, 0] * across + back[1, 1] * down + back[1, 2]
    image, valid = warped(scene(across, down), turn, (60, 80))
    inner = valid & (x > 4) & (x < 75) & (y > 4) & (y < 55)
    assert np.abs(image - scene(x, y))[inner].max() < 2e-3


def test_a_reduced_picture_has_no_moire():
    stripes = np.zeros((120, 120), np.float32)
    stripes[:, ::2] = 1
    small = Transform("similarity", np.diag([0.31, 0.31, 1]))
    image, _ = warped(stripes, small, (36, 36))
    assert np.ptp(image[4:-4, 4:-4]) < 0.02


def test_what_is_not_valid_stays_empty():
    valid = np.ones((20, 20), np.bool_)
    valid[5:10, 5:10] = False
    image, shown = warped(np.ones((20, 20)), HALF, (20, 20), valid=valid)
    assert not shown[6:10, 6:10].any()
    assert not image[6:10, 6:10].any()
    assert shown[13:, 13:].all()


def test_a_fine_grating_turns_grey_when_it_is_reduced():
    grating = np.tile([0.0, 1.0], (64, 32)).astype(np.float32)
    half = Transform("affine", np.diag([0.5, 0.5, 1.0]))
    image, _ = warped(grating, half, (32, 32))
    assert np.abs(image[4:-4, 4:-4] - 0.5).max() < 0.1


def test_what_is_interpolated_from_no_data_is_no_data():
    valid = np.ones((20, 20), np.bool_)
    valid[:, 10] = False
    shift = Transform("translation", np.array([[1, 0, 0.4], [0, 1, 0], [0, 0, 1.0]]))
    _, shown = warped(np.ones((20, 20), np.float32), shift, (20, 20), valid=valid)
    assert not shown[5, 10:12].any()
    assert shown[5, [9, 12]].all()
