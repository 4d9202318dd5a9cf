"""The decoder's own process: the same pictures, and an end to crashes and hangs."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from osmofuse.errors import LimitError, UnreadableError
from osmofuse.io import Limits, isolation, read, read_isolated, write
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
decoder.main(["a.png"], Limits(pixels=1))
found.append(sorted({"numba", "scipy"} & set(sys.modules)))
print(json.dumps(found))
"""


@pytest.mark.skipif(os.name == "nt", reason="needs POSIX: limits")
def test_the_child_limits_itself_and_loads_no_kernels(tmp_path):
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


def test_one_child_reads_many_files(tmp_path, monkeypatch):
    paths = [write(noise((40, 30, 3), "uint16"), tmp_path / f"{k}.tif") for k in range(3)]
    monkeypatch.setattr(isolation.subprocess, "Popen", counted := Counted())
    for path, there in zip(paths, read_isolated(paths, Limits()), strict=True):
        np.testing.assert_array_equal(there.pixels, read(path).pixels)
    assert counted.children == 1


class Counted:
    """Count the processes that are started."""

    def __init__(self):
        self.children, self.start = 0, subprocess.Popen

    def __call__(self, *arguments, **options):
        self.children += 1
        return self.start(*arguments, **options)


def test_of_many_files_the_one_at_fault_is_named(tmp_path):
    paths = [write(noise((4, 5), "uint8"), tmp_path / f"{k}.png") for k in range(3)]
    paths[1].write_bytes(paths[1].read_bytes()[:60])
    with pytest.raises(UnreadableError, match=r"1\.png: damaged or truncated PNG"):
        read_isolated(paths, Limits())


SCARCE = """
import json, resource, sys
from osmofuse.io import Limits, decoder, read
from osmofuse.io.libvips import vips
vips()
def limit(seconds, memory):
    size = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (size + 10**7, resource.RLIM_INFINITY))
decoder._limit_self = limit
decoder.main([sys.argv[2]], Limits(**json.loads(sys.argv[1])))
"""


@pytest.mark.skipif(
    not sys.platform.startswith("linux"), reason="needs Linux: its account of memory"
)
@pytest.mark.parametrize("suffix", ["png", "tif", "jpg", "webp"])
def test_too_little_memory_is_a_limit_and_not_a_damaged_file(tmp_path, monkeypatch, suffix):
    decoder(tmp_path, monkeypatch, SCARCE)
    path = write(np.zeros((3000, 3000, 3), np.uint8), tmp_path / f"large.{suffix}")
    with pytest.raises(LimitError, match=rf"large\.{suffix}: .*more memory than"):
        read(path, isolated=True)


@pytest.mark.parametrize(
    "words", ["GLib-ERROR **: failed to allocate 9 bytes", "vips: out of memory", "MemoryError"]
)
def test_a_child_that_dies_for_memory_is_over_a_limit(tmp_path, monkeypatch, words):
    path = decoder(tmp_path, monkeypatch, f"import sys, os; os.write(2, {words!r}.encode())")
    with pytest.raises(LimitError, match=r"a\.png: decoding it takes more memory"):
        read(path, isolated=True)


ORPHAN = """
import signal, subprocess, sys, time
signal.signal(signal.SIGINT, signal.default_int_handler)  # background jobs of a shell ignore it
from osmofuse.io import Limits, isolation
popen = subprocess.Popen
def start(command, **options):
    program = "from osmofuse.io.decoder import end_with_parent; import time;" \
              "end_with_parent(); time.sleep(100)"
    child = popen([sys.executable, "-c", program], **options)
    print(child.pid, flush=True)
    return child
isolation.subprocess.Popen = start
isolation.read_isolated(["a.png"], Limits())
"""


@pytest.mark.skipif(os.name == "nt", reason="needs POSIX: process numbers")
@pytest.mark.parametrize("kind", [signal.SIGKILL, signal.SIGINT])
def test_the_child_ends_with_its_parent(kind):
    parent = subprocess.Popen(
        [sys.executable, "-c", ORPHAN], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    )
    with parent:
        child = int(parent.stdout.readline())
        time.sleep(0.3)
        os.kill(child, 0)
        parent.send_signal(kind)
        parent.wait(timeout=30)
    end = time.monotonic() + 30
    while is_running(child) and time.monotonic() < end:
        time.sleep(0.02)
    assert not is_running(child)


def is_running(process):
    """Tell whether a process is there, and not only its entry that nobody has asked for yet."""
    try:
        os.kill(process, 0)
        stat = Path(f"/proc/{process}/stat")
        return not stat.exists() or stat.read_text().rpartition(")")[2].split()[0] != "Z"
    except (ProcessLookupError, FileNotFoundError):
        return False


def test_a_missing_file(tmp_path):
    with pytest.raises(UnreadableError, match=r"nowhere\.tif: no such file"):
        read(tmp_path / "nowhere.tif", isolated=True)


def test_a_picture_of_the_child_can_be_used_like_any_other(tmp_path):
    path = write(noise((4, 5), "uint8"), tmp_path / "a.png")
    assert isinstance(read(path, isolated=True), Picture)
