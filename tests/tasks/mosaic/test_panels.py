from __future__ import annotations

import numpy as np
import pytest

from osmofuse.tasks.mosaic.panels import Panel, border_distance

BOX = slice(3, 8), slice(-2, 4)


@pytest.fixture
def valid():
    known = np.ones((5, 6), bool)
    known[:2, :3] = False
    return known


def test_distance_of_a_rectangle_is_that_of_its_mask():
    plain = border_distance((5, 8), None)
    np.testing.assert_allclose(plain, border_distance((5, 8), np.ones((5, 8), bool)))
    assert (plain.max(), plain.min()) == (3.0, 1.0)


def test_distance_counts_from_pixels_without_data(valid):
    found = border_distance((5, 6), valid)
    assert (found[~valid] == 0).all()
    assert found[2, 1] == 1.0
    assert found[2, 3] == pytest.approx(np.sqrt(2.0))


def test_clipped_samples_weigh_little_but_not_nothing():
    pixels = np.full((5, 6, 3), 90, np.uint8)
    pixels[2, 2, 1] = 255
    weight = Panel("p", pixels, BOX).weight
    assert 0 < weight[2, 2] < 0.01 * weight[2, 3]


@pytest.mark.parametrize(
    ("dtype", "top", "clipped"),
    [(np.uint8, 254, True), (np.uint8, 250, False), (np.float32, 1.0, True),
     (np.float32, 3.0, False)],
)  # fmt: skip
def test_only_values_at_white_may_be_clipped(dtype, top, clipped):
    pixels = np.zeros((5, 6), dtype)
    pixels[0, 0] = top
    assert (top >= Panel("p", pixels, BOX).ceiling) == clipped


def test_a_plane_is_divided_by_the_flat_field_and_0_without_data(valid):
    flat = np.full((5, 6), 0.5, np.float32)
    pixels = np.full((5, 6, 2), 51, np.uint8)
    plane = Panel("p", pixels, BOX, valid, flat).plane(1, np.float32)
    np.testing.assert_allclose(plane[valid], 0.4)
    assert (plane[~valid] == 0).all()


def test_places_on_the_canvas(valid):
    panel = Panel("p", np.ones((5, 6)), BOX, valid)
    rows, cols = np.mgrid[0:12, -5:6]
    inside = panel.holds((rows.ravel(), cols.ravel())).reshape(rows.shape)
    found = panel.within((slice(0, 12), slice(-5, 6)))
    assert np.array_equal(inside, found)
    assert np.array_equal(found[3:8, 3:9], valid)
    assert found.sum() == valid.sum() == panel.size
    assert not panel.within((slice(0, 2), slice(0, 2))).any()
