"""Files of a job, described and read: by role, at their pages, always the same bytes."""

from __future__ import annotations

import os
import shutil
from dataclasses import replace

import numpy as np
import pytest
import tifffile

import osmofuse
from osmofuse.errors import SettingError, UnreadableError
from osmofuse.io import describe
from osmofuse.jobs.files import (
    input_of,
    limits_for,
    look_at,
    look_at_pictures,
    notes_on,
    pages_of,
    read_pictures,
)
from osmofuse.record import sha256_of_file
from picture_files import noise


@pytest.fixture
def pages(tmp_path):
    path = tmp_path / "pages.tif"
    with tifffile.TiffWriter(path) as file:
        for rows in (24, 25, 26):
            file.write(noise((rows, 40), "uint16"), metadata=None)
    return path


def test_each_role_has_its_picture_also_where_two_have_one_file(pair):
    paths = {"one": pair["visible"], "map": pair["map"], "other": pair["visible"]}
    found = read_pictures(look_at_pictures(paths))
    assert list(found) == list(paths)
    for role, picture in found.items():
        np.testing.assert_array_equal(picture.pixels, osmofuse.read(paths[role]).pixels)


def test_a_large_picture_has_more_time_to_be_decoded(pair):
    file = describe(pair["visible"])
    assert 15 <= limits_for([file]).seconds < 20
    large = replace(file, decoded_bytes=6 * 10**9)
    assert limits_for([file, large]).seconds == 1215


@pytest.mark.parametrize(
    ("page", "expected"), [((), (1, 1, 1)), ((2,), (2, 2, 2)), ((3, 1, 2), (3, 1, 2))]
)
def test_a_page_for_all_or_one_for_each(pages, page, expected):
    assert tuple(pages_of("abc", page).values()) == expected
    found = read_pictures(look_at_pictures(dict.fromkeys("abc", pages), page))
    assert tuple(picture.shape[0] - 23 for picture in found.values()) == expected


@pytest.mark.parametrize("page", [(1, 2), (1, 2, 3, 4)])
def test_more_or_fewer_pages_than_pictures(page):
    with pytest.raises(SettingError, match=r"page: \d numbers for 3 pictures \(a, b, c\)"):
        pages_of("abc", page)


@pytest.mark.parametrize("page", [(0,), (-1,), (1.5,), ("2",), (True,)])
def test_what_is_no_page(page):
    with pytest.raises(SettingError, match=r"page: .*must be a whole number from 1"):
        pages_of("abc", page)


def test_several_pages_are_noted_unless_one_was_chosen(pages, pair):
    file = describe(pages)
    assert notes_on(file, ()) == ["has 3 pages, of which page 1 is read; --page N reads another"]
    assert notes_on(file, (1,)) == []
    assert notes_on(describe(pair["visible"]), ()) == []


def replaced(path):
    """Put another file in the place of one, of the same size and time of change."""
    other = path.with_name("other")
    shutil.copy2(path, other)
    os.replace(other, path)


def written_into(path):
    """Change a byte in the middle of a file, and set its time of change back."""
    before = path.stat()
    with path.open("r+b") as file:
        file.seek(before.st_size // 2)
        file.write(b"X")
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


CHANGES = [replaced, written_into, lambda path: path.write_bytes(b"short"), os.unlink]


@pytest.mark.parametrize("change", CHANGES)
def test_a_file_that_changed_after_the_first_look_is_not_read(pair, change):
    files = look_at_pictures({"one": pair["visible"]})
    change(pair["visible"])
    with pytest.raises(UnreadableError, match=r"visible\.tif: (has changed|no such file)"):
        read_pictures(files)


@pytest.mark.parametrize("change", CHANGES)
def test_a_file_that_changed_between_decoding_and_hashing_has_no_hash(pair, tmp_path, change):
    files = look_at_pictures({"one": pair["visible"]})
    read_pictures(files)
    change(pair["visible"])
    with pytest.raises(UnreadableError, match=r"visible\.tif: (has changed|no such file)"):
        input_of("one", files["one"], tmp_path)


def test_the_hash_is_that_of_the_file_and_documents_have_one_too(pair, tmp_path):
    text = tmp_path / "points.csv"
    text.write_text("1,2,3,4")
    found = input_of("points", look_at(text), tmp_path)
    assert (found.path, found.sha256, found.page) == ("points.csv", sha256_of_file(text), None)
    picture = look_at_pictures({"one": pair["visible"]})["one"]
    assert input_of("one", picture, tmp_path).page == 1
