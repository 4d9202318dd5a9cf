"""Kinds of TIFF samples: read with the right values, or refused with what to do."""

from __future__ import annotations

import sys

import numpy as np
import pytest
import tifffile

from osmofuse.errors import MissingExtraError, UnreadableError
from osmofuse.io import describe, read
from picture_files import noise


def tiff(path, pixels, **options):
    tifffile.imwrite(path, pixels, metadata=None, **options)
    return path


@pytest.mark.parametrize(
    ("photometric", "name"),
    [("separated", "CMYK"), ("ycbcr", "YCbCr"), (8, "CIELAB"), (9, "ICCLAB"), (32845, "LogLuv")],
)
def test_other_colours_are_not_taken_for_rgb(tmp_path, photometric, name):
    bands = 4 if photometric == "separated" else 3
    path = tiff(tmp_path / "a.tif", noise((20, 31, bands), "uint8"), photometric=photometric)
    with pytest.raises(UnreadableError, match=f"stored as {name}; convert to RGB or grey"):
        read(path)


def test_a_mask_is_no_picture(tmp_path):
    with pytest.raises(UnreadableError, match="stored as a mask"):
        read(tiff(tmp_path / "a.tif", noise((20, 31), "uint8") > 99, photometric="mask"))


@pytest.mark.parametrize("dtype", ["uint64", "int64"])
def test_whole_numbers_of_64_bits(tmp_path, dtype):
    with pytest.raises(UnreadableError, match="whole numbers of 64 bits; convert to uint16"):
        read(tiff(tmp_path / "a.tif", noise((20, 31), "uint16").astype(dtype)))


@pytest.mark.parametrize("bits", [10, 12, 14])
@pytest.mark.parametrize("bands", [1, 3])
def test_odd_numbers_of_bits_are_stretched_and_noted(tmp_path, bits, bands):
    pixels = noise((20, 31, 3) if bands == 3 else (20, 31), "uint16") >> (16 - bits)
    kind = "rgb" if bands == 3 else "minisblack"
    path = tiff(tmp_path / "a.tif", pixels, bitspersample=bits, photometric=kind)
    expected = np.rint(pixels * (65535 / (2**bits - 1))).astype(np.uint16)
    for isolated in (False, True):
        np.testing.assert_array_equal(read(path, isolated=isolated).pixels, expected)
    assert describe(path).note == f"samples of {bits} bits, stretched to the range of uint16"


@pytest.mark.parametrize("bits", [1, 2, 4])
def test_few_bits_reach_from_black_to_white(tmp_path, bits):
    pixels = noise((20, 32), "uint8") >> (8 - bits)
    path = tiff(
        tmp_path / "a.tif", pixels > 0 if bits == 1 else pixels, photometric="minisblack",
        bitspersample=bits,
    )  # fmt: skip
    expected = pixels * (255 // (2**bits - 1)) if bits > 1 else np.where(pixels, 255, 0)
    np.testing.assert_array_equal(read(path).pixels, expected)


@pytest.mark.parametrize("compression", ["zstd", "lzma", "jpeg2000", "lerc"])
def test_compressions_that_libvips_does_not_know(tmp_path, compression):
    pixels = noise((20, 31, 3), "uint16")
    options = {"photometric": "rgb", "compression": compression}
    path = tiff(tmp_path / "a.tif", pixels, **options)
    np.testing.assert_array_equal(read(path, isolated=True).pixels, pixels)
    assert describe(path).compression == compression


def test_without_imagecodecs_the_extra_is_named(tmp_path, monkeypatch):
    zstd = tiff(tmp_path / "a.tif", noise((20, 31), "uint8"), compression="zstd")
    twelve = tiff(tmp_path / "b.tif", noise((20, 31), "uint16") >> 4, bitspersample=12)
    double = noise((20, 31), "float64")
    lzw = tiff(tmp_path / "c.tif", double, compression="lzw")
    floats = tiff(tmp_path / "d.tif", double, compression="deflate", predictor=3)
    sound = tiff(tmp_path / "e.tif", double, compression="deflate")
    monkeypatch.setitem(sys.modules, "imagecodecs", None)
    for path, what in (
        (zstd, "zstd compression"),
        (twelve, "samples of 12 bits"),
        (lzw, "lzw compression"),
        (floats, "64-bit samples with the floating-point predictor"),
    ):
        with pytest.raises(MissingExtraError, match=rf"reading {what} needs .*osmofuse\[formats\]"):
            read(path)
    np.testing.assert_array_equal(read(sound).pixels, double)


def test_half_floats_are_floats(tmp_path):
    pixels = noise((20, 31), "float32").astype(np.float16)
    picture = read(tiff(tmp_path / "a.tif", pixels))
    assert picture.depth == np.float32
    np.testing.assert_array_equal(picture.pixels, pixels.astype(np.float32))
