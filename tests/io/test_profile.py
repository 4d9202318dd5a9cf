"""One colour space for both pictures: exact, never through 8 bits, and said in words."""

from __future__ import annotations

import numpy as np
import pytest
import pyvips
from PIL import Image, ImageCms

from osmofuse.errors import UnreadableError
from osmofuse.io import in_profile_of, profile
from osmofuse.picture import Picture
from picture_files import GREY_PROFILE, PROFILE, noise

SRGB = bytes(pyvips.Image.profile_load("srgb"))
SMOOTH = np.random.default_rng(0).uniform(0, 1, (20, 30, 3))
TABLES = SRGB.replace(b"cprt", b"A2B0", 1)  # claims tables that it does not have


def p3(pixels):
    return Picture(pixels, PROFILE)


def light(x):
    return np.where(x <= 0.04045, x / 12.92, ((x + 0.055) / 1.055) ** 2.4)


def test_against_the_primaries_of_both_standards():
    to_p3 = [[0.82246, 0.17754, 0], [0.03319, 0.96681, 0], [0.01708, 0.0724, 0.91052]]
    converted, words = in_profile_of(Picture(SMOOTH), p3(SMOOTH))
    expected = light(SMOOTH) @ np.transpose(to_p3)
    np.testing.assert_allclose(light(converted.pixels), expected, atol=2e-3)
    assert words == ("converted from sRGB (supposed: no profile) to sP3C, relative colorimetric")
    assert converted.profile == PROFILE


def test_against_little_cms_in_8_bits(tmp_path):
    for name, data in (("a", SRGB), ("b", PROFILE)):
        (tmp_path / name).write_bytes(data)
    pixels = noise((20, 30, 3), "uint8")
    expected = ImageCms.profileToProfile(
        Image.fromarray(pixels), str(tmp_path / "a"), str(tmp_path / "b"),
        renderingIntent=ImageCms.Intent.RELATIVE_COLORIMETRIC,
    )  # fmt: skip
    converted = in_profile_of(Picture(pixels, SRGB), p3(pixels))[0].pixels
    assert converted.dtype == np.uint16
    np.testing.assert_allclose(converted / 257, np.asarray(expected), atol=1.5)


@pytest.mark.parametrize("dtype", ["uint16", "float32", "float64"])
def test_there_and_back(dtype):
    pixels = SMOOTH.astype(dtype) if dtype[0] == "f" else np.round(SMOOTH * 65535).astype(dtype)
    there, _ = in_profile_of(Picture(pixels), p3(pixels))
    back, words = in_profile_of(there, Picture(pixels))
    assert there.depth == back.depth == dtype
    np.testing.assert_allclose(back.pixels, pixels, atol=12 if dtype == "uint16" else 1e-5)
    assert words.startswith("converted from sP3C to sRGB (supposed")


def test_sixteen_bits_never_pass_through_eight(monkeypatch):
    ramp = np.arange(30000, 30000 + 600, dtype=np.uint16).reshape(20, 30)
    pixels = np.stack([ramp] * 3, axis=-1)
    converted = in_profile_of(Picture(pixels), p3(pixels))[0].pixels
    assert len(np.unique(converted[..., 1])) > 500
    np.testing.assert_allclose(converted.astype(int), pixels, atol=40)  # greys stay grey
    monkeypatch.setattr(profile, "_converter", lambda *_: None)
    tables = in_profile_of(Picture(pixels), p3(pixels))[0].pixels
    assert len(np.unique(tables[..., 1])) > 500
    np.testing.assert_allclose(tables.astype(int), converted, atol=40)


@pytest.mark.parametrize("dtype", ["uint8", "uint16", "float32", "float64"])
def test_the_way_of_tables_agrees_with_that_of_matrices(monkeypatch, dtype):
    pixels = SMOOTH.astype(dtype) if dtype[0] == "f" else noise((20, 30, 3), dtype)
    exact, words = in_profile_of(Picture(pixels), p3(pixels))
    monkeypatch.setattr(profile, "_converter", lambda *_: None)
    other, same = in_profile_of(Picture(pixels), p3(pixels))
    assert (other.depth, same) == (exact.depth, words)
    white = 1 if dtype[0] == "f" else 65535
    np.testing.assert_allclose(other.pixels / white, exact.pixels / white, atol=3e-3)


