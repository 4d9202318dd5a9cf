"""Text files of strangers: read within limits, from regular files only."""

from __future__ import annotations

import os
import socket

import pytest

from osmofuse.documents import (
    DEEPEST,
    MOST_DOCUMENT_BYTES,
    json_of,
    read_document,
    text_of,
    toml_of,
)
from osmofuse.errors import UnreadableError


def test_a_file_up_to_the_limit_is_read(tmp_path):
    path = tmp_path / "a"
    path.write_bytes(b"x" * 10)
    assert read_document(path, most=10) == b"x" * 10
    with pytest.raises(UnreadableError, match="larger than 9 bytes"):
        read_document(path, most=9)


def test_a_hole_of_a_terabyte_takes_no_memory(tmp_path):
    path = tmp_path / "large"
    with path.open("wb") as file:
        file.truncate(10**12)
    with pytest.raises(UnreadableError, match=f"larger than {MOST_DOCUMENT_BYTES:,} bytes"):
        read_document(path)


@pytest.mark.skipif(os.name == "nt", reason="needs POSIX")
def test_only_regular_files_are_opened(tmp_path, monkeypatch):
    os.mkfifo(tmp_path / "pipe")
    with socket.socket(socket.AF_UNIX) as server:
        monkeypatch.chdir(tmp_path)  # the path of a socket must be short
        server.bind("socket")
        for name, kind in (("pipe", "a pipe"), ("socket", "a socket"), (".", "a directory")):
            with pytest.raises(UnreadableError) as refused:
                read_document(tmp_path / name)
            assert str(refused.value) == f"{tmp_path / name}: {kind}, not a file"
    for name in ("/dev/zero", "/dev/null"):
        with pytest.raises(UnreadableError, match=f"^{name}: a device, not a file"):
            read_document(name)


@pytest.mark.parametrize("name", ["none", "a\0b", "\udc00\ud800", "n" * 5000])
def test_names_of_no_file(tmp_path, name):
    with pytest.raises(UnreadableError):
        read_document(tmp_path / name)


WRONG = {
    "no JSON": (b"{", "property name"),
    "no text": (b'"\xff"', "utf-8"),
    "not a number": (b"[NaN]", "NaN is not a JSON number"),
    "infinity": (b"[-Infinity]", "-Infinity is not a JSON number"),
    "too large a number": (b"[1e999]", "1e999 is beyond"),
    "too many digits": (b"[" + b"7" * 5000 + b"]", "5000 digits|4300 digits"),
    "digits that no float holds": (b"[" + b"7" * 400 + b"]", "400 digits|bits"),
    "twice": (b'{"a": 1, "b": 2, "a": 1}', "'a' appears twice|overwrite a value"),
    "half a character": (b'["\\ud800"]', "surrogates"),
    "a name that is half a character": (b'{"\\udfff": 1}', "surrogates"),
    "deep": (b"[" * (DEEPEST + 1) + b"]" * (DEEPEST + 1), "deeper than 64"),
    "deep objects": (b'{"a":' * 5000 + b"1" + b"}" * 5000, "deeper than 64"),
    "deeper than the stack": (b"[" * 100_000, "deeper than 64"),
    "many values": (b"[" + b"1," * 1_000_001 + b"1]", "more than 1,000,000 values"),
}


@pytest.mark.parametrize(("content", "match"), WRONG.values(), ids=WRONG)
def test_what_is_no_sound_json_is_a_value_error(content, match):
    with pytest.raises(ValueError, match=match):
        json_of(text_of(content))


def test_sound_json():
    depth = DEEPEST - 1
    nested = json_of("[" * depth + "1" + "]" * depth)
    for _ in range(depth):
        (nested,) = nested
    assert nested == 1
    assert json_of('{"a": [1, 2.5, null, "é"]}') == {"a": [1, 2.5, None, "é"]}


WRONG_TOML = {
    "no TOML": (b"a = ", "Invalid value"),
    "twice": (b"a = 1\na = 2", "'a' appears twice|overwrite a value"),
    "too large a number": (b"a = 1e999", "1e999 is beyond"),
    "too many digits": (b"a = " + b"7" * 5000, "5000 digits|4300 digits"),
    "digits that no float holds": (b"a = " + b"7" * 400, "400 digits|bits"),
    "deep": (b"a = " + b"[" * 5000 + b"]" * 5000, "deeper than 64"),
    "deep tables": (b"a = " + b"{b = " * 5000 + b"1" + b"}" * 5000, "deeper than 64"),
    "a long name": (b"a" + b".a" * 900 + b" = 1", "deeper than 64"),
    "a very long name": (b"a" + b".a" * 30_000 + b" = 1", "more than 1000 parts"),
    "a long table": (b"[a" + b".a" * 900 + b"]", "deeper than 64"),
    "a little too deep": (b"a = " + b"[" * DEEPEST + b"]" * DEEPEST, "deeper than 64"),
}


@pytest.mark.parametrize(("content", "match"), WRONG_TOML.values(), ids=WRONG_TOML)
def test_what_is_no_sound_toml_is_a_value_error(content, match):
    with pytest.raises(ValueError, match=match):
        toml_of(text_of(content))


def test_sound_toml():
    assert toml_of("a = inf\n[b]\nc = [1]") == {"a": float("inf"), "b": {"c": [1]}}


def test_a_mark_at_the_beginning_is_no_text():
    assert text_of(b"\xef\xbb\xbfa") == "a"
