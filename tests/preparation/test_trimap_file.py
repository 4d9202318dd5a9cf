"""What people hand in as a trimap."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

import osmofuse
from osmofuse import InputError
from osmofuse.picture import Picture
from osmofuse.preparation import read_trimap, soften, trimap_of_mask, trimap_of_picture

MASK = np.hypot(*(np.indices((80, 90)) - np.array([40, 45])[:, None, None])) < 25
TRIMAP = trimap_of_mask(MASK, 6)
BYTES = np.round(TRIMAP * 255).astype(np.uint8)


@pytest.mark.parametrize("grey", [60, 127, 128, 200])
def test_three_greys_are_a_trimap(tmp_path, grey):
    path = osmofuse.write(np.where(BYTES == 128, grey, BYTES).astype(np.uint8), tmp_path / "t.png")
    found = read_trimap(path)
    assert np.array_equal(found.alpha, TRIMAP)
    assert found.notes == ()


def test_so_they_are_in_a_jpeg(tmp_path):
    cv2.imwrite(str(tmp_path / "t.jpg"), BYTES, [cv2.IMWRITE_JPEG_QUALITY, 70])
    found = read_trimap(tmp_path / "t.jpg")
    assert np.mean(found.alpha != TRIMAP) < 0.05
    assert "nearly black or white" in found.notes[0]


def test_scribbles_in_green_and_red_are_one_too(tmp_path):
    painted = np.full((80, 90, 3), 255, np.uint8)
    painted[35:45, 40:50], painted[2:6] = (20, 180, 30), (250, 10, 10)
    found = read_trimap(osmofuse.write(painted, tmp_path / "s.png"))
    expected = np.full((80, 90), 0.5)
    expected[35:45, 40:50], expected[2:6] = 1, 0
    assert np.array_equal(found.alpha, expected)
    assert "1.4% of the pixels are green and 5.0% red" in found.notes[0]
    layer = np.dstack([painted, np.where(expected == 0.5, 0, 255).astype(np.uint8)])
    layer[..., :3][expected == 0.5] = (0, 255, 0)  # what lies under nothing does not count
    transparent = trimap_of_picture(Picture(layer, transparency=True), name="layer.png")
    assert np.array_equal(transparent.alpha, expected)


def test_a_mask_is_told_that_nothing_is_open():
    with pytest.raises(InputError, match=r"^m\.png: 2 grey values, black and white but no grey"):
        trimap_of_picture(Picture(MASK.astype(np.uint8) * 255), name="m.png")


def test_a_soft_map_is_asked_whether_it_is_a_trimap():
    soft = np.round(soften(MASK, 5) * 255).astype(np.uint8)
    count = len(np.unique(soft))
    with pytest.raises(InputError, match=rf"{count} grey values: did you mean a trimap\?"):
        trimap_of_picture(Picture(soft), name="m.png")


def test_strokes_of_one_colour_are_not_enough():
    painted = np.full((80, 90, 3), 255, np.uint8)
    painted[2:6] = (250, 10, 10)
    with pytest.raises(InputError, match=r"5% red\), but nothing in green"):
        trimap_of_picture(Picture(painted), name="s.png")
