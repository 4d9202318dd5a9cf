"""JPEG 2000: the header by our reader, the samples by imagecodecs, and what is refused."""

from __future__ import annotations

import struct
import sys

import imagecodecs
import numpy as np
import pytest

from osmofuse.errors import MissingExtraError, UnreadableError
from osmofuse.io import describe, describe_isolated, jpeg2000, read, write
from picture_files import PROFILE, XMP, exif, noise

UUIDS = {"xmp": bytes.fromhex("be7acfcb97a942e89c71999491e3afac"), "exif": b"JpgTiffExif->JP2"}


def box(kind, body):
    return struct.pack(">I4s", len(body) + 8, kind) + body


def jp2(pixels, *, bits=None, bare=False):
    return imagecodecs.jpeg2k_encode(
        pixels, level=0, reversible=True, bitspersample=bits, codecformat="j2k" if bare else "jp2"
    )


@pytest.mark.parametrize("dtype", ["uint8", "uint16"])
@pytest.mark.parametrize("shape", [(20, 31), (20, 31, 3)])
@pytest.mark.parametrize("bare", [False, True])
def test_samples_are_exact(tmp_path, dtype, shape, bare):
    pixels = noise(shape, dtype)
    path = tmp_path / "a.jp2"
    path.write_bytes(jp2(pixels, bare=bare))
    for isolated in (False, True):
        picture = read(path, isolated=isolated)
        np.testing.assert_array_equal(picture.pixels, pixels)
        assert picture.depth == dtype
    found = describe(path)
    assert (found.rows, found.cols, found.format, found.depth) == (20, 31, "jpeg2000", dtype)
    assert (found.compression, found.format_of_name) == ("jpeg2000", None)
    assert describe_isolated(path) == found


def test_twelve_bits_are_stretched_and_noted(tmp_path):
    pixels = noise((20, 31), "uint16") >> 4
    (tmp_path / "a.jp2").write_bytes(jp2(pixels, bits=12))
    expected = np.rint(pixels * (65535 / 4095)).astype(np.uint16)
    np.testing.assert_array_equal(read(tmp_path / "a.jp2").pixels, expected)
    assert "samples of 12 bits" in describe(tmp_path / "a.jp2").note


def with_profile(data, *, then=b""):
    """Put an ICC profile in the place of the number of the colour space, and a box behind it."""
    at = data.index(b"colr") - 4
    size = struct.unpack_from(">I", data, at)[0]
    whole = data.index(b"jp2h") - 4
    colour = box(b"colr", b"\2\0\0" + PROFILE) + then
    grown = struct.unpack_from(">I", data, whole)[0] + len(colour) - size
    changed = data[:at] + colour + data[at + size :]
    return changed[:whole] + struct.pack(">I", grown) + changed[whole + 4 :]


def test_profile_and_metadata_go_along(tmp_path):
    data = with_profile(jp2(noise((20, 31, 3), "uint8")))
    at = data.index(b"jp2c") - 4
    more = box(b"uuid", UUIDS["xmp"] + XMP) + box(b"uuid", UUIDS["exif"] + exif())
    (tmp_path / "a.jp2").write_bytes(data[:at] + more + data[at:])
    picture = read(tmp_path / "a.jp2")
    assert picture.profile == PROFILE
    assert picture.metadata.xmp == XMP
    assert b"Phase One" in picture.metadata.exif
    assert read(write(picture, tmp_path / "b.tif")).metadata.exif == picture.metadata.exif


def test_of_several_colour_boxes_the_first_counts(tmp_path):
    other = box(b"colr", b"\1\0\0" + struct.pack(">I", 18))  # YCC
    data = with_profile(jp2(noise((20, 31, 3), "uint8")), then=other)
    (tmp_path / "a.jp2").write_bytes(data)
    assert read(tmp_path / "a.jp2").profile == PROFILE


def test_the_header_of_a_large_file_takes_little_memory(tmp_path):
    data = jp2(noise((20, 31), "uint8"))
    at = data.index(b"jp2c") - 4
    with (tmp_path / "a.jp2").open("wb") as file:
        file.write(data[:at] + struct.pack(">I4s", 2**30, b"free"))
        file.seek(at + 2**30)
        file.write(data[at:])
    assert describe_isolated(tmp_path / "a.jp2").cols == 31


