"""The decoder's own process: the same pictures, and an end to crashes and hangs."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import tifffile

from osmofuse.errors import LimitError, SettingError, UnreadableError
from osmofuse.io import (
    Limits,
    decoder,
    describe,
    describe_isolated,
    isolation,
    read,
    read_isolated,
    start_decoder,
    write,
)
from osmofuse.picture import Picture
from osmofuse.processes import python_command
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


def test_messages_have_the_name_that_was_given(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.png").write_bytes(b"\x89PNG\r\n\x1a\n")
    for given in ("a.png", Path("..") / tmp_path.name / "a.png"):
        with pytest.raises(UnreadableError, match=rf"^{re.escape(str(given))}: damaged"):
            describe_isolated(given)


@pytest.fixture
def fresh(monkeypatch):
    """Return a decoder of this test alone, which has not started yet."""
    decoder = isolation._Decoder()
    monkeypatch.setattr(isolation, "_decoder", decoder)
    yield decoder
    decoder.end()


@pytest.fixture
def broken(fresh, tmp_path, monkeypatch):
    """Return a function that puts another program in the decoder's place."""

    def replaced(program):
        ready = "import sys; print('ready', flush=True); sys.stdin.readline()\n"
        monkeypatch.setattr(isolation, "_PROGRAM", ready + program)
        return write(noise((4, 5), "uint8"), tmp_path / "a.png")

    return replaced


# A whole picture of 4 x 5 pixels, with bytes behind it.
PICTURE = """print('{"shape": [4, 5], "depth": "|u1", "blobs": [null, null, null, null], '
'"transparency": false, "nodata": null, "lossy": false, "resolution": null}')
print("p" * 99)"""


def test_an_answer_of_a_picture_is_taken(broken):
    path = broken(PICTURE)
    assert (read(path, isolated=True, limits=Limits(bytes=20)).pixels == ord("p")).all()
    isolation._decoder.end()
    with pytest.raises(UnreadableError, match="decoder crash"):
        read(path, isolated=True, limits=Limits(bytes=19))


def test_the_child_of_another_process_is_not_used(fresh):
    first = fresh.start()
    assert fresh.start() is first
    fresh._owner += 1  # as after a fork
    assert fresh.start() is not first
    first.communicate()


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
        # Not "not decoded within": a length of -1 must not read until the child ends.
        (
            PICTURE.replace("null,", "-1,", 1)
            + "\nsys.stdout.flush(); import time; time.sleep(60)",
            "decoder crash",
        ),
        (PICTURE.replace("null,", "99999999999,", 1), "decoder crash"),
        ("import time; time.sleep(60)", r"a\.png: not decoded within 0\.5 seconds"),
        ("while True: pass", r"a\.png: not decoded within 0\.5 seconds"),
    ],
)
def test_whatever_the_child_does_is_an_error_with_the_files_name(broken, program, message):
    path = broken(program)
    hangs = "sleep" in program or "while" in program
    with pytest.raises(UnreadableError, match=message):
        read(path, limits=Limits(seconds=0.5 if hangs else 120), isolated=True)


@pytest.mark.parametrize("program", ["import os; os.abort()", "print('{}')", "print('[1]')"])
def test_describing_fails_in_the_same_way(broken, program):
    path = broken(program)
    with pytest.raises(UnreadableError, match=r"a\.png: made the decoder crash"):
        describe_isolated(path)


def test_a_child_that_does_not_start(fresh, monkeypatch, tmp_path):
    path = write(noise((4, 5), "uint8"), tmp_path / "a.png")
    for program, why in (("raise SystemExit(4)", "exit code 4"), ("import nil", "ModuleNotFound")):
        monkeypatch.setattr(isolation, "_PROGRAM", program)
        with pytest.raises(UnreadableError, match=rf"a\.png: .* did not start \({why}"):
            describe_isolated(path)


def test_no_process_to_be_had_is_a_limit(fresh, monkeypatch):
    monkeypatch.setattr(sys, "executable", "/none/python")
    with pytest.raises(LimitError, match=r"cannot be started \(No such file"):
        start_decoder()


def test_after_a_failure_the_next_child_takes_over(broken, monkeypatch):
    path = broken("import os; os.abort()")
    with pytest.raises(UnreadableError, match="signal 6"):
        read(path, isolated=True)
    monkeypatch.undo()
    assert read(path, isolated=True).shape == (4, 5)


def test_a_file_larger_than_the_memory_of_a_header(tmp_path):
    path = tmp_path / "large.tif"
    tifffile.memmap(path, shape=(10_000, 10_000, 3), dtype=np.uint16, photometric="rgb")
    assert path.stat().st_size > decoder._HEADER_BYTES
    assert describe_isolated(path).cols == 10_000


