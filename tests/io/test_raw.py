"""Raw files are developed into linear light, the same whatever they show."""

from __future__ import annotations

import numpy as np
import pytest
import tifffile

from osmofuse.errors import SettingError, UnreadableError
from osmofuse.io import describe, describe_isolated, read, write
from osmofuse.io.icc import colorants, linear_srgb, profile_name, tone_curves
from osmofuse.io.raw import NOTE
from raw_files import dng, scene


@pytest.mark.parametrize("thumbnail", [False, True])
@pytest.mark.parametrize("isolated", [False, True])
def test_samples_are_proportional_to_light(tmp_path, thumbnail, isolated):
    picture = read(dng(tmp_path / "a.dng", thumbnail=thumbnail), isolated=isolated)
    assert picture.pixels.shape == (96, 128, 3)
    assert picture.depth == np.uint16
    inside = np.s_[4:-4, 4:-4]
    np.testing.assert_allclose(picture.pixels[inside], scene()[inside], rtol=0.02, atol=600)


def test_brightness_does_not_depend_on_the_content(tmp_path):
    dark = read(dng(tmp_path / "dark.dng", picture=scene() // 4)).pixels.astype(float)
    full = read(dng(tmp_path / "full.dng")).pixels.astype(float)
    inside = np.s_[8:-8, 8:-8]
    np.testing.assert_allclose(4 * dark[inside], full[inside], rtol=0.02, atol=900)


def test_it_is_described_as_what_it_is(tmp_path):
    found = describe(dng(tmp_path / "a.dng", thumbnail=True))
    assert (found.rows, found.cols, found.bands, found.depth) == (96, 128, 3, "uint16")
    assert (found.levels, found.compression, found.note) == (1, "raw", NOTE)
    assert describe_isolated(tmp_path / "a.dng") == found


def test_previews_in_a_raw_file_are_no_pages(tmp_path):
    path = dng(tmp_path / "a.dng")
    with tifffile.TiffWriter(path, append=True) as file:
        file.write(scene()[::2, ::2], photometric="rgb", metadata=None)
    assert describe(path).pages == 1
    for ask in (describe, read):
        with pytest.raises(SettingError, match=r"page: 2; .*a\.dng has 1 page"):
            ask(path, page=2)


def test_the_profile_says_linear_and_goes_along(tmp_path):
    picture = read(dng(tmp_path / "a.dng"))
    assert picture.profile == linear_srgb()
    again = read(write(picture, tmp_path / "b.tif"))
    assert again.profile == picture.profile
    assert b"Drawn" in again.metadata.exif


def test_the_profile_is_sound():
    profile = linear_srgb()
    assert profile_name(profile) == "Linear light, primaries of sRGB"
    np.testing.assert_allclose(colorants(profile).sum(axis=1), (0.9642, 1, 0.8249), atol=1e-3)
    x = np.linspace(0, 1, 5)
    for decode, encode in tone_curves(profile):
        np.testing.assert_allclose(decode(x), x)
        np.testing.assert_allclose(encode(x), x)


def test_a_damaged_raw_file(tmp_path):
    path = dng(tmp_path / "a.dng")
    path.write_bytes(path.read_bytes()[:3000])
    with pytest.raises(UnreadableError, match=r"a\.dng: damaged"):
        read(path)
