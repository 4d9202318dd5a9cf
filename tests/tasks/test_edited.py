from __future__ import annotations

import numpy as np

from osmofuse import Edited, Picture, Status

IMAGE = np.array([[[0.25, 0.5, 1.25]]], np.float32)


def test_the_picture_has_depth_and_metadata_of_the_original():
    original = Picture(np.zeros((1, 1, 3), np.uint16), profile=b"curve")
    made, clipped = Edited(IMAGE, original=original).picture()
    assert (made.pixels.tolist(), made.profile) == ([[[16384, 32768, 65535]]], b"curve")
    assert clipped == 1
    assert Edited(IMAGE, original=original).picture(np.uint8)[0].depth == np.uint8


def test_without_an_original_samples_are_kept():
    made, clipped = Edited(IMAGE, Status.max_iter).picture()
    assert np.array_equal(made.pixels, IMAGE)
    assert clipped == 0


def test_it_describes_itself_and_shows_itself():
    assert repr(Edited(IMAGE)) == "Edited(1 × 1, 3 bands, float32, direct)"
    png = Edited(IMAGE)._repr_png_()
    assert png is None or png.startswith(b"\x89PNG")
