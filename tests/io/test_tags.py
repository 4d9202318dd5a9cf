"""Tags: parsed from every kind of TIFF, packed again, damage refused; IPTC wrapped and bare."""

from __future__ import annotations

import io
import struct

import numpy as np
import pytest
import tifffile
from PIL import Image

from bombs import BOMBS
from osmofuse.io.tags import (
    BITS,
    IPTC,
    MOST_PAGES,
    ORIENTATION,
    UNIT,
    XMP,
    add_tags,
    directories,
    normalise_exif,
    pack_exif,
    parse_tags,
    short_numbers,
    tag_bytes,
    tag_numbers,
    unwrap_iptc,
    wrap_iptc,
)

MAKE, EXIF_IFD, GPS_IFD = 271, 34665, 34853
TAGS = {
    MAKE: (2, 10, b"Phase One\0"),
    33550: (12, 3, struct.pack("<3d", 0.5, 0.25, 0)),
    EXIF_IFD: {33434: (5, 1, struct.pack("<2I", 1, 2)), 37384: (3, 1, b"\x04\0")},
    GPS_IFD: {1: (2, 2, b"N\0")},
}


def tiff(**options):
    file = io.BytesIO()
    tifffile.imwrite(file, np.zeros((5, 7), np.uint16), metadata=None, **options)
    return file.getvalue()


# Parsing and packing


def test_what_is_packed_is_parsed_again():
    assert parse_tags(pack_exif(TAGS)) == TAGS


def test_packed_exif_is_understood_by_another_reader():
    tags = Image.Exif()
    tags.load(b"Exif\0\0" + pack_exif(TAGS))
    assert tags[MAKE] == "Phase One"
    assert tags.get_ifd(EXIF_IFD)[33434] == 0.5
    assert tags.get_ifd(GPS_IFD)[1] == "N"


@pytest.mark.parametrize("order", ["<", ">"])
@pytest.mark.parametrize("big", [False, True])
def test_every_kind_of_tiff_gives_the_same_values(order, big):
    data = tiff(
        byteorder=order, bigtiff=big, resolution=(100, 200), resolutionunit="CENTIMETER",
        extratags=[(33550, "d", 3, (0.5, 0.25, 0.0), True), (MAKE, "s", 0, "Phase One", True)],
    )  # fmt: skip
    tags = parse_tags(data)
    assert tag_numbers(tags, BITS) == (16,)
    assert tag_numbers(tags, UNIT) == (3,)
    assert tag_numbers(tags, 282) == (100, 1)
    assert tags[33550] == TAGS[33550]
    assert tags[MAKE] == TAGS[MAKE]


def test_iptc_is_bytes_in_whatever_kind_and_order_it_is_stored():
    data = tiff(byteorder=">", extratags=[(IPTC, "I", 2, (0x1C025000, 0x03416461), True)])
    assert tag_bytes(parse_tags(data), IPTC) == b"\x1c\x02\x50\x00\x03Ada"


def test_absent_tags_and_tags_of_another_kind():
    assert tag_numbers(TAGS, 999) == ()
    assert tag_numbers(TAGS, MAKE) == ()
    assert tag_numbers(TAGS, EXIF_IFD) == ()
    assert tag_bytes(TAGS, 999) is None
    assert tag_bytes(TAGS, EXIF_IFD) is None
    assert tag_bytes(TAGS, MAKE) == b"Phase One\0"


def test_exif_has_no_tag_of_storage():
    storage = {
        256: (3, 1, b"\x07\0"), ORIENTATION: (3, 1, b"\x06\0"), XMP: (1, 1, b"x"),
        50706: (1, 4, b"\1\4\0\0"),
    }  # fmt: skip
    details = {**TAGS[EXIF_IFD], 40962: (3, 1, b"\x07\0")}
    assert parse_tags(pack_exif(TAGS | storage | {EXIF_IFD: details})) == TAGS
    assert pack_exif(storage) is None
    assert details.keys() >= {40962}  # the input is left alone


# Damage


def test_every_truncation_is_refused_when_strict():
    whole = pack_exif({tag: TAGS[tag] for tag in (MAKE, 33550, EXIF_IFD)})  # a value comes last
    for size in range(len(whole)):
        with pytest.raises((ValueError, OverflowError, struct.error)):
            parse_tags(whole[:size])


