"""Reading picture files: exact pixels, carried metadata, refusals that name the file."""

from __future__ import annotations

import io
import os
import struct
from contextlib import suppress

import numpy as np
import pytest
import tifffile
from PIL import Image

from osmofuse.errors import UnreadableError
from osmofuse.io import read, write
from osmofuse.picture import Metadata, Picture
from picture_files import (
    IPTC,
    PROFILE,
    RESOLUTION,
    TURNS,
    XMP,
    exif,
    full,
    noise,
    opened_exif,
    png_pixels,
)

SHAPES = [(5, 7), (5, 7, 3), (1, 1), (1, 1, 3)]


# Exact pixels


@pytest.mark.parametrize("dtype", ["uint8", "uint16", "float32", "float64"])
@pytest.mark.parametrize("shape", [*SHAPES, (5, 7, 2), (5, 7, 4), (5, 7, 9)])
def test_tiff_is_exact(tmp_path, shape, dtype):
    pixels = noise(shape, dtype)
    path = write(pixels, tmp_path / "a.tif")
    other = tifffile.imread(path)
    assert other.dtype == dtype
    np.testing.assert_array_equal(other, pixels)
    back = read(path)
    assert back.depth == dtype
    assert not back.transparency
    np.testing.assert_array_equal(back.pixels, pixels)


@pytest.mark.parametrize("dtype", ["uint8", "uint16"])
@pytest.mark.parametrize("shape", SHAPES)
def test_png_is_exact(tmp_path, shape, dtype):
    pixels = noise(shape, dtype)
    path = write(pixels, tmp_path / "a.png")
    np.testing.assert_array_equal(png_pixels(path.read_bytes()), pixels)
    back = read(path)
    assert back.depth == dtype
    np.testing.assert_array_equal(back.pixels, pixels)


def test_webp_is_exact(tmp_path):
    pixels = noise((5, 7, 4), "uint8")
    path = write(Picture(pixels, transparency=True), tmp_path / "a.webp")
    with Image.open(path) as other:
        np.testing.assert_array_equal(np.asarray(other), pixels)
    np.testing.assert_array_equal(read(path).pixels, pixels)


@pytest.mark.parametrize("shape", [(16, 24), (16, 24, 3)])
def test_jpeg_is_close_and_has_no_subsampling(tmp_path, shape):
    rows = np.linspace(0, 255, 16 * 24).reshape(16, 24)
    pixels = np.broadcast_to(rows if len(shape) == 2 else rows[..., None], shape).astype("u1")
    path = write(pixels, tmp_path / "a.jpg")
    with Image.open(path) as other:
        np.testing.assert_allclose(np.asarray(other).astype(int), pixels, atol=4)
        assert all(layer[1:3] == (1, 1) for layer in other.layer)
    np.testing.assert_allclose(read(path).pixels.astype(int), pixels, atol=4)


@pytest.mark.parametrize("suffix", [".tif", ".png"])
@pytest.mark.parametrize("bands", [2, 4])
def test_transparency_is_told_and_kept(tmp_path, suffix, bands):
    pixels = noise((5, 7, bands), "uint16")
    back = read(write(Picture(pixels, transparency=True), tmp_path / f"a{suffix}"))
    assert back.transparency
    assert back.colour.shape == ((5, 7) if bands == 2 else (5, 7, 3))
    np.testing.assert_array_equal(back.pixels, pixels)


def test_of_extra_bands_only_the_last_can_be_transparency(tmp_path):
    path = write(Picture(noise((5, 7, 6), "uint8"), transparency=True), tmp_path / "a.tif")
    with tifffile.TiffFile(path) as file:
        assert [int(kind) for kind in file.pages[0].extrasamples] == [0, 0, 2]
    assert read(path).transparency


@pytest.mark.parametrize(("samples", "expected"), [(0, False), (2, True)])
def test_a_foreign_tiff_says_what_its_fourth_band_is(tmp_path, samples, expected):
    pixels = noise((5, 7, 4), "uint16")
    tifffile.imwrite(tmp_path / "a.tif", pixels, photometric="rgb", extrasamples=[samples])
    back = read(tmp_path / "a.tif")
    assert back.transparency is expected
    np.testing.assert_array_equal(back.pixels, pixels)


