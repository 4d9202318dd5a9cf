"""Formats are known by their first bytes; other files are refused."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from osmofuse.errors import UnreadableError
from osmofuse.io import read
from osmofuse.io.formats import JPEG, JPEG2000, PNG, TIFF, WEBP, format_of_name, sniff


@pytest.mark.parametrize(
    ("start", "kind"),
    [
        (b"\x89PNG\r\n\x1a\n", PNG), (b"\xff\xd8\xff", JPEG), (b"MM\0+", TIFF), (b"II*\0", TIFF),
        (b"RIFF1234WEBP", WEBP), (b"\xff\x4f\xff\x51", JPEG2000),
    ],
)  # fmt: skip
def test_the_first_bytes_decide(tmp_path, start, kind):
    (tmp_path / "a.txt").write_bytes(start + bytes(16))
    assert sniff(tmp_path / "a.txt") is kind


@pytest.mark.parametrize("start", [b"RIFF1234WAVE", b"WEBP1234WEBP", b"II+", b"PNG\r\n"])
def test_other_files_are_refused(tmp_path, start):
    (tmp_path / "a.webp").write_bytes(start)
    with pytest.raises(UnreadableError, match="not a PNG, TIFF, JPEG or WebP"):
        sniff(tmp_path / "a.webp")


def test_raw_files_of_makers_are_named(tmp_path):
    (tmp_path / "a.raf").write_bytes(b"FUJIFILMCCD-RAW 0201")
    with pytest.raises(UnreadableError, match="a raw file of Fujifilm; export a TIFF"):
        sniff(tmp_path / "a.raf")


@pytest.mark.parametrize(("name", "kind"), [("a.TIF", TIFF), ("a.j2k", JPEG2000), ("a", None)])
def test_formats_of_names(name, kind):
    assert format_of_name(Path(name)) is kind


def test_missing_file(tmp_path):
    with pytest.raises(UnreadableError, match=r"nowhere\.tif: no such file"):
        read(tmp_path / "nowhere.tif")


@pytest.mark.parametrize("content", [b"hello, world", b"<svg xmlns='x'/>", b"GIF89a......"])
def test_no_picture(tmp_path, content):
    (tmp_path / "a.png").write_bytes(content)
    with pytest.raises(UnreadableError, match=r"a\.png: not a PNG, TIFF, JPEG or WebP"):
        read(tmp_path / "a.png")


def test_an_empty_file(tmp_path):
    (tmp_path / "a.png").touch()
    with pytest.raises(UnreadableError, match=r"a\.png: is empty"):
        read(tmp_path / "a.png")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs POSIX: named pipes")
def test_a_pipe_is_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "a.tif")
    with pytest.raises(UnreadableError, match=r"a\.tif: not a regular file"):
        read(tmp_path / "a.tif")


def test_a_folder_is_no_picture(tmp_path):
    with pytest.raises(UnreadableError, match=str(tmp_path)):
        read(tmp_path)