MAPPED = """
import json, mmap, sys
from osmofuse.io import decoder
decoder._limit_memory(2**28, 2**40)
found = []
with open(sys.argv[1], "rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
    found.append(len(data))
    try:
        bytes(2**29)
    except MemoryError:
        found.append("no memory")
print(json.dumps(found))
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="needs Linux: its limit of data")
def test_a_file_of_holes_gives_the_child_no_memory(tmp_path):
    with (tmp_path / "holes").open("wb") as file:
        file.truncate(2**35)
    command = python_command(MAPPED, str(tmp_path / "holes"))
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert json.loads(done.stdout) == [2**35, "no memory"]


LIMITED = """
import json, os, resource
from osmofuse.io import decoder
decoder._limit_files()
decoder._limit_time(20)
decoder._limit_memory(2**30, 0)
found = [resource.getrlimit(kind)[0] for kind in
         (resource.RLIMIT_CPU, resource.RLIMIT_FSIZE, resource.RLIMIT_CORE)]
try:
    bytearray(2 * 2**30)
except MemoryError:
    found.append("no memory")
decoder._limit_memory(3 * 2**30, 0)
found.append(len(bytearray(2 * 2**30)))
try:
    os.write(os.open(sys.argv[1], os.O_CREAT | os.O_WRONLY), b"x" * 10)
except OSError:
    found.append("no file")