@pytest.mark.parametrize("options", [{"byteorder": ">"}, {"bigtiff": True}, {"tile": (16, 16)}])
@pytest.mark.parametrize("dtype", ["uint16", "float32", "float64", "int16", "uint32"])
def test_foreign_tiffs_are_read_exactly(tmp_path, options, dtype):
    pixels = noise((20, 24, 3), dtype)
    tifffile.imwrite(tmp_path / "a.tif", pixels, photometric="rgb", **options)
    back = read(tmp_path / "a.tif")
    assert back.depth == dtype
    np.testing.assert_array_equal(back.pixels, pixels)


@pytest.mark.parametrize("dtype", ["uint16", "float64"])
def test_planes_become_bands(tmp_path, dtype):
    planes = noise((3, 5, 7), dtype)
    tifffile.imwrite(tmp_path / "a.tif", planes, photometric="rgb", planarconfig="separate")
    np.testing.assert_array_equal(read(tmp_path / "a.tif").pixels, np.moveaxis(planes, 0, -1))


@pytest.mark.parametrize("suffix", [".png", ".tif"])
def test_palettes_and_single_bits_are_shown_as_viewers_do(tmp_path, suffix):
    path = tmp_path / f"a{suffix}"
    palette = Image.fromarray(noise((8, 8, 3), "uint8")).quantize(7)
    palette.save(path)
    np.testing.assert_array_equal(read(path).pixels, np.asarray(palette.convert("RGB")))
    Image.fromarray(np.eye(8) > 0).save(path)
    np.testing.assert_array_equal(read(path).pixels, np.eye(8, dtype=np.uint8) * 255)


def test_white_is_zero_is_turned_round(tmp_path):
    pixels = noise((5, 7), "uint8")
    tifffile.imwrite(tmp_path / "a.tif", pixels, photometric="miniswhite")
    np.testing.assert_array_equal(read(tmp_path / "a.tif").pixels, 255 - pixels)


@pytest.mark.parametrize("dtype", ["uint16", ">u2", "float64"])
def test_arrays_of_any_layout_are_written_and_not_changed(tmp_path, dtype):
    base = noise((14, 10, 3), np.dtype(dtype).newbyteorder("=")).astype(dtype)
    pixels = base[::2, ::-2].transpose(1, 0, 2)
    before = pixels.copy()
    pixels.flags.writeable = False
    np.testing.assert_array_equal(read(write(pixels, tmp_path / "a.tif")).pixels, before)
    np.testing.assert_array_equal(pixels, before)


# Metadata


@pytest.mark.parametrize("suffix", [".tif", ".png", ".jpg", ".webp"])
def test_profile_exif_and_xmp_are_carried(tmp_path, suffix):
    back = read(write(full(noise((5, 7, 3), "uint8")), tmp_path / f"a{suffix}"))
    assert back.profile == PROFILE
    assert back.metadata.xmp == XMP
    tags = opened_exif(back.metadata.exif)
    assert (tags[271], tags[306], tags[33432]) == (
        "Phase One", "2024:05:06 07:08:09", "The Library",
    )  # fmt: skip
    assert tags.get_ifd(0x8769)[33434] == 0.5
    assert tags.get_ifd(0x8769)[36867] == "2024:05:06 07:08:09"
    assert tags.get_ifd(0x8825)[1] == "N"


@pytest.mark.parametrize("suffix", [".tif", ".jpg"])
def test_iptc_is_carried(tmp_path, suffix):
    assert read(write(full(noise((5, 7), "uint8")), tmp_path / f"a{suffix}")).metadata.iptc == IPTC


@pytest.mark.parametrize("suffix", [".tif", ".png", ".jpg"])
def test_resolution_is_carried(tmp_path, suffix):
    back = read(write(full(noise((5, 7), "uint8")), tmp_path / f"a{suffix}"))
    np.testing.assert_allclose(back.metadata.resolution, RESOLUTION, rtol=2e-4)
    plain = read(write(noise((5, 7), "uint8"), tmp_path / f"b{suffix}"))
    assert plain.metadata == Metadata()
    assert plain.profile is None


