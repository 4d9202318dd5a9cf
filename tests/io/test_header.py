"""Errors in headers name the file."""

from __future__ import annotations

import errno
import struct
from pathlib import Path

import pytest

from osmofuse.errors import InputError, LimitError, UnreadableError
from osmofuse.io import read, reading, write
from osmofuse.io.header import is_out_of_memory, named_errors
from picture_files import noise


@pytest.mark.parametrize(
    "error", [MemoryError(), OSError(errno.ENOMEM, "x"), ValueError("out of memory")]
)
def test_no_memory_is_a_limit(error):
    with (
        pytest.raises(LimitError, match=r"^a\.png: takes more memory"),
        named_errors(Path("a.png")),
    ):
        raise error


@pytest.mark.parametrize("error", [ValueError("odd"), OverflowError("odd"), struct.error("odd")])
def test_errors_of_parsers_mean_damage(tmp_path, error):
    path = write(noise((2, 2), "uint8"), tmp_path / "a.png")
    with (
        pytest.raises(UnreadableError, match=r"damaged or truncated PNG file \(odd\)"),
        named_errors(path),
    ):
        raise error


def test_own_errors_stay():
    with pytest.raises(InputError, match=r"^x$"), named_errors(Path("a.png")):
        raise InputError("x")


def test_messages_about_memory():
    assert is_out_of_memory("GLib: failed to allocate 8 bytes")
    assert not is_out_of_memory("memory card")


def test_too_little_memory_names_the_file(tmp_path, monkeypatch):
    def exhausted(_):
        raise MemoryError

    path = write(noise((5, 7), "uint8"), tmp_path / "a.tif")
    monkeypatch.setattr(reading, "pixels_of", exhausted)
    with pytest.raises(LimitError, match=r"a\.tif: takes more memory than there is"):
        read(path)
