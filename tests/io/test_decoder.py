"""Answers of the child process, and the limits that it sets itself."""

from __future__ import annotations

import os
from dataclasses import asdict

import pytest

from osmofuse.errors import LimitError
from osmofuse.io import Description, Limits, decoder, write
from picture_files import noise


@pytest.fixture
def limited(monkeypatch):
    """Return the limits that would have been set, in bytes and seconds."""
    memory, seconds = [], []
    monkeypatch.setattr(decoder, "_limit_memory", lambda *bytes_: memory.append(bytes_))
    monkeypatch.setattr(decoder, "_limit_time", seconds.append)
    return memory, seconds


def request(path, limits):
    path = os.fsencode(path).hex()
    return {"path": path, "page": 1, "seconds": 9, "limits": limits and asdict(limits)}


def test_memory_follows_the_file_and_its_decoded_size(tmp_path, limited):
    path = write(noise((50, 70, 3), "uint16"), tmp_path / "a.tif")
    picture = decoder.answer(request(path, Limits()))
    mapped, decoded, header = 2 * path.stat().st_size, 50 * 70 * 6, decoder._HEADER_BYTES
    assert picture.shape == (50, 70)
    assert limited == ([(header, mapped), (header + 3 * decoded + mapped, mapped)], [9])


def test_a_description_needs_no_memory_for_pixels(tmp_path, limited):
    path = write(noise((5, 7), "uint8"), tmp_path / "a.png")
    assert isinstance(decoder.answer(request(path, None)), Description)
    assert len(limited[0]) == 1


def test_limits_hold_before_memory_is_granted(tmp_path, limited):
    path = write(noise((5, 7), "uint8"), tmp_path / "a.png")
    assert isinstance(decoder.answer(request(path, Limits(pixels=34))), LimitError)
    assert len(limited[0]) == 1


@pytest.mark.skipif(os.name == "nt", reason="needs POSIX: limits of time")
def test_time_counts_from_now(monkeypatch):
    limits = []
    monkeypatch.setattr(decoder, "_set_soft", lambda kind, most: limits.append(most))
    monkeypatch.setattr(decoder.time, "process_time", lambda: 100.5)
    decoder._limit_time(9)
    assert limits == [111]