@pytest.mark.parametrize("dtype", ["uint16", "float64"])
def test_tiff_says_it_to_other_readers_too(tmp_path, dtype):
    path = write(full(noise((5, 7, 3), dtype)), tmp_path / "a.tif")
    with tifffile.TiffFile(path) as file:
        assert len(file.pages) == 1
        tags = file.pages[0].tags
        assert tags["Make"].value == "Phase One"
        assert tags["ExifTag"].value["ExposureTime"] == 0.5
        assert tags["GPSTag"].value["GPSLatitudeRef"] == "N"
        assert tags["InterColorProfile"].value == PROFILE
        assert tags[33723].value == IPTC
        np.testing.assert_array_equal(file.asarray(), noise((5, 7, 3), dtype))
    back = read(path).metadata
    assert (back.xmp, back.iptc) == (XMP, IPTC)
    np.testing.assert_allclose(back.resolution, RESOLUTION, rtol=2e-4)


def test_a_second_round_changes_nothing_more(tmp_path):
    first = read(write(full(noise((5, 7, 3), "uint16")), tmp_path / "a.tif"))
    second = read(write(first, tmp_path / "b.tif"))
    assert second.metadata == first.metadata
    assert (tmp_path / "a.tif").read_bytes() == (tmp_path / "b.tif").read_bytes()


@pytest.mark.parametrize("order", ["<", ">"])
def test_geography_in_tiff_survives(tmp_path, order):
    scale = (0.5, 0.25, 0.0)
    tifffile.imwrite(
        tmp_path / "a.tif", noise((5, 7), "uint16"), byteorder=order,
        extratags=[(33550, "d", 3, scale, True), (42113, "s", 0, "-9999", True)],
    )  # fmt: skip
    write(read(tmp_path / "a.tif"), tmp_path / "b.tif")
    with tifffile.TiffFile(tmp_path / "b.tif") as file:
        assert file.pages[0].tags[33550].value == scale
        assert file.pages[0].tags[42113].value == "-9999"


def test_big_endian_exif_is_understood(tmp_path):
    entry = struct.pack(">HHII", 271, 2, 10, 26)
    blob = b"MM\0*" + struct.pack(">IH", 8, 1) + entry + struct.pack(">I", 0) + b"Phase One\0"
    picture = Picture(noise((5, 7), "uint8"), metadata=Metadata(exif=blob))
    assert opened_exif(read(write(picture, tmp_path / "a.tif")).metadata.exif)[271] == "Phase One"
    assert opened_exif(read(write(picture, tmp_path / "a.jpg")).metadata.exif)[271] == "Phase One"


@pytest.mark.parametrize("suffix", [".tif", ".png", ".jpg"])
def test_exif_of_other_hands_cannot_bend_the_file(tmp_path, suffix):
    pixels = noise((5, 7), "uint8")
    blob = exif(_256=9999, _274=6, _282=1.0)
    back = read(write(Picture(pixels, metadata=Metadata(exif=blob)), tmp_path / f"a{suffix}"))
    assert back.shape == (5, 7)
    assert opened_exif(back.metadata.exif)[271] == "Phase One"
    broken = Picture(pixels, metadata=Metadata(exif=b"no exif at all"))
    assert read(write(broken, tmp_path / f"b{suffix}")).metadata.exif is None


def test_broken_exif_does_not_cost_the_picture(tmp_path):
    jpeg = io.BytesIO()
    Image.fromarray(noise((8, 8), "uint8")).save(
        jpeg, "jpeg", exif=b"Exif\0\0II*\0\xff\xff\xff\xff"
    )
    (tmp_path / "a.jpg").write_bytes(jpeg.getvalue())
    assert read(tmp_path / "a.jpg").shape == (8, 8)


# Orientation


@pytest.mark.parametrize("orientation", TURNS)
@pytest.mark.parametrize("dtype", ["uint16", "float64"])
def test_tiff_is_turned_upright_once(tmp_path, orientation, dtype):
    pixels = noise((5, 7, 3), dtype)
    tifffile.imwrite(
        tmp_path / "a.tif", pixels, photometric="rgb", resolution=(100, 200),
        resolutionunit="CENTIMETER", extratags=[(274, "H", 1, orientation, True)],
    )  # fmt: skip
    first = read(tmp_path / "a.tif")
    np.testing.assert_array_equal(first.pixels, TURNS[orientation](pixels))
    expected = (10, 20) if orientation > 4 else (20, 10)
    np.testing.assert_allclose(first.metadata.resolution, expected)
    second = read(write(first, tmp_path / "b.tif"))
    np.testing.assert_array_equal(second.pixels, first.pixels)