def test_without_the_extra_it_is_named(tmp_path, monkeypatch):
    (tmp_path / "a.jp2").write_bytes(jp2(noise((20, 31), "uint8")))
    monkeypatch.setitem(sys.modules, "imagecodecs", None)
    with pytest.raises(
        MissingExtraError, match=r"JPEG 2000 needs imagecodecs; .*osmofuse\[formats\]"
    ):
        read(tmp_path / "a.jp2")


def test_other_colours_are_refused(tmp_path):
    data = bytearray(jp2(noise((20, 31, 3), "uint8")))
    struct.pack_into(">I", data, data.index(b"colr") + 7, 18)  # YCC
    (tmp_path / "a.jp2").write_bytes(data)
    with pytest.raises(UnreadableError, match="neither grey nor RGB"):
        read(tmp_path / "a.jp2")


def test_damage_is_an_error_with_the_files_name(tmp_path):
    whole, rng = jp2(noise((20, 31, 3), "uint8")), np.random.default_rng(3)
    refused = 0
    for _ in range(60):
        damaged = bytearray(whole[: rng.integers(20, len(whole))])
        for at in rng.integers(0, len(damaged), 3):
            damaged[at] = rng.integers(256)
        (tmp_path / "a.jp2").write_bytes(damaged)
        try:
            read(tmp_path / "a.jp2", isolated=True)
        except UnreadableError as error:
            assert "a.jp2: " in str(error)  # noqa: PT017 (some are read)
            refused += 1
    assert refused > 20


def with_box(data, kind, body, *, first=False):
    """Add a box to the header of a file: behind its size, or at its end."""
    whole = data.index(b"jp2h") - 4
    size = struct.unpack_from(">I", data, whole)[0]
    at = whole + 8 + 22 if first else whole + size
    grown = struct.pack(">I", size + len(body) + 8)
    return data[:whole] + grown + data[whole + 4 : at] + box(kind, body) + data[at:]


@pytest.mark.parametrize("kind", [1, 2])
def test_colours_multiplied_by_opacity_are_divided(tmp_path, kind):
    pixels = noise((20, 31, 4), "uint8")
    pixels[..., 3] |= 128
    pixels[0, :, 3] = 0
    stored = pixels.copy()
    if kind == 2:
        stored[..., :3] = np.rint(pixels[..., :3] * (pixels[..., 3:] / 255))
    meanings = [(0, 0, 1), (1, 0, 2), (2, 0, 3), (3, kind, 0)]
    body = struct.pack(">H", 4) + b"".join(struct.pack(">3H", *one) for one in meanings)
    (tmp_path / "a.jp2").write_bytes(with_box(jp2(stored), b"cdef", body))
    picture = read(tmp_path / "a.jp2", isolated=True)
    assert picture.transparency
    np.testing.assert_array_equal(picture.pixels[..., 3], pixels[..., 3])
    expected = pixels[..., :3].astype(float)
    if kind == 2:
        expected[0] = 0
    np.testing.assert_allclose(picture.pixels[..., :3], expected, atol=0 if kind == 1 else 2)


@pytest.mark.parametrize("first", [False, True])
def test_of_several_colour_spaces_the_first_counts(tmp_path, first):
    pixels = noise((20, 31, 3), "uint8")
    ycc = b"\1\0\0" + struct.pack(">I", 18)
    (tmp_path / "a.jp2").write_bytes(with_box(jp2(pixels), b"colr", ycc, first=first))
    if first:
        with pytest.raises(UnreadableError, match="neither grey nor RGB"):
            read(tmp_path / "a.jp2")
    else:
        np.testing.assert_array_equal(read(tmp_path / "a.jp2").pixels, pixels)


@pytest.mark.parametrize(("signs", "refused"), [(15, False), (0x87, True), (16, True)])
def test_signed_and_wide_samples_are_refused(signs, refused):
    size = struct.pack(">4s4x4I16x", b"\xff\x4f\xff\x51", 5, 4, 0, 0)
    stream = size + struct.pack(">H3B", 1, signs, 1, 1)
    if refused:
        with pytest.raises((ValueError, UnreadableError), match=r"signed|samples of 17 bits"):
            jpeg2000.parse(stream, "a.j2k")
    else:
        assert jpeg2000.parse(stream, "a.j2k")[:3] == (4, 5, 1)
