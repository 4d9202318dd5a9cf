"""Small files that ask for much are read or refused within bounds, in the child and without it."""

from __future__ import annotations

import subprocess
import sys
import time

import pytest

from bombs import BOMBS
from osmofuse.errors import OsmofuseError
from osmofuse.io import Limits, describe, describe_isolated, isolation, read
from osmofuse.processes import python_command

READ = """
import resource
from osmofuse.errors import OsmofuseError
from osmofuse.io import read
from osmofuse.io.libvips import vips
vips()
size = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (size + 2**30, size + 2**30))
for path in sys.argv[1:]:
    try:
        read(path)
        print("read")
    except OsmofuseError as error:
        print(str(error).startswith(path))
"""


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("bombs")
    for name, make in BOMBS.items():
        (folder / name).write_bytes(make())
    return folder


def child_peak():
    """Return the most memory that the decoder's process has had, in bytes."""
    with open(f"/proc/{isolation._decoder.start().pid}/status", encoding="ascii") as status:
        return next(int(line.split()[1]) * 1024 for line in status if line.startswith("VmHWM"))


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="needs Linux: memory of a process")
@pytest.mark.parametrize("name", BOMBS)
def test_the_child_survives_or_the_file_is_refused(files, name):
    began = time.process_time()
    for ask in (
        describe_isolated,
        lambda path: read(path, isolated=True, limits=Limits(seconds=15)),
    ):
        try:
            ask(files / name)
        except OsmofuseError as error:
            assert str(error).startswith(str(files / name))  # noqa: PT017 (it need not be raised)
    assert time.process_time() - began < 15
    assert child_peak() < 2**30


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="needs Linux: memory of a process")
def test_reading_in_this_process_is_bounded_too(files):
    paths = [str(files / name) for name in BOMBS]
    done = subprocess.run(
        python_command(READ, *paths), capture_output=True, text=True, timeout=120, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    answers = done.stdout.split()
    assert len(answers) == len(paths)
    assert "False" not in answers


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("looping-exif.tif", "lies within itself"),
        ("overlapping-values.tif", "overlap"),
        ("overlapping-pages.tif", "more than 1000000 entries"),
        ("many-pages.tif", "more than 10,000 pages; split it"),
        ("large.png", "2,000,000,000 pixels are more than the limit"),
    ],
)
def test_what_is_refused_and_why(files, name, words):
    with pytest.raises(OsmofuseError, match=words):
        read(files / name)


def test_a_claim_of_many_sizes_is_not_believed(files):
    assert describe(files / "many-levels.tif").levels == 1
