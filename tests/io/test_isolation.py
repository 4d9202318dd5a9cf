"""The decoder's own process: the same pictures, and an end to crashes and hangs."""

from __future__ import annotations

import os
import sys
from dataclasses import replace

import numpy as np
import pytest

from osmofuse.errors import UnreadableError
from osmofuse.io import Limits, isolation, read, write
from osmofuse.picture import Picture
from picture_files import full, noise


@pytest.mark.parametrize("dtype", ["uint8", "uint16", "int16", "float32", "float64"])
def test_the_child_gives_the_same_picture(tmp_path, dtype):
    picture = replace(full(noise((9, 11, 4), dtype), transparency=True), nodata=7.0)
    path = write(picture, tmp_path / "a.tif")
    here, there = read(path), read(path, isolated=True)
    np.testing.assert_array_equal(there.pixels, here.pixels)
    assert there.depth == dtype
    assert (there.profile, there.metadata) == (here.profile, here.metadata)
    assert (there.transparency, there.nodata) == (True, 7.0)


def test_a_picture_larger_than_a_pipe(tmp_path):
    path = write(noise((700, 900, 3), "uint16"), tmp_path / "a.png")
    np.testing.assert_array_equal(read(path, isolated=True).pixels, read(path).pixels)


def test_a_name_that_looks_like_an_option(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write(noise((4, 5), "uint8"), tmp_path / "-c.png")
    assert read("-c.png", isolated=True).shape == (4, 5)


def decoder(tmp_path, monkeypatch, program):
    """Put another program in the decoder's place."""
    script = tmp_path / "decoder.py"
    script.write_text(program)
    popen = isolation.subprocess.Popen

    def start(command, **options):
        return popen([sys.executable, str(script), *command[3:]], **options)

    monkeypatch.setattr(isolation.subprocess, "Popen", start)
    return write(noise((4, 5), "uint8"), tmp_path / "a.png")


@pytest.mark.parametrize(
    ("program", "message"),
    [
        ("import os; os.abort()", r"a\.png: made the decoder crash \(signal 6\)"),
        ("raise SystemExit(3)", r"a\.png: made the decoder crash \(exit code 3\)"),
        ("print('{}')", r"a\.png: made the decoder crash"),
        ("print('[1]')", r"a\.png: made the decoder crash"),
        ("print('no json')", r"a\.png: made the decoder crash"),
        (
            'print(\'{"shape": [4, 5], "depth": "|u1", "blobs": [null, null, null, null]}\')',
            r"a\.png: made the decoder crash",
        ),
        ('print(\'{"shape": [99999, 99999, 99999], "depth": "|u1"}\')', "decoder crash"),
        ('print(\'{"shape": [2], "depth": "|O", "blobs": []}\')', "decoder crash"),
        ("import time; time.sleep(60)", r"a\.png: not decoded within 0\.5 seconds"),
        ("while True: pass", r"a\.png: not decoded within 0\.5 seconds"),
    ],
)
def test_whatever_the_child_does_is_an_error_with_the_files_name(
    tmp_path, monkeypatch, program, message
):
    path = decoder(tmp_path, monkeypatch, program)
    hangs = "sleep" in program or "while" in program
    with pytest.raises(UnreadableError, match=message):
        read(path, limits=Limits(seconds=0.5 if hangs else 120), isolated=True)


LIMITED = """
import json, os, resource, sys
from osmofuse.io import Limits, decoder
decoder._limit_self(20, 3 * 2**30)
found = [resource.getrlimit(kind)[0] for kind in
         (resource.RLIMIT_AS, resource.RLIMIT_CPU, resource.RLIMIT_FSIZE, resource.RLIMIT_CORE)]
try:
    bytearray(4 * 2**30)
except MemoryError:
    found.append("no memory")
try:
    os.write(os.open(sys.argv[1], os.O_CREAT | os.O_WRONLY), b"x" * 10)
except OSError:
    found.append("no file")
decoder.main("a.png", Limits(pixels=1))
found.append(sorted({"numba", "scipy"} & set(sys.modules)))
print(json.dumps(found))
"""


@pytest.mark.skipif(os.name == "nt", reason="needs limits of POSIX")
def test_the_child_limits_itself_and_loads_no_kernels(tmp_path):
    import json
    import subprocess

    write(noise((4, 5), "uint8"), tmp_path / "a.png")
    done = subprocess.run(
        [sys.executable, "-c", LIMITED, str(tmp_path / "written")],
        capture_output=True, text=True, cwd=tmp_path, check=True,
    )  # fmt: skip
    answer, found = map(json.loads, done.stdout.splitlines())
    assert answer["error"] == "LimitError"
    assert found == [3 * 2**30, 21, 0, 0, "no memory", "no file", []]


def test_no_child_is_left(tmp_path, monkeypatch):
    children = []
    popen = isolation.subprocess.Popen

    def start(*arguments, **options):
        children.append(popen(*arguments, **options))
        return children[-1]

    monkeypatch.setattr(isolation.subprocess, "Popen", start)
    read(write(noise((4, 5), "uint8"), tmp_path / "a.png"), isolated=True)
    assert [child.poll() is not None for child in children] == [True]


def test_a_missing_file(tmp_path):
    with pytest.raises(UnreadableError, match=r"nowhere\.tif: no such file"):
        read(tmp_path / "nowhere.tif", isolated=True)


def test_a_picture_of_the_child_can_be_used_like_any_other(tmp_path):
    path = write(noise((4, 5), "uint8"), tmp_path / "a.png")
    assert isinstance(read(path, isolated=True), Picture)