def test_values_beyond_the_end_are_left_out_when_not_strict():
    whole = pack_exif({MAKE: (2, 10, b"Phase One\0"), 274: (3, 1, b"\1\0"), 315: (2, 4, b"Ada\0")})
    assert parse_tags(whole[:-1], strict=False).keys() == {315}
    assert parse_tags(normalise_exif(whole[:-1])) == {315: (2, 4, b"Ada\0")}


@pytest.mark.parametrize("data", [b"", b"II*\0", b"no exif at all", b"II*\0\xff\xff\xff\xff"])
def test_exif_that_cannot_be_read_is_none(data):
    assert normalise_exif(data) is None
    assert normalise_exif(b"Exif\0\0" + data) is None


def test_the_prefix_of_jpeg_is_taken_off():
    assert normalise_exif(b"Exif\0\0" + pack_exif(TAGS)) == pack_exif(TAGS)


def test_a_directory_that_contains_itself_is_refused_or_left_out():
    entry = struct.pack("<HHII", EXIF_IFD, 4, 1, 8)
    data = b"II*\0" + struct.pack("<IH", 8, 1) + entry + bytes(4)
    with pytest.raises(ValueError, match="within itself"):
        parse_tags(data)
    assert parse_tags(data, strict=False) == {}


@pytest.mark.parametrize("name", ["looping-exif.tif", "looping-gps.tif", "overlapping-values.tif",
                                  "overlapping-exif.tif", "huge-counts.tif"])  # fmt: skip
def test_bombs_are_refused(name):
    with pytest.raises(ValueError, match=r"within itself|overlap|beyond the end|entries"):
        parse_tags(BOMBS[name]())


def test_a_bomb_in_exif_is_left_out():
    data = BOMBS["looping-exif.tif"]()
    assert normalise_exif(data) is None
    data = BOMBS["overlapping-exif.tif"]()
    assert len(normalise_exif(data)) <= 2 * len(data)


def test_no_more_entries_than_any_file_has():
    entry = struct.pack("<HHII", 315, 2, 4, 0)
    data = b"II*\0" + struct.pack("<IH", 8, 20_000) + entry * 20_000 + bytes(4)
    with pytest.raises(ValueError, match="more than 10000 entries"):
        parse_tags(data, strict=False)


@pytest.mark.parametrize(("kind", "number"), [(0, 1), (14, 1), (99, 7), (65535, 1), (2, 0)])
def test_entries_of_invalid_type_or_of_no_value_are_left_out(kind, number):
    entry = struct.pack("<HHII", 37510, kind, number, 0) + struct.pack(
        "<HH4s4s", 315, 2, b"\4\0\0\0", b"Ada\0"
    )
    exif = b"II*\0" + struct.pack("<IH", 8, 2) + entry + bytes(4)
    assert parse_tags(exif) == {315: (2, 4, b"Ada\0")}
    assert parse_tags(normalise_exif(exif)) == {315: (2, 4, b"Ada\0")}


def test_numbers_of_64_bits_are_narrowed_and_offsets_left_out():
    tags = {
        40001: (16, 2, struct.pack("<2Q", 7, 8)), 40002: (16, 1, struct.pack("<Q", 2**40)),
        40003: (17, 1, struct.pack("<q", -3)), 40004: (13, 1, struct.pack("<I", 99)),
        40005: (18, 1, struct.pack("<Q", 99)), GPS_IFD: (4, 1, struct.pack("<I", 99)),
    }  # fmt: skip
    assert parse_tags(pack_exif(tags)) == {
        40001: (4, 2, struct.pack("<2I", 7, 8)), 40003: (9, 1, struct.pack("<i", -3)),
    }  # fmt: skip


def test_skipped_tags_are_left_out():
    assert MAKE not in parse_tags(pack_exif(TAGS), skipped={MAKE})


# Pages


