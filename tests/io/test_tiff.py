"""Kinds of TIFF samples: read with the right values, or refused with what to do."""

from __future__ import annotations

import struct
import sys

import numpy as np
import pytest
import tifffile

from osmofuse.errors import MissingExtraError, UnreadableError
from osmofuse.io import describe, read
from osmofuse.io.tags import BITS, COLS_RESOLUTION, EXTRA, PHOTOMETRIC, ROWS_RESOLUTION, UNIT
from osmofuse.io.tiff import check_kind, has_transparency, nodata_text, palette_note, resolution_in
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


@pytest.mark.parametrize("options", [{"compression": "zstd"}, {"bitspersample": 12}, {}])
def test_grey_from_white_is_turned_whoever_decodes(tmp_path, options):
    bits = options.get("bitspersample", 16)
    pixels = noise((20, 31), "uint16") >> (16 - bits)
    path = tiff(tmp_path / "a.tif", pixels, photometric="miniswhite", **options)
    white = 2**bits - 1
    expected = np.rint((white - pixels.astype(float)) * (65535 / white)).astype(np.uint16)
    np.testing.assert_array_equal(read(path, isolated=True).pixels, expected)


@pytest.mark.parametrize(
    ("dtype", "options"),
    [("uint16", {"compression": "zstd"}), ("float64", {}), ("uint16", {}), ("float32", {})],
)
def test_colours_multiplied_by_transparency_are_divided_whoever_decodes(tmp_path, dtype, options):
    white = 65535 if dtype == "uint16" else 1
    pixels = noise((20, 31, 4), "uint16").astype(float) / 65535
    pixels[..., 3] = 0.5 + 0.5 * pixels[..., 3]
    pixels[0, :, 3] = 0
    stored = np.concatenate([pixels[..., :3] * pixels[..., 3:], pixels[..., 3:]], axis=2) * white
    stored = np.rint(stored).astype(dtype) if white > 1 else stored.astype(dtype)
    kind = {"photometric": "rgb", "extrasamples": ["assocalpha"]}
    picture = read(tiff(tmp_path / "a.tif", stored, **kind, **options), isolated=True)
    assert picture.transparency
    assert picture.depth == dtype
    np.testing.assert_array_equal(picture.pixels[..., 3], stored[..., 3])
    np.testing.assert_array_equal(picture.pixels[0, :, :3], 0)
    np.testing.assert_allclose(picture.pixels[1:] / white, pixels[1:], atol=4e-5)


@pytest.mark.parametrize("options", [{}, {"compression": "deflate", "predictor": True}])
def test_tiles_of_separate_planes(tmp_path, options):
    pixels = noise((20, 31, 3), "uint16")
    planes = {"photometric": "rgb", "planarconfig": "separate", "tile": (16, 16)}
    path = tiff(tmp_path / "a.tif", np.moveaxis(pixels, 2, 0).copy(), **planes, **options)
    np.testing.assert_array_equal(read(path, isolated=True).pixels, pixels)


@pytest.mark.parametrize(
    ("pixels", "options", "what"),
    [
        (noise((20, 31), "float32") + 1j, {}, "samples are complex numbers"),
        (noise((20, 31), "float64") + 1j, {}, "samples are complex numbers"),
        (noise((20, 31), "float64"), {"photometric": "miniswhite"}, "grey from white to black"),
        (
            noise((20, 31), "uint8"),
            {"colormap": noise((3, 256), "uint16"), "photometric": "palette", "compression": 50000},
            "a palette in an unusual way",
        ),
        (
            noise((3, 20, 31), "uint8"),
            {"photometric": "minisblack", "volumetric": True, "tile": (16, 16, 16)},
            "a volume of 3 slices",
        ),
    ],
)  # fmt: skip
def test_what_would_be_misread_is_refused(tmp_path, pixels, options, what):
    path = tiff(tmp_path / "a.tif", pixels, **options)
    for ask in (describe, read):
        with pytest.raises(UnreadableError, match=what):
            ask(path)


def test_signed_numbers_of_few_bits_are_refused(tmp_path):
    path = tiff(tmp_path / "a.tif", noise((20, 32), "uint8") >> 4, bitspersample=4)
    with tifffile.TiffFile(path, mode="r+b") as file:
        file.pages[0].tags["ResolutionUnit"].overwrite(2, dtype="H")
    content = bytearray(path.read_bytes())
    at = content.index((296).to_bytes(2, "little") + b"\3\0\1\0\0\0")
    content[at : at + 2] = (339).to_bytes(2, "little")  # the sample format, of value 2: signed
    path.write_bytes(content)
    with pytest.raises(UnreadableError, match="signed numbers of 4 bits"):
        read(path)