request = {"path": b"a.png".hex(), "page": 1, "seconds": 9, "limits": {"pixels": 1}}
found.append(type(decoder.answer(request)).__name__)
found.append(sorted({"numba", "scipy", "tifffile"} & set(sys.modules)))
print(json.dumps(found))
"""


@pytest.mark.skipif(os.name == "nt", reason="needs POSIX: limits")
def test_the_child_limits_itself_and_loads_no_kernels(tmp_path):
    write(noise((4, 5), "uint8"), tmp_path / "a.png")
    done = subprocess.run(
        python_command(LIMITED, str(tmp_path / "written")),
        capture_output=True, text=True, cwd=tmp_path, check=True,
    )  # fmt: skip
    seconds, *found = json.loads(done.stdout)
    assert 21 <= seconds <= 30
    assert found == [0, 0, "no memory", 2 * 2**30, "no file", "LimitError", []]


def test_one_child_answers_everything(fresh, tmp_path, monkeypatch):
    paths = [write(noise((40, 30, 3), "uint16"), tmp_path / f"{k}.tif") for k in range(3)]
    monkeypatch.setattr(isolation.subprocess, "Popen", counted := Counted())
    start_decoder()
    for path in paths:
        assert describe_isolated(path) == describe(path)
    for path, there in zip(paths, read_isolated(paths, Limits()), strict=True):
        np.testing.assert_array_equal(there.pixels, read(path).pixels)
    with pytest.raises(UnreadableError):
        describe_isolated(tmp_path / "nowhere.tif")
    assert read(paths[0], isolated=True).shape == (40, 30)
    assert counted.children == 1


@pytest.mark.parametrize("limits", [Limits(), Limits(pixels=5)])
def test_a_refused_file_leaves_no_child_for_the_next(fresh, tmp_path, monkeypatch, limits):
    bad = write(noise((40, 30), "uint8"), tmp_path / "bad.png")
    if limits == Limits():  # whole header, broken pixels
        bad.write_bytes(bad.read_bytes()[:-300])
    good = write(noise((40, 30), "uint8"), tmp_path / "good.png")
    monkeypatch.setattr(isolation.subprocess, "Popen", counted := Counted())
    assert describe_isolated(bad).cols == 30
    with pytest.raises((UnreadableError, LimitError)):
        read(bad, isolated=True, limits=limits)
    assert counted.children == 1
    for _ in range(2):
        np.testing.assert_array_equal(read(good, isolated=True).pixels, read(good).pixels)
    assert counted.children == 2


class Counted:
    """Count the processes that are started."""

    def __init__(self):
        self.children, self.start = 0, subprocess.Popen

    def __call__(self, *arguments, **options):
        self.children += 1
        return self.start(*arguments, **options)


def test_an_interrupt_leaves_no_answer_for_the_next_request(fresh, tmp_path, monkeypatch):
    paths = [write(noise((40 + k, 30), "uint8"), tmp_path / f"{k}.png") for k in range(2)]

    def interrupted(*_):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(isolation, "_picture", interrupted)
        with pytest.raises(KeyboardInterrupt):
            read(paths[0], isolated=True)
    assert read(paths[1], isolated=True).shape == (41, 30)


def test_threads_take_turns(fresh, tmp_path):
    paths = [write(noise((20 + k, 30), "uint8"), tmp_path / f"{k}.png") for k in range(8)]
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda path: read(path, isolated=True).shape, paths * 4))
    assert found == [(20 + k, 30) for k in range(8)] * 4


def test_of_many_files_the_one_at_fault_is_named(tmp_path):
    paths = [write(noise((4, 5), "uint8"), tmp_path / f"{k}.png") for k in range(3)]
    paths[1].write_bytes(paths[1].read_bytes()[:60])
    with pytest.raises(UnreadableError, match=r"1\.png: damaged or truncated PNG"):
        read_isolated(paths, Limits())


@pytest.mark.parametrize("name", ["json", "numpy", "osmofuse", "struct"])
def test_code_beside_the_pictures_does_not_run(fresh, tmp_path, monkeypatch, name):
    (tmp_path / f"{name}.py").write_text("import os; os._exit(77)")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    write(noise((4, 5), "uint8"), tmp_path / "a.png")
    assert read("a.png", isolated=True).shape == (4, 5)


@pytest.mark.skipif(os.name == "nt", reason="needs POSIX: names are bytes")
def test_a_name_of_any_bytes(tmp_path):
    path = tmp_path / os.fsdecode(b"\xff\xfe line\nbreak.png")
    write(noise((4, 5), "uint8"), tmp_path / "a.png").rename(path)
    assert read(path, isolated=True).shape == (4, 5)
    assert describe_isolated(path).path == path


SCARCE = """
from osmofuse.io import decoder
limit = decoder._limit_memory
decoder._limit_memory = lambda more, mapped: limit(10**7, mapped)
decoder.main()
"""


@pytest.mark.skipif(
    not sys.platform.startswith("linux"), reason="needs Linux: its account of memory"
)
@pytest.mark.parametrize("suffix", ["png", "tif", "jpg", "webp"])
def test_too_little_memory_is_a_limit_and_not_a_damaged_file(fresh, tmp_path, monkeypatch, suffix):
    monkeypatch.setattr(isolation, "_PROGRAM", SCARCE)
    path = write(np.zeros((3000, 3000, 3), np.uint8), tmp_path / f"large.{suffix}")
    with pytest.raises(LimitError, match=rf"large\.{suffix}: .*more memory than"):
        read(path, isolated=True)


@pytest.mark.parametrize(
    "words", ["GLib-ERROR **: failed to allocate 9 bytes", "vips: out of memory", "MemoryError"]
)
def test_a_child_that_dies_for_memory_is_over_a_limit(broken, words):
    path = broken(f"import sys, os; os.write(2, {words!r}.encode())")
    with pytest.raises(LimitError, match=r"a\.png: decoding it takes more memory"):
        read(path, isolated=True)


ORPHAN = """
import signal, sys, time
signal.signal(signal.SIGINT, signal.default_int_handler)  # background jobs of a shell ignore it
from osmofuse.io import isolation
program = "import time; from osmofuse.io import decoder;"
isolation._PROGRAM = program + "decoder.answer = lambda request: time.sleep(100); decoder.main()"
print(isolation._decoder.start().pid, flush=True)
if sys.argv[1] == "busy":
    isolation.describe_isolated("a.png")
time.sleep(100)
"""


@pytest.mark.skipif(os.name == "nt", reason="needs POSIX: process numbers")
@pytest.mark.parametrize("kind", [signal.SIGKILL, signal.SIGINT])
@pytest.mark.parametrize("state", ["idle", "busy"])
def test_the_child_ends_with_its_parent(kind, state):
    parent = subprocess.Popen(
        [sys.executable, "-c", ORPHAN, state], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    )
    with parent:
        child = int(parent.stdout.readline())
        time.sleep(0.5)
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


@pytest.mark.parametrize("page", [0, -1, 2, True, 1.0, "1", None])
def test_a_page_that_is_none(tmp_path, page):
    path = write(noise((4, 5), "uint8"), tmp_path / "a.png")
    with pytest.raises(SettingError, match="page: "):
        describe_isolated(path, page=page)
    for isolated in (False, True):
        with pytest.raises(SettingError, match="page: "):
            read(path, page=page, isolated=isolated)


def test_a_missing_file(tmp_path):
    with pytest.raises(UnreadableError, match=r"nowhere\.tif: no such file"):
        read(tmp_path / "nowhere.tif", isolated=True)


def test_a_picture_of_the_child_can_be_used_like_any_other(tmp_path):
    path = write(noise((4, 5), "uint8"), tmp_path / "a.png")
    assert isinstance(read(path, isolated=True), Picture)
