"""The hostile trial at the door, seeded: damaged files, bombs, odd pictures, planted code.

Commits, documents and names have soaks of their own. Each case goes through the real command or the
decoder's own process: no traceback, no hang, no memory beyond what was said.
"""

from __future__ import annotations

import os
import signal
import subprocess
import time
from pathlib import Path

import numpy as np
import pytest
import tifffile

from bombs import BOMBS
from damage import damaged_files
from osmofuse.errors import OsmofuseError
from osmofuse.io import Limits, isolation, read, write
from pairs import command, write_pair
from picture_files import noise

pytestmark = pytest.mark.soak

HANG = 20.0  # seconds
MEMORY = 2**30  # bytes that the processes of a command may have beside the kernels of a fusion


@pytest.mark.parametrize("seed", range(300, 340))
def test_damaged_files(seed, tmp_path):
    limits = Limits(pixels=4_000_000, bytes=64 * 2**20, seconds=HANG)
    refused = 0
    for path in damaged_files(tmp_path, 200, seed):
        began = time.monotonic()
        try:
            read(path, limits=limits, isolated=True)
        except OsmofuseError as error:
            assert str(error).startswith(str(path))  # noqa: PT017 (some are read)
            refused += 1
        assert time.monotonic() - began < HANG, path
    assert refused > 100
    assert peak_of(isolation._decoder.start().pid) < 2**30


def peak_of(process):
    """Return the most memory that a process has had; 0 if it is gone."""
    try:
        lines = Path(f"/proc/{process}/status").read_text(encoding="ascii").splitlines()
        return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("VmHWM"))
    except (OSError, StopIteration):
        return 0


def children_of(process):
    """Return a process and all programs that it has started."""
    try:
        text = Path(f"/proc/{process}/task/{process}/children").read_text(encoding="ascii")
    except OSError:
        return [process]
    # A child that still has its parent's command line shares the parent's memory.
    started = [int(one) for one in text.split() if command_line(one) != command_line(process)]
    return [process, *(one for child in started for one in children_of(child))]


def command_line(process):
    try:
        return Path(f"/proc/{process}/cmdline").read_bytes()
    except OSError:
        return b""


def run(folder, *arguments):
    """Run a command; return exit code, output, seconds, and the most memory of its processes."""
    began, peak = time.monotonic(), 0
    process = subprocess.Popen(
        command(*arguments), cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        text=True, start_new_session=True,
    )  # fmt: skip
    while process.poll() is None and time.monotonic() - began < 2 * HANG:
        peak = max(peak, sum(map(peak_of, children_of(process.pid))))
        time.sleep(0.01)
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)
    output = process.communicate()[0]
    return process.returncode, output, time.monotonic() - began, peak


@pytest.mark.parametrize("name", BOMBS)
@pytest.mark.parametrize("arguments", [("info",), ("fuse", "-o", "out.tif"), ("score",)])
def test_bombs(name, arguments, tmp_path):
    (tmp_path / name).write_bytes(BOMBS[name]())
    files = [name] * {"info": 1, "fuse": 2, "score": 3}[arguments[0]]
    code, output, seconds, peak = run(tmp_path, arguments[0], *files, *arguments[1:])
    assert "Traceback" not in output, output
    assert code in (0, 2, 3, 4, 6), output
    assert seconds < HANG
    assert peak < MEMORY


PLANTED = ("json", "numpy", "struct", "osmofuse", "pyvips", "typing", "random", "sitecustomize")


@pytest.mark.parametrize("name", PLANTED)
@pytest.mark.parametrize("arguments", [
    ("info", "visible.tif"), ("fuse", "visible.tif", "infrared.tif", "-o", "out.tif"),
    ("matte", "visible.tif", "map.png", "--edge", "3", "-o", "out.tif"),
])  # fmt: skip
def test_planted_code(name, arguments, tmp_path):
    write_pair(tmp_path)
    (tmp_path / f"{name}.py").write_text("import os; os.write(2, b'PLANTED'); os._exit(77)")
    done = subprocess.run(
        ["osmofuse", *arguments], cwd=tmp_path, capture_output=True, text=True, check=False,
        env=os.environ | {"PATH": f"{Path(command()[0]).parent}{os.pathsep}{os.environ['PATH']}"},
    )  # fmt: skip
    assert "PLANTED" not in done.stderr
    assert done.returncode == 0, done.stderr


ODD = {
    "pages": ({}, lambda rng: rng.integers(0, 65536, (5, 30, 40)).astype(np.uint16)),
    "planar": ({"photometric": "rgb", "planarconfig": "separate"},
               lambda rng: rng.integers(0, 65536, (3, 30, 40)).astype(np.uint16)),
    "big": ({"bigtiff": True}, lambda rng: rng.integers(0, 256, (30, 40, 3)).astype(np.uint8)),
    "signed": ({}, lambda rng: rng.integers(0, 32768, (30, 40)).astype(np.int16)),
    "float": ({"byteorder": ">"}, lambda rng: rng.random((30, 40)).astype(np.float32)),
    "double": ({"tile": (16, 16)}, lambda rng: rng.random((30, 40))),
}  # fmt: skip


@pytest.mark.parametrize("name", ODD)
@pytest.mark.parametrize("seed", range(5))
def test_odd_pictures_are_read_as_another_reader_reads_them(name, seed, tmp_path):
    options, draw = ODD[name]
    pixels = draw(np.random.default_rng(seed))
    tifffile.imwrite(tmp_path / "a.tif", pixels, metadata=None, **options)
    expected = pixels[0] if name == "pages" else pixels
    expected = np.moveaxis(pixels, 0, -1) if name == "planar" else expected
    np.testing.assert_array_equal(read(tmp_path / "a.tif", isolated=True).pixels, expected)


@pytest.mark.parametrize("bands", [1, 2, 3, 4, 5])
@pytest.mark.parametrize("dtype", ["uint8", "uint16", "int16", "float32", "float64"])
def test_what_is_written_is_read(bands, dtype, tmp_path):
    pixels = noise((30, 40, bands) if bands > 1 else (30, 40), dtype)
    path = write(pixels, tmp_path / "a.tif")
    np.testing.assert_array_equal(read(path, isolated=True).pixels, pixels)
