"""Pictures for screens and animations: 8 bits of sRGB, reduced and encoded."""

from __future__ import annotations

import io
import math

import numpy as np
import pytest
import pyvips
from PIL import Image

from osmofuse.errors import OutputError, UnreadableError
from osmofuse.io import encoded, for_screen, read, reduced, write_animation
from osmofuse.io.screen import as_png
from osmofuse.picture import Picture
from picture_files import GREY_PROFILE, described, gamma_curve, icc_profile, noise, xyz

ADOBE = icc_profile(
    b"RGB ",
    {
        b"desc": described("Adobe RGB"), b"cprt": b"text\0\0\0\0none\0",
        b"wtpt": xyz(0.9642, 1, 0.8249), b"rXYZ": xyz(0.60974, 0.31111, 0.01947),
        b"gXYZ": xyz(0.20528, 0.62567, 0.06087), b"bXYZ": xyz(0.14919, 0.06322, 0.74457),
        **{name: gamma_curve(563 / 256) for name in (b"rTRC", b"gTRC", b"bTRC")},
    },
)  # fmt: skip
# From linear Adobe RGB to linear sRGB; both have the white D65.
TO_SRGB = np.array([[1.39836, -0.39836, 0.0], [0.0, 1.0, 0.0], [0.0, -0.04293, 1.04293]])


def test_sixteen_bits_of_adobe_rgb_become_the_same_colours_in_srgb():
    values = np.random.default_rng(0).uniform(0.3, 0.6, (9, 7, 3))
    stored = np.rint(values * 65535).astype(np.uint16)
    light = (values ** (563 / 256)) @ TO_SRGB.T
    expected = 255 * np.where(
        light <= 0.0031308, 12.92 * light, 1.055 * np.maximum(light, 0) ** (1 / 2.4) - 0.055
    )
    shown = for_screen(Picture(stored, ADOBE), "page")
    assert shown.dtype == np.uint8
    np.testing.assert_allclose(shown, np.clip(expected, 0, 255), atol=1.0)
    assert np.abs(shown - values * 255).max() > 10, "the conversion shows"


def test_eight_bits_without_a_profile_stay_as_they_are():
    pixels = noise((5, 6, 3), "uint8")
    np.testing.assert_array_equal(for_screen(Picture(pixels), "page"), pixels)


@pytest.mark.parametrize("shape", [(4, 5), (4, 5, 1), (4, 5, 2), (4, 5, 4)])
def test_what_is_no_colour_is_grey(shape):
    pixels = noise(shape, "uint16")
    first = pixels if pixels.ndim == 2 else pixels[..., 0]
    shown = for_screen(Picture(pixels, GREY_PROFILE), "infrared")
    np.testing.assert_array_equal(shown, np.rint(first / 257))


def test_floats_are_clipped_and_empty_pixels_filled():
    pixels = np.array([[-0.5, 0.5, 2.0, math.nan]], np.float32)
    shown = for_screen(Picture(pixels, nodata=math.nan), "page")
    assert shown.tolist() == [[0, 128, 255, 255]]


def test_transparency_is_left_out():
    pixels = noise((4, 5, 4), "uint8")
    shown = for_screen(Picture(pixels, transparency=True), "page")
    np.testing.assert_array_equal(shown, pixels[..., :3])


def test_a_damaged_profile_is_refused():
    with pytest.raises(UnreadableError, match="damaged"):
        for_screen(Picture(noise((4, 5, 3), "uint8"), b"no profile" * 20), "page")


@pytest.mark.parametrize(
    ("size", "small"),
    [
        ((60, 80), (15, 20)),
        ((80, 1), (20, 1)),
        ((1, 5000), (1, 20)),
        ((20, 20), (20, 20)),
        ((7, 81), (2, 20)),
        ((21, 16), (20, 15)),
    ],
)
def test_reduced_to_the_longer_side(size, small):
    grey = np.full(size, 90, np.uint8)
    assert reduced(grey, 20).shape == small
    assert (reduced(grey, 20) is grey) == (size == small)
    assert (reduced(grey, 20) == 90).all()
    assert reduced(np.stack([grey] * 3, axis=-1), 20).shape == (*small, 3)


@pytest.mark.parametrize("shape", [(5, 6), (5, 6, 3)])
def test_png_keeps_every_level_and_says_nothing_else(shape):
    pixels = noise(shape, "uint8")
    image = Image.open(io.BytesIO(encoded(pixels, "png")))
    np.testing.assert_array_equal(np.asarray(image), pixels)
    assert not {"icc_profile", "exif", "xmp"} & set(image.info)


def test_transparency_of_a_tint():
    pixels = noise((5, 6, 4), "uint8")
    image = Image.open(io.BytesIO(encoded(pixels, "png", transparency=True)))
    assert image.mode == "RGBA"
    np.testing.assert_array_equal(np.asarray(image), pixels)


def test_jpeg_keeps_the_resolution_of_colours():
    pixels = np.zeros((16, 16, 3), np.uint8)
    pixels[:, ::2, 0] = 200
    image = Image.open(io.BytesIO(encoded(pixels, "jpeg")))
    assert image.format == "JPEG"
    np.testing.assert_allclose(np.asarray(image).astype(int), pixels, atol=12)


class TestAsPng:
    @pytest.mark.parametrize("shape", [(7, 5), (7, 5, 3), (7, 5, 2), (7, 5, 6)])
    @pytest.mark.parametrize("depth", [np.uint8, np.uint16, np.float32])
    def test_it_is_what_a_screen_shows(self, tmp_path, rng, shape, depth):
        picture = Picture((rng.random(shape) * (1 if depth is np.float32 else 255)).astype(depth))
        (tmp_path / "a.png").write_bytes(as_png(picture))
        np.testing.assert_array_equal(read(tmp_path / "a.png").pixels, for_screen(picture, "x"))
        assert picture._repr_png_() == as_png(picture)

    @pytest.mark.parametrize("shape", [(30, 5001), (2501, 2003, 3), (1, 100_000)])
    def test_its_size_is_bounded(self, tmp_path, shape):
        (tmp_path / "a.png").write_bytes(as_png(Picture(np.zeros(shape, np.uint8))))
        assert max(read(tmp_path / "a.png").shape) <= 1000


def test_the_frames_are_in_the_file_and_take_turns(tmp_path, rng):
    frames = [rng.integers(0, 256, (12, 20, 3)).astype(np.uint8) for _ in range(2)]
    path = write_animation(frames, tmp_path / "flicker.webp", milliseconds=300)
    film = pyvips.Image.new_from_file(str(path), n=-1)
    assert film.get("n-pages") == 2
    assert film.get("delay") == [300, 300]
    np.testing.assert_array_equal(film.numpy()[..., :3], np.concatenate(frames))


def test_other_sizes_and_places_are_refused(tmp_path):
    frames = [np.zeros((4, 4, 3), np.uint8)] * 2
    with pytest.raises(OutputError, match="cannot be written"):
        write_animation(frames, tmp_path / "none" / "flicker.webp")
    with pytest.raises(OutputError, match="16383"):
        write_animation([np.zeros((1, 17000, 3), np.uint8)], tmp_path / "long.webp")