@pytest.mark.parametrize(("step", "noted"), [(1, True), (257, False)])
def test_a_palette_that_loses_bits_is_noted(tmp_path, step, noted):
    colours = noise((3, 256), "uint16") if step == 1 else noise((3, 256), "uint16") // 257 * 257
    index = noise((20, 31), "uint8")
    path = tiff(tmp_path / "a.tif", index, photometric="palette", colormap=colours)
    np.testing.assert_array_equal(read(path).pixels, np.moveaxis(colours[:, index] >> 8, 0, 2))
    note = describe(path).note
    assert note == ("a palette of colours with 16 bits, of which 8 are read" if noted else None)


@pytest.mark.parametrize("bits", [7, 12, 24, 65, 128, 65535])
@pytest.mark.parametrize("compression", [1, 50000])
def test_samples_that_cannot_be_are_damage(tmp_path, bits, compression):
    path = tiff(tmp_path / "a.tif", noise((20, 31), "float32"))
    data = bytearray(path.read_bytes())
    for tag, number in ((258, bits), (259, compression)):
        struct.pack_into("<H", data, data.index(struct.pack("<HHI", tag, 3, 1)) + 8, number)
    path.write_bytes(data)
    with pytest.raises(UnreadableError, match=r"a\.tif: damaged"):
        read(path)


def retagged(path, number, values):
    """Replace the values of a tag of 16-bit numbers, which may be fewer than before."""
    with tifffile.TiffFile(path, mode="r+b") as file:
        file.pages[0].tags[number].overwrite(values, dtype="H")
    return path


def test_bands_of_several_widths_are_refused(tmp_path):
    path = tiff(tmp_path / "a.tif", noise((20, 31, 3), "uint8"), photometric="rgb")
    with pytest.raises(UnreadableError, match="bands of 5 and 6 bits; save it again"):
        read(retagged(path, 258, (5, 6, 5)))


def test_a_palette_with_too_few_colours_is_not_taken_for_grey(tmp_path):
    colours = noise((3, 256), "uint16")
    options = {"photometric": "palette", "colormap": colours}
    path = tiff(tmp_path / "a.tif", noise((20, 31), "uint8"), **options)
    with pytest.raises(UnreadableError, match="its palette has too few colours"):
        read(retagged(path, 320, tuple(map(int, colours.ravel()[:30]))))


def resolution(unit=None, rows=(600, 2), cols=(150, 1)):
    tags = {ROWS_RESOLUTION: (5, 1, struct.pack("<2I", *rows))}
    tags[COLS_RESOLUTION] = (5, 1, struct.pack("<2I", *cols))
    return tags if unit is None else tags | {UNIT: (3, 1, struct.pack("<H", unit))}


@pytest.mark.parametrize(("unit", "millimetres"), [(None, 25.4), (2, 25.4), (3, 10.0)])
def test_a_resolution_without_a_unit_is_per_inch(unit, millimetres):
    found = resolution_in(resolution(unit))
    assert found == pytest.approx((300 / millimetres, 150 / millimetres))


@pytest.mark.parametrize(
    "tags",
    [{}, resolution(1), resolution(2, rows=(0, 1)), resolution(2, cols=(1, 0))],
    ids=["absent", "no unit of length", "zero", "divided by zero"],
)
def test_a_resolution_that_means_nothing(tags):
    assert resolution_in(tags) is None


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (-9999.0, b"-9999\0"),
        (0.5, b"0.5\0"),
        (float("nan"), b"nan\0"),
        (2.0**53, b"9007199254740992.0\0"),
    ],
)
def test_no_data_is_written_as_gdal_does(value, text):
    assert nodata_text(value) == text


def shorts(*numbers):
    return 3, len(numbers), struct.pack(f"<{len(numbers)}H", *numbers)


@pytest.mark.parametrize(("bits", "refused"), [(7, True), (8, False)])
def test_signed_samples_have_8_bits_at_least(bits, refused):
    tags = {BITS: shorts(bits), PHOTOMETRIC: shorts(1), 339: shorts(2)}
    if refused:
        with pytest.raises(UnreadableError, match=f"signed numbers of {bits} bits"):
            check_kind("a.tif", tags)
    else:
        check_kind("a.tif", tags)


@pytest.mark.parametrize(
    ("kind", "bands", "expected"), [(2, 1, False), (2, 2, True), (0, 2, False)]
)
def test_the_only_band_is_no_transparency(kind, bands, expected):
    assert has_transparency({EXTRA: shorts(kind)}, bands) is expected


@pytest.mark.parametrize(
    ("colours", "noted"), [(range(256), False), (range(0, 65536, 257), False), (range(257), True)]
)
def test_only_colours_of_more_than_8_bits_are_noted(colours, noted):
    tags = {BITS: shorts(8), PHOTOMETRIC: shorts(3), 320: shorts(*colours)}
    assert (palette_note(tags) is not None) is noted
