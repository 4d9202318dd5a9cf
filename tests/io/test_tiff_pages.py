"""Directories of TIFF: pages are counted from 1, levels are halves, raw files are told apart."""

from __future__ import annotations

import numpy as np
import pytest
import tifffile

from osmofuse.errors import MissingExtraError, SettingError, UnreadableError
from osmofuse.io import describe, read
from picture_files import noise
from raw_files import dng


@pytest.fixture
def pages(tmp_path):
    """Return a file of three pages of different sizes, with a thumbnail behind the first."""
    path = tmp_path / "pages.tif"
    with tifffile.TiffWriter(path) as file:
        for rows in (24, 25, 26):
            file.write(noise((rows, 40), "uint16"), metadata=None)
            if rows == 24:
                file.write(noise((5, 7), "uint16"), subfiletype=1, metadata=None)
    return path


@pytest.mark.parametrize("page", [1, 2, 3])
def test_pages_count_from_one_without_thumbnails(pages, page):
    for isolated in (False, True):
        picture = read(pages, page=page, isolated=isolated)
        np.testing.assert_array_equal(picture.pixels, noise((23 + page, 40), "uint16"))
    found = describe(pages, page=page)
    assert (found.page, found.pages, found.levels, found.rows) == (page, 3, 1, 23 + page)


@pytest.mark.parametrize("page", [0, -1, 4, 10**12])
def test_a_page_that_is_not_there(pages, page):
    for isolated in (False, True):
        with pytest.raises(SettingError, match=r"page: -?\d+; "):
            read(pages, page=page, isolated=isolated)


def test_pages_of_doubles(tmp_path):
    with tifffile.TiffWriter(tmp_path / "a.tif") as file:
        for rows in (24, 25):
            file.write(noise((rows, 40), "float64"), metadata=None)
    np.testing.assert_array_equal(
        read(tmp_path / "a.tif", page=2).pixels, noise((25, 40), "float64")
    )


@pytest.mark.parametrize(
    ("mark", "pages"),
    [({"subfiletype": 4}, 1), ({"subfiletype": 2}, 2)]
    + [({"extratags": [(255, "H", 1, kind, True)]}, 2 - (kind == 2)) for kind in (1, 2, 3)],
)
def test_masks_and_reduced_versions_are_no_pages(tmp_path, mark, pages):
    with tifffile.TiffWriter(tmp_path / "a.tif") as file:
        file.write(noise((24, 40), "uint8"), metadata=None)
        file.write(noise((24, 40), "uint8") > 99, metadata=None, **mark)
    assert describe(tmp_path / "a.tif").pages == pages


def test_a_sub_directory_of_the_same_size_hides_nothing(tmp_path):
    with tifffile.TiffWriter(tmp_path / "a.tif") as file:
        file.write(noise((24, 40), "uint8"), subifds=1, metadata=None)
        file.write(noise((24, 40), "uint8"), metadata=None)
    assert describe(tmp_path / "a.tif").rows == 24


