"""Local shifts: a known shift is found on every tile, and a known change takes it away."""

import cv2
import numpy as np
import pytest

import warps
from osmofuse import gallery
from osmofuse.registration.local_shifts import _peak, likeness, local_shifts, orientation
from osmofuse.registration.refine import agreed_change
from osmofuse.registration.starts import log_gradient
from osmofuse.registration.transform import carried, corners
from osmofuse.registration.views import ROUNDING, Plane

SHAPE = (240, 200)


@pytest.fixture(scope="module")
def grey():
    return np.ascontiguousarray(gallery.manuscript(SHAPE, seed=2).truth[..., 1])


def field(values):
    mask = np.full(values.shape, 255, np.uint8)
    return orientation(Plane(values.astype(np.float32), mask, np.eye(3)), 2.0)


def test_the_field_is_that_of_the_formula(grey):
    smooth = cv2.GaussianBlur(grey.astype(np.float32), (0, 0), 2.0, borderType=cv2.BORDER_REPLICATE)
    across, down = (
        cv2.Scharr(smooth, cv2.CV_32F, *axis, borderType=cv2.BORDER_REPLICATE).astype(np.float64)
        for axis in ((1, 0), (0, 1))
    )
    strength = across**2 + down**2
    k2 = np.median(strength)
    c = (across + 1j * down) ** 2 / (strength + k2 + ROUNDING**2)
    found = field(grey)
    np.testing.assert_allclose(found[..., 0] + 1j * found[..., 1], c, atol=1e-6)


def moved(grey, matrix):
    return cv2.warpPerspective(grey, np.asarray(matrix, float), SHAPE[::-1], flags=cv2.INTER_CUBIC)


@pytest.mark.parametrize("tone", [lambda x: x, lambda x: 1 - x, lambda x: (2 * x - 0.9) ** 2])
def test_directions_do_not_mind_the_tones(grey, tone):
    assert likeness(field(grey), field(tone(grey))) > 0.85


def test_directions_of_noise_are_unlike(grey, rng):
    assert abs(likeness(field(grey), field(rng.random(SHAPE)))) < 0.1


@pytest.mark.parametrize("level", [0.3, 1.0, -0.4])
def test_the_last_bits_of_a_flat_copy_have_no_direction(level, rng):
    away = rng.choice(np.array([-9, 9], np.float32), SHAPE)
    flat = np.nextafter(np.float32(level), away)
    assert np.abs(field(flat)).max() < 0.05
    assert log_gradient(Plane(flat, np.full(SHAPE, 255, np.uint8), np.eye(3)), 1.0).max() < 0.3


def test_a_shift_is_found_on_all_tiles(grey):
    shifts = local_shifts(
        field(moved(grey, [[1, 0, 2.3], [0, 1, -1.4], [0, 0, 1]])), field(grey), size=48, radius=6
    )
    assert len(shifts) > 20
    np.testing.assert_allclose(np.median(shifts.shifts, axis=0), [2.3, -1.4], atol=0.05)


def test_the_agreed_change_undoes_a_homography_in_spite_of_outliers(grey):
    truth = np.array([[1.004, 0.006, -1.2], [-0.005, 0.997, 1.1], [5e-6, -4e-6, 1]])
    there = field(moved(grey, truth))
    there[150:] = field(np.random.default_rng(0).random(SHAPE))[150:]
    shifts = local_shifts(there, field(grey), size=48, radius=6)
    agreed = agreed_change(shifts, "homography")
    change, weights = agreed.matrix, agreed.weights
    inside = corners((140, SHAPE[1]))
    assert np.abs(carried(change @ truth, inside) - inside).max() < 0.35
    outside = shifts.centres[:, 1] > 180
    assert weights[outside].mean() < 0.2 * weights[~outside].mean()


def test_an_empty_field_has_no_tiles():
    flat = np.zeros((100, 100, 2), np.float32)
    assert len(local_shifts(flat, flat, size=32, radius=4)) == 0


def test_cases_have_the_warp_they_say():
    (case,) = warps.cases([("page", gallery.manuscript((80, 60)).truth)], 1, 0)
    assert case.error(case.truth) == 0
    assert case.error(np.eye(3)) > 0.5


def test_the_peak_of_a_skewed_parabola_is_exact():
    top, form = np.array([3.3, 2.8]), np.array([[0.5, 0.3], [0.3, 0.4]])  # (x, y)
    down, across = np.mgrid[:6, :7]
    off = np.stack([across, down], axis=-1) - top
    surface = 1 - 0.5 * np.einsum("...i,ij,...j", off, form, off)
    place, height, sharpness = _peak(surface)
    np.testing.assert_allclose(place, top, atol=1e-9)
    np.testing.assert_allclose(sharpness, form, atol=1e-9)
    assert height == surface[3, 3]


def test_a_peak_at_the_border_or_on_a_ridge_is_none():
    down, across = np.mgrid[:5, :5]
    assert _peak(1.0 - across - down) is None
    assert _peak(1.0 - 0.1 * (across - down) ** 2.0) is None


def test_the_peak_is_at_most_a_pixel_from_the_highest_sample():
    surface = np.zeros((5, 5))
    surface[1:4, 1:4] = [[0.999, 0.5, 0], [0.5, 1, 0.99], [0, 0.99, 0.999]]
    place, _, _ = _peak(surface)
    np.testing.assert_array_equal(place, [3, 3])