@pytest.mark.parametrize("order", ["<", ">"])
@pytest.mark.parametrize("big", [False, True])
def test_directories_of_all_pages(order, big):
    file = io.BytesIO()
    with tifffile.TiffWriter(file, byteorder=order, bigtiff=big) as writer:
        for rows in (3, 4, 5):
            writer.write(np.zeros((rows, 7), np.uint8), metadata=None)
    data = file.getvalue()
    pages = [parse_tags(data, at=at) for at in directories(data)]
    assert [tag_numbers(tags, 257) for tags in pages] == [(3,), (4,), (5,)]
    assert parse_tags(data) == pages[0]


def test_a_chain_of_directories_that_bites_its_tail_ends():
    data = b"II*\0" + struct.pack("<IHI", 8, 0, 8)
    assert directories(data) == [8]
    assert directories(b"II*\0" + struct.pack("<IHIHI", 8, 0, 14, 0, 8)) == [8, 14]


def test_a_chain_that_leads_out_of_the_file_ends():
    assert directories(b"II*\0" + struct.pack("<IHI", 8, 0, 999)) == [8]
    assert directories(b"II*\0" + struct.pack("<I", 999)) == [999]


def test_no_more_pages_than_any_file_has():
    assert len(directories(BOMBS["many-pages.tif"]())) == MOST_PAGES + 1
    with pytest.raises(ValueError, match="more than 1000000 entries"):
        directories(BOMBS["overlapping-pages.tif"]())


@pytest.mark.parametrize("order", ["<", ">"])
@pytest.mark.parametrize("big", [False, True])
def test_short_numbers_of_a_directory(order, big):
    data = tiff(byteorder=order, bigtiff=big, resolution=(100, 200))
    at = directories(data)[0]
    assert short_numbers(data, at, (256, 257, 282, 999)) == {256: 7, 257: 5}


def test_a_satellites_tag_is_kept_among_those_of_raw_files():
    tags = {50844: (12, 1, bytes(8)), 50706: (1, 4, b"\1\4\0\0")}
    assert parse_tags(pack_exif(tags)).keys() == {50844}


# Adding to a file


@pytest.mark.parametrize("big", [False, True])
def test_tags_are_added_to_a_file(tmp_path, big):
    path = tmp_path / "a.tif"
    pixels = np.arange(35, dtype=np.uint16).reshape(5, 7)
    tifffile.imwrite(path, pixels, bigtiff=big, metadata=None, description="old")
    with path.open("r+b") as file:
        size = file.seek(0, 2)
        file.write(bytes(1 - size % 2))  # an odd size: directories begin at even offsets
        file.flush()
        add_tags(file, TAGS | {270: (2, 4, b"new\0")})
    assert directories(path.read_bytes()) == [size + 2 - size % 2]
    with tifffile.TiffFile(path) as file:
        assert len(file.pages) == 1
        tags = file.pages[0].tags
        assert (tags["Make"].value, tags["ImageDescription"].value) == ("Phase One", "new")
        assert tags["ExifTag"].value["ExposureTime"] == (1, 2)
        np.testing.assert_array_equal(file.asarray(), pixels)


# IPTC


@pytest.mark.parametrize("iptc", [b"\x1c\x02\x50\x00\x03Ada", b"\x1c\x02\x50\x00\x04Ada!"])
def test_iptc_comes_out_as_it_went_in(iptc):
    wrapped = wrap_iptc(iptc)
    assert wrapped.startswith(b"Photoshop 3.0\0")
    assert len(wrapped) % 2 == 0
    assert unwrap_iptc(wrapped) == iptc


def test_iptc_is_found_among_named_resources():
    other = b"8BIM\x03\xed\0\0" + struct.pack(">I", 2) + b"ab"
    named = b"8BIM\x04\x04\x04page\0" + struct.pack(">I", 3) + b"Ada\0"
    assert unwrap_iptc(b"Photoshop 3.0\0" + other + named + other) == b"Ada"


@pytest.mark.parametrize("resources", [None, b"", b"Photoshop 3.0\0", wrap_iptc(b"")])
def test_no_iptc(resources):
    assert unwrap_iptc(resources) is None


def test_values_begin_at_even_offsets():
    packed = pack_exif({MAKE: (2, 5, b"Make\0"), MAKE + 1: (2, 6, b"Model\0")})
    entries = [packed[10 + 12 * k + 8 : 10 + 12 * k + 12] for k in range(2)]
    assert [int.from_bytes(entry, "little") % 2 for entry in entries] == [0, 0]
