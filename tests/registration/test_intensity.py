"""Grey values: mutual information of known histograms; both refinements find a small shift."""

import numpy as np
import pytest

from osmofuse import gallery
from osmofuse.registration.intensity import by_correlation, by_information, mutual_information
from osmofuse.registration.transform import carried, corners
from osmofuse.registration.views import View


def test_the_information_of_a_picture_with_itself_is_its_entropy():
    plane = np.repeat(np.array([0.0, 1.0]), 50)[None]
    assert mutual_information(plane, plane, plane >= 0) == pytest.approx(np.log(2), rel=2e-2)
    assert mutual_information(plane, 1 - plane, plane >= 0) == pytest.approx(np.log(2), rel=2e-2)
    assert mutual_information(plane, 0 * plane, plane >= 0) == pytest.approx(0, abs=1e-12)
    assert mutual_information(plane, plane, plane < 0) == 0


def test_values_between_two_bins_belong_to_both():
    one = np.repeat((np.array([10.0, 20.0]) + 0.5) / 38.999, 50)[None]
    whole = mutual_information(one, one, one >= 0)
    assert whole == pytest.approx(np.log(2), abs=1e-9)
    near = np.repeat(np.array([10.0, 11.0]) / 38.999 + 0.5 / 38.999, 50)[None]
    assert mutual_information(near, near, near >= 0) < 0.7 * np.log(2)


@pytest.mark.parametrize("refine", [by_correlation, by_information])
def test_a_small_shift_is_found(refine):
    page = np.ascontiguousarray(gallery.manuscript((200, 160), seed=2).truth[..., 1])
    moving = View(page[2:, 3:])
    found = refine(moving, View(page), np.eye(3), "translation")
    ends = corners(moving.shape)
    np.testing.assert_allclose(carried(found, ends), ends + np.array([3, 2]), atol=0.3)
