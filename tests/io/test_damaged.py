"""Damaged and wrongly declared files: an error that names the file, or a picture; never a crash."""

from __future__ import annotations

import re
from contextlib import suppress

import pytest

from damage import damaged_files, read_in_one_process, whole_files
from osmofuse.errors import LimitError, UnreadableError
from osmofuse.io import Limits, describe, read

MEMORY = 2 * 2**30


def test_the_files_are_whole_before_they_are_damaged(tmp_path):
    for name, data in whole_files().items():
        (tmp_path / name).write_bytes(data)
        assert read(tmp_path / name).shape == (48, 64)


def test_damaged_files_are_read_or_refused_by_name(tmp_path):
    paths = damaged_files(tmp_path, 100, seed=1)
    answers = read_in_one_process(paths, MEMORY)
    assert [answer["path"] for answer in answers] == list(map(str, paths))
    refused = [answer for answer in answers if answer["message"]]
    assert all(answer["message"].startswith(answer["path"]) for answer in refused)
    assert {answer["outcome"] for answer in refused} == {"UnreadableError", "LimitError"}
    assert len(refused) >= 40


def test_describing_them_raises_nothing_else(tmp_path):
    for path in damaged_files(tmp_path, 100, seed=2):
        with suppress(UnreadableError):
            assert describe(path).decoded_bytes > 0


def test_isolated_reading_gives_the_same_answers(tmp_path):
    limits = Limits(pixels=4_000_000, bytes=64 * 2**20)
    for path in damaged_files(tmp_path, 88, seed=3)[::11]:
        alone, here = (outcome(path, limits, isolated) for isolated in (True, False))
        assert alone == here


def outcome(path, limits, isolated):
    try:
        return read(path, limits=limits, isolated=isolated).pixels.tobytes()
    except (LimitError, UnreadableError) as error:
        # What libvips adds in brackets depends on which of its threads is first to see the fault.
        return type(error), re.sub(r" \(.*\)", "", str(error))


@pytest.mark.parametrize("name", ["deep.png", "plain.jpg", "strips-uint16.tif", "lossy.webp"])
def test_a_file_of_zeros_behind_its_signature(tmp_path, name):
    start = whole_files()[name][:16]
    (tmp_path / name).write_bytes(start + bytes(10_000))
    with pytest.raises(UnreadableError, match=name):
        read(tmp_path / name)
