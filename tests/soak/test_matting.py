"""The paper's own map, found in the whole picture: ``make soak PART=matting``."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

import osmofuse

pytestmark = pytest.mark.soak

# The better of pymatting's KNN and closed form, mean absolute error where the map was open.
OTHERS = {"at one half": 0.0783, "at black and white": 0.0839}


@pytest.mark.parametrize("edge", OTHERS)
def test_the_papers_map_is_found_better_than_by_other_software(data, edge):
    image = osmofuse.read(data / "paper" / "1_foreground.png")
    truth = osmofuse.read(data / "paper" / "1_alpha.png").pixels[..., 0] / 255
    ends = (0.5, 0.5) if edge == "at one half" else (0.01, 0.99)
    disc = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (21, 21))
    kept = cv2.erode((truth > ends[1]).astype(np.uint8), disc)
    outer = cv2.dilate((truth > ends[0]).astype(np.uint8), disc)
    trimap = (kept + outer) / 2
    alpha = osmofuse.matte(image, trimap).alpha
    assert np.abs(alpha - truth)[trimap == 0.5].mean() <= 0.6 * OTHERS[edge]