def test_many_rows_are_converted_in_parts(monkeypatch):
    whole, _ = in_profile_of(Picture(SMOOTH), p3(SMOOTH))
    monkeypatch.setattr(profile, "_SAMPLES_AT_ONCE", 3 * 30 * 3)
    parts, _ = in_profile_of(Picture(SMOOTH), p3(SMOOTH))
    np.testing.assert_array_equal(parts.pixels, whole.pixels)
    green = np.zeros((9, 30, 3), np.uint16)
    green[..., 1] = 65535
    assert in_profile_of(p3(green), Picture(green))[1].endswith("; 810 samples clipped")


def test_what_is_outside_the_space_is_clipped_and_counted():
    green = np.zeros((4, 5, 3), np.uint16)
    green[..., 1] = 65535
    converted, words = in_profile_of(p3(green), Picture(green))
    assert words.endswith("; 60 samples clipped")
    assert converted.pixels.max() == 65535
    converted, words = in_profile_of(p3(green / 65535.0), Picture(green))
    assert words.endswith("; 40 samples clipped")  # brighter than white stays so in floats
    assert converted.pixels.max() > 1
    assert converted.pixels.min() == 0


@pytest.mark.parametrize(
    ("picture", "reference"),
    [
        (Picture(SMOOTH[..., 0]), p3(SMOOTH)),
        (Picture(SMOOTH[..., 0], GREY_PROFILE), p3(SMOOTH)),
        (p3(SMOOTH), p3(SMOOTH)),
        (Picture(SMOOTH), Picture(SMOOTH)),
        (Picture(SMOOTH, SRGB), Picture(SMOOTH)),
        (Picture(SMOOTH), Picture(SMOOTH, SRGB)),
        (Picture(np.ones((4, 5, 7))), p3(SMOOTH)),
        (p3(SMOOTH), Picture(SMOOTH[..., 0], GREY_PROFILE)),
    ],
)
def test_what_needs_no_conversion_stays_as_it_is(picture, reference):
    same, words = in_profile_of(picture, reference)
    assert same is picture
    assert words is None


@pytest.mark.parametrize("dtype", ["uint8", "uint16", "float32"])
def test_transparency_is_carried(dtype):
    pixels = noise((4, 5, 4), "uint8")
    if dtype != "uint8":
        pixels = (pixels / 255).astype(dtype) if dtype == "float32" else pixels.astype(dtype) * 257
    converted, _ = in_profile_of(Picture(pixels, transparency=True), p3(SMOOTH))
    assert converted.transparency
    white = {"uint8": 255, "uint16": 65535, "float32": 1}
    np.testing.assert_allclose(
        converted.pixels[..., 3] / (65535 if dtype != "float32" else 1),
        pixels[..., 3] / white[dtype], rtol=1e-6,
    )  # fmt: skip


def test_no_data_does_not_become_a_colour():
    pixels = np.full((4, 5, 3), 0.5, np.float32)
    pixels[1, 2] = -9999
    converted, words = in_profile_of(Picture(pixels, nodata=-9999), p3(SMOOTH))
    assert "clipped" not in words
    assert np.ptp(converted.pixels[..., 0]) < 1e-6


@pytest.mark.parametrize(
    ("damaged", "message"),
    [
        (GREY_PROFILE, "profile Grey 2.2: made for GRAY, not for RGB"),
        (b"rubbish", "unnamed profile: damaged"),
        (SRGB[:200], "damaged; assign a sound RGB profile"),
        (TABLES, "profile sRGB or sP3C: cannot be used"),
    ],
)
def test_profiles_that_cannot_be_used(damaged, message):
    with pytest.raises(UnreadableError, match=message):
        in_profile_of(Picture(SMOOTH, damaged), p3(SMOOTH))


def test_rounding_below_black_is_not_counted():
    colour = np.zeros((2, 3, 3), np.float32)
    for below, count in ((0.4, 0), (0.6, 18)):
        found = profile._by_matrix(colour, lambda rows, by=below: rows - by / 65535)
        assert (found[0].max(), found[1]) == (0, count)
