from __future__ import annotations

import numpy as np
import pytest

import osmofuse
from osmofuse.errors import InputError
from osmofuse.jobs.map_file import map_in
from osmofuse.picture import Picture

GREY = np.arange(40 * 32, dtype=np.uint32).reshape(40, 32).astype(np.uint8)
OPAQUE = np.full_like(GREY, 255)
SOFT = np.hypot(*np.mgrid[-60:60, -50:50])
SOFT = np.clip(SOFT * 4, 0, 255).astype(np.uint8)


@pytest.mark.parametrize("bands", [[GREY] * 3, [GREY] * 3 + [OPAQUE], [GREY, OPAQUE]])
def test_maps_of_painting_programs_have_one_band(bands):
    picture = Picture(np.dstack(bands), transparency=len(bands) in (2, 4))
    found, notes = map_in(picture, "painted.png")
    np.testing.assert_array_equal(found.pixels, GREY)
    assert any("opaque everywhere" in note for note in notes) == picture.transparency
    assert any("taken for one" in note for note in notes) == (len(bands) > 2)


def test_one_band_is_the_map_itself():
    picture = Picture(GREY)
    assert map_in(picture, "map.png") == (picture, [])


def test_the_noise_of_jpeg_is_no_colour(tmp_path, rng):
    noisy = SOFT[..., None] + rng.integers(-2, 3, (*SOFT.shape, 3))
    noisy = np.clip(noisy, 0, 255).astype(np.uint8)
    picture = osmofuse.read(osmofuse.write(noisy, tmp_path / "map.jpg"))
    assert (picture.pixels != picture.pixels[..., :1]).any()
    found, (note,) = map_in(picture, "map.jpg")
    assert found.pixels.dtype == np.uint8
    assert np.abs(found.pixels.astype(int) - SOFT).max() <= 6
    assert note.startswith("its 3 bands are the same up to 0.0")


@pytest.mark.parametrize("depth", ["uint8", "uint16", "float32"])
def test_a_coloured_picture_is_no_map(depth):
    white = {"uint8": 255, "uint16": 65535, "float32": 1}[depth]
    pixels = np.zeros((10, 20, 3), depth)
    pixels[:, :5, 0] = white
    with pytest.raises(InputError, match=r"page\.tif: a coloured picture, 25\.0% of its .*grey"):
        map_in(Picture(pixels), "page.tif")


def test_a_map_that_is_partly_transparent_is_not_guessed_at():
    picture = Picture(np.dstack([GREY] * 4), transparency=True)
    with pytest.raises(InputError, match=r"layer\.png: 99\.\d% of .* transparent.*flatten"):
        map_in(picture, "layer.png")
