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


def test_unchanged_pixels_keep_their_bits_in_the_depth_of_the_original(rng):
    pixels = rng.integers(0, 256, (4, 5, 4)).astype(np.uint8)
    original, changed = Picture(pixels, transparency=True), rng.random((4, 5)) < 0.5
    edited = Edited(np.full((4, 5, 3), 0.5, np.float32), original=original, changed=changed)
    made = edited.picture()[0].pixels
    assert np.array_equal(made[~changed], pixels[~changed])
    assert (made[changed][:, :3] == 128).all()
    assert (edited.picture(np.uint16)[0].colour == 32768).all()
    grey = Edited(np.zeros((4, 5)), original=Picture(pixels[..., 0]), changed=changed)
    assert np.array_equal(grey.picture()[0].pixels == 0, changed | (pixels[..., 0] == 0))
