"""The record: what is written is read again, and what is damaged is said to be."""

from __future__ import annotations

import hashlib
import json
import math
import os

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import osmofuse
from osmofuse.errors import OutputError, UnreadableError
from osmofuse.record import (
    read_record,
    record_path,
    sha256_of_file,
    sha256_of_pixels,
    write_record,
)
from pairs import a_record

KEYS = [
    "format", "job", "inputs", "alpha", "transform", "method", "working_space", "tiling", "plan",
    "result", "output", "versions",
]  # fmt: skip


def test_round_trip(tmp_path):
    record = a_record(result={"status": "reached", "energy": [1.5], "reach": -math.inf})
    path = write_record(record, tmp_path / "fused.tif.json")
    assert read_record(path) == record
    assert [child.name for child in tmp_path.iterdir()] == ["fused.tif.json"]


def test_the_file_has_the_keys_of_the_format_in_their_order(tmp_path):
    path = write_record(a_record(), tmp_path / "r.json")
    parts = json.loads(path.read_text(encoding="utf-8"), parse_constant=pytest.fail)
    assert list(parts) == KEYS
    assert parts["format"] == 1
    assert parts["method"]["settings"] == {"gamma": "inf", "reach": None}
    assert parts["result"]["energy"] == [1.5, "nan"]
    assert parts["versions"]["osmofuse"] == osmofuse.__version__
    assert parts["inputs"][0] == {
        "role": "foreground", "path": "in/visible.tif", "sha256": "a" * 64,
        "notes": ["named .png, but a TIFF"],
    }  # fmt: skip


def test_a_path_called_inf_stays_a_path(tmp_path):
    record = read_record(write_record(a_record(), tmp_path / "r.json"))
    assert record.input("background").path == "inf"
    assert record.method["settings"]["gamma"] == math.inf
    assert record.input("alpha") is None


def test_arrays_and_numpy_numbers_are_written_as_numbers(tmp_path):
    result = {"energy": np.array([1.0, np.inf]), "clipped": np.int64(2), "reach": np.float32(0.5)}
    record = read_record(write_record(a_record(result=result), tmp_path / "r.json"))
    assert record.result == {"energy": [1.0, math.inf], "clipped": 2, "reach": 0.5}


NUMBERS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text("abcé")


@given(settings=st.dictionaries(st.text("abc", min_size=1), NUMBERS | st.lists(NUMBERS)))
def test_any_settings_come_back(tmp_path_factory, settings):
    record = a_record(method={"name": "m", "settings": settings})
    path = write_record(record, tmp_path_factory.mktemp("r") / "r.json")
    assert read_record(path).method == record.method


def test_the_record_lies_beside_its_output(tmp_path):
    assert record_path(tmp_path / "fused.tif") == tmp_path / "fused.tif.json"


def damaged(**changes):
    parts = a_record().as_json() | changes
    return json.dumps({name: part for name, part in parts.items() if part is not ...})


@pytest.mark.parametrize(
    ("text", "match"),
    [
        ("", "damaged record"),
        ("{", "damaged record"),
        ("[" * 100_000, "damaged record"),
        ("[1]", "states no format"),
        ('{"title": "x"}', "states no format"),
        (damaged(format=2), "format 2.*use the version that wrote it"),
        (damaged(format="1"), "format '1'"),
        (damaged(plan=...), "plan: missing"),
        (damaged(method={"name": "direct"}), r"method\.settings: missing"),
        (damaged(method=3), "method: 3; must be an object"),
        (damaged(recipe="text"), "recipe: 'text'; must be an object"),
        (damaged(inputs=[{"role": "foreground", "path": "x"}]), r"inputs\[0\]\.sha256: missing"),
        (
            damaged(inputs=[{"role": "foreground", "path": 1, "sha256": ""}]),
            r"inputs\[0\]\.path: 1; must be text",
        ),
        (damaged(inputs=7), "inputs: 7; must be a list"),
    ],
)
def test_damaged_records_are_unreadable(tmp_path, text, match):
    path = tmp_path / "r.json"
    path.write_text(text)
    with pytest.raises(UnreadableError, match=match) as error:
        read_record(path)
    assert str(path) in str(error.value)


def test_every_cut_of_a_record_is_unreadable(tmp_path):
    whole = write_record(a_record(), tmp_path / "r.json").read_bytes()
    for length in range(0, len(whole) - 2, 7):
        (tmp_path / "r.json").write_bytes(whole[:length])
        with pytest.raises(UnreadableError):
            read_record(tmp_path / "r.json")


def test_bytes_and_folders_are_unreadable(tmp_path):
    (tmp_path / "r.json").write_bytes(b"\xff\xfe\0\1")
    for path, match in ((tmp_path / "r.json", "damaged"), (tmp_path, "directory")):
        with pytest.raises(UnreadableError, match=match):
            read_record(path)
    with pytest.raises(UnreadableError, match="no such file"):
        read_record(tmp_path / "none.json")


def test_a_failed_write_leaves_the_old_record_and_no_debris(tmp_path, monkeypatch):
    path = write_record(a_record(), tmp_path / "r.json")
    before = path.read_bytes()

    def full(_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OutputError, match="No space left"):
        write_record(a_record(plan=None), path)
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


def test_hashes_of_files_are_of_their_bytes(tmp_path):
    (tmp_path / "x").write_bytes(b"abc")
    assert sha256_of_file(tmp_path / "x") == hashlib.sha256(b"abc").hexdigest()
    with pytest.raises(UnreadableError, match="no such file"):
        sha256_of_file(tmp_path / "y")
    with pytest.raises(UnreadableError, match="directory"):
        sha256_of_file(tmp_path)


@pytest.mark.parametrize("depth", ["u1", "<u2", ">u2", "<f4", ">f8"])
def test_hashes_of_pixels_do_not_depend_on_how_memory_holds_them(depth):
    pixels = np.arange(24).reshape(2, 4, 3).astype(depth)
    expected = hashlib.sha256(pixels.astype(pixels.dtype.newbyteorder("<")).tobytes()).hexdigest()
    assert sha256_of_pixels(pixels) == expected
    assert sha256_of_pixels(np.asfortranarray(pixels)) == expected
    assert sha256_of_pixels(np.repeat(pixels, 2, axis=1)[:, ::2]) == expected
    assert sha256_of_pixels(pixels + pixels.dtype.type(1)) != expected