@pytest.mark.parametrize("orientation", TURNS)
@pytest.mark.parametrize("suffix", [".jpg", ".png"])
def test_exif_orientation_is_applied_once(tmp_path, orientation, suffix):
    stored = tmp_path / f"stored{suffix}"
    Image.fromarray(noise((5, 7, 3), "uint8")).save(
        stored, exif=b"Exif\0\0" + exif(_274=orientation)
    )
    with Image.open(stored) as other:
        expected = TURNS[orientation](np.asarray(other))
    first = read(stored)
    np.testing.assert_array_equal(first.pixels, expected)
    assert 274 not in opened_exif(first.metadata.exif)
    for target in ("again.png", "again.tif"):
        np.testing.assert_array_equal(read(write(first, tmp_path / target)).pixels, expected)
    with Image.open(tmp_path / "again.png") as other:
        assert other.getexif().get(274, 1) == 1


# Refusals of read


def test_content_decides_not_the_name(tmp_path):
    write(noise((8, 8, 3), "uint8"), tmp_path / "a.jpg").rename(tmp_path / "a.png")
    assert read(tmp_path / "a.png").pixels.shape == (8, 8, 3)


@pytest.mark.parametrize("name", ["scan[1].tif", "Blätter 12°.tif", "a.b,c=d.tif", "%d.tif"])
def test_any_name_is_just_a_name(tmp_path, name):
    pixels = noise((5, 7), "uint16")
    np.testing.assert_array_equal(read(write(pixels, tmp_path / name)).pixels, pixels)
    assert os.listdir(tmp_path) == [name]


@pytest.mark.parametrize("suffix", [".tif", ".png", ".jpg", ".webp"])
def test_every_truncation_is_an_error(tmp_path, suffix, capfd):
    whole = write(full(noise((40, 50, 3), "uint8")), tmp_path / f"a{suffix}").read_bytes()
    path = tmp_path / f"cut{suffix}"
    for size in [*range(1, 20), *range(20, len(whole) - 12, 97), len(whole) - 13]:
        path.write_bytes(whole[:size])
        with pytest.raises(UnreadableError, match=r"cut\.\w+: (damaged or truncated|not a PNG)"):
            read(path)
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("dtype", ["uint16", "float64"])
def test_truncated_foreign_tiff(tmp_path, dtype, capfd):
    path = tmp_path / "a.tif"
    tifffile.imwrite(path, noise((40, 50, 3), dtype), photometric="rgb")
    path.write_bytes(path.read_bytes()[:-100])
    with pytest.raises(UnreadableError, match=r"a\.tif: damaged"):
        read(path)
    assert capfd.readouterr() == ("", "")


def test_damaged_bytes_never_raise_anything_else(tmp_path, capfd):
    rng = np.random.default_rng(0)
    kinds = [(".tif", "uint8"), (".tif", "float64"), (".png", "uint16"), (".jpg", "uint8")]
    for suffix, dtype in [*kinds, (".webp", "uint8")]:
        source = full(noise((9, 11, 3), dtype))
        whole = write(source, tmp_path / f"a{suffix}", overwrite=True).read_bytes()
        for _ in range(60):
            damaged = bytearray(whole)
            for at in rng.integers(0, len(whole), 4):
                damaged[at] = rng.integers(0, 256)
            (tmp_path / "b").write_bytes(damaged)
            with suppress(UnreadableError):
                assert read(tmp_path / "b").pixels.size
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("suffix", [".jpg", ".tif"])
def test_colours_other_than_grey_and_rgb_are_refused(tmp_path, suffix):
    Image.new("CMYK", (8, 8), (10, 20, 30, 40)).save(tmp_path / f"a{suffix}")
    with pytest.raises(UnreadableError, match=r"stored as (cmyk|CMYK); convert to RGB or grey"):
        read(tmp_path / f"a{suffix}")


@pytest.mark.skipif(
    not os.path.isdir("/proc/self/fd"), reason="needs Linux: its list of open files"
)
def test_no_file_stays_open_and_no_old_content_returns(tmp_path):
    path = tmp_path / "a.tif"
    for value in (1, 2):
        write(np.full((5, 7), value, np.uint16), path, overwrite=True)
        assert read(path).pixels.max() == value
    opened = [os.readlink(f"/proc/self/fd/{fd}") for fd in os.listdir("/proc/self/fd")
              if os.path.exists(f"/proc/self/fd/{fd}")]  # fmt: skip
    assert not [name for name in opened if str(tmp_path) in name]