@pytest.mark.parametrize(("factor", "levels"), [(2, 2), (3, 2), (4, 2), (5, 1)])
def test_a_level_is_a_half_to_a_quarter(tmp_path, factor, levels):
    with tifffile.TiffWriter(tmp_path / "a.tif") as file:
        file.write(noise((61, 125), "uint8"), metadata=None)
        size = (61 // factor, 125 // factor)
        file.write(noise(size, "uint8"), subfiletype=1, metadata=None)
    assert describe(tmp_path / "a.tif").levels == levels


def test_the_second_page_has_its_own_levels(tmp_path):
    with tifffile.TiffWriter(tmp_path / "a.tif") as file:
        file.write(noise((24, 40), "uint8"), metadata=None)
        file.write(noise((64, 96), "uint8"), metadata=None)
        file.write(noise((32, 48), "uint8"), subfiletype=1, metadata=None)
    assert describe(tmp_path / "a.tif").levels == 1
    assert describe(tmp_path / "a.tif", page=2).levels == 2


@pytest.mark.parametrize(
    ("sizes", "levels"),
    [
        ([(32, 48), (16, 24), (8, 12)], 4),
        ([(16, 24), (4, 6)], 3),  # each a quarter, as slide scanners store them
        ([(33, 49)], 1),
        ([(4, 6)], 1),  # a thumbnail
        ([(32, 47)], 1),
        ([(64, 96)], 1),
        ([(128, 192)], 1),
    ],
)
def test_only_what_has_the_size_of_a_level_counts(tmp_path, sizes, levels):
    with tifffile.TiffWriter(tmp_path / "a.tif") as file:
        file.write(noise((64, 96), "uint8"), subifds=len(sizes), metadata=None)
        for size in sizes:
            file.write(noise(size, "uint8"), subfiletype=1, metadata=None)
    assert describe(tmp_path / "a.tif").levels == levels


@pytest.mark.parametrize("shape", [(1763, 1328), (101, 7)])
@pytest.mark.parametrize("up", [False, True])
def test_levels_may_be_rounded_up_or_down(tmp_path, shape, up):
    def half(size):
        return tuple((n + up) // 2 for n in size)

    with tifffile.TiffWriter(tmp_path / "a.tif") as file:
        file.write(noise(shape, "uint8"), subifds=2, metadata=None)
        for size in (half(shape), half(half(shape))):
            file.write(noise(size, "uint8"), subfiletype=1, metadata=None)
    assert describe(tmp_path / "a.tif").levels == 3


@pytest.mark.parametrize("flag", [0, 1])  # not all programs say that it is a thumbnail
def test_a_full_picture_below_a_thumbnail_is_not_overlooked(tmp_path, flag):
    with tifffile.TiffWriter(tmp_path / "a.tif") as file:
        file.write(noise((12, 16, 3), "uint8"), subfiletype=flag, subifds=1, metadata=None)
        file.write(noise((96, 128, 3), "uint8"), metadata=None)
    with pytest.raises(UnreadableError, match="thumbnail, and the full picture of 128 × 96 pixels"):
        read(tmp_path / "a.tif")


def test_a_larger_picture_below_a_page_is_not_overlooked(tmp_path):
    with tifffile.TiffWriter(tmp_path / "a.tif") as file:
        file.write(noise((96, 12), "uint8"), subifds=2, metadata=None)
        file.write(noise((90, 128), "uint8"), metadata=None)
        file.write(noise((97, 2), "uint8"), metadata=None)
    with pytest.raises(UnreadableError, match="the full picture of 128 × 90 pixels"):
        read(tmp_path / "a.tif")


@pytest.mark.parametrize("thumbnail", [False, True])
def test_a_raw_file_is_never_taken_for_its_thumbnail(tmp_path, monkeypatch, thumbnail):
    path = dng(tmp_path / "a.dng", thumbnail=thumbnail)
    monkeypatch.setitem(__import__("sys").modules, "rawpy", None)
    for ask in (describe, read):
        with pytest.raises(MissingExtraError, match=r"must be developed first; .*osmofuse\[raw\]"):
            ask(path)


def test_raw_files_of_makers_are_named(tmp_path):
    for start, maker in ((b"FUJIFILMCCD-RAW 0201", "Fujifilm"), (b"IIU\0" + bytes(9), "Panasonic")):
        (tmp_path / "a.raw").write_bytes(start + bytes(100))
        with pytest.raises(UnreadableError, match=f"a raw file of {maker}; export a TIFF"):
            read(tmp_path / "a.raw")


def test_layers_of_photoshop_are_no_damage(tmp_path):
    layers = [(37724, "B", 60 * 2**20, bytes(60 * 2**20), True)]
    pixels = noise((30, 40, 3), "uint16")
    tifffile.imwrite(tmp_path / "a.tif", pixels, extratags=layers, metadata=None)
    for isolated in (False, True):
        np.testing.assert_array_equal(read(tmp_path / "a.tif", isolated=isolated).pixels, pixels)


@pytest.mark.parametrize("compression", [None, "zstd"])
def test_a_stack_of_imagej_in_one_page_is_noted(tmp_path, compression):
    words = "ImageJ=1.54f\nimages=7\nslices=7\n"
    for name, more in (("one.tif", 1), ("seven.tif", 7)):
        with tifffile.TiffWriter(tmp_path / name) as file:
            for _ in range(more):
                file.write(noise((20, 31), "uint16"), description=words, metadata=None,
                           compression=compression)  # fmt: skip
    note = "a stack of ImageJ with 7 pictures, of which the first is read"
    assert describe(tmp_path / "one.tif").note == note
    assert describe(tmp_path / "seven.tif").note is None
