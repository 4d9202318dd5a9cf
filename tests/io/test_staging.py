"""Partial files: each process has its own, and what the dead have left is cleared away."""

from __future__ import annotations

import os
import subprocess
import sys
import time

import pytest

from osmofuse.errors import OutputError
from osmofuse.io import Staging, check_target, read, write
from osmofuse.io.journal import this_process
from osmofuse.io.staging import made_folder
from picture_files import noise


def left_by(path, process, machine=None):
    """Leave what a process would that was killed while it wrote a file."""
    name = f"{path.name}.{machine or this_process().machine}-{process}.partial"
    (path.parent / name).write_bytes(b"half a file")
    return path.parent / name


@pytest.fixture
def dead():
    """Return the number of a process that is no more."""
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    return process.pid


def test_each_process_has_its_own_partial_name(tmp_path):
    program = (
        "import sys; from pathlib import Path; from osmofuse.io import Staging;"
        "print(Staging.partial(Path(sys.argv[1])))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, str(tmp_path / "a.tif")],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    there, here = done.stdout.strip(), str(Staging.partial(tmp_path / "a.tif"))
    assert there != here
    assert all(name.endswith(".partial") for name in (there, here))


def test_what_a_dead_process_left_is_cleared_away(tmp_path, dead):
    left_by(tmp_path / "a.tif", dead)
    write(noise((5, 7), "uint8"), tmp_path / "a.tif")
    assert os.listdir(tmp_path) == ["a.tif"]


@pytest.mark.parametrize("kind", ["living", "elsewhere", "other output", "not ours"])
def test_what_may_be_in_use_is_kept(tmp_path, dead, kind):
    path = tmp_path / "a.tif"
    kept = {
        "living": lambda: left_by(path, os.getppid()),
        "elsewhere": lambda: left_by(path, dead, machine="another"),
        "other output": lambda: left_by(tmp_path / "b.tif", dead),
        "not ours": lambda: left_by(path, "draft"),
    }[kind]()
    write(noise((5, 7), "uint8"), path)
    assert kept.read_bytes() == b"half a file"


@pytest.mark.parametrize("machine", [None, "another"])
def test_what_is_old_is_cleared_away_whoever_left_it(tmp_path, machine):
    kept = left_by(tmp_path / "a.tif", os.getppid(), machine)
    yesterday = time.time() - 25 * 3600
    os.utime(kept, (yesterday, yesterday))
    write(noise((5, 7), "uint8"), tmp_path / "a.tif")
    assert not kept.exists()


def test_two_processes_may_write_the_same_file(tmp_path):
    program = (
        "import sys, numpy; from osmofuse.io import write;"
        "pixels = numpy.full((300, 300, 3), int(sys.argv[2]), 'uint16');"
        "[write(pixels, sys.argv[1], overwrite=True) for _ in range(20)]"
    )
    path = tmp_path / "a.tif"
    writers = [
        subprocess.Popen([sys.executable, "-c", program, str(path), value]) for value in "12"
    ]
    assert [writer.wait(timeout=60) for writer in writers] == [0, 0]
    assert len(set(read(path).pixels.ravel())) == 1, "the two were mixed"
    assert os.listdir(tmp_path) == ["a.tif"]


def test_all_are_synced_before_one_gets_its_name(tmp_path, monkeypatch):
    paths, fsync, named = [tmp_path / "a", tmp_path / "b"], os.fsync, []

    def watch(handle):
        named.append([path.exists() for path in paths])
        fsync(handle)

    monkeypatch.setattr(os, "fsync", watch)
    with Staging(paths) as staging:
        for path in paths:
            staging.partial(path).write_bytes(b"whole")
        staging.commit()
    before = named.index([True, True])
    assert named[:before] == [[False, False]] * before
    assert before >= len(paths), "not all were synced"


@pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid(), reason="needs root: to become nobody"
)
def test_a_closed_folder_is_refused_at_once(tmp_path):
    program = (
        "import os, sys; from pathlib import Path; from osmofuse.io import check_target;"
        "os.seteuid(65534); check_target(Path(sys.argv[1]))"
    )
    for folder in (tmp_path, *tmp_path.parents[:2]):
        folder.chmod(0o755)
    check_target(tmp_path / "a.tif")
    done = subprocess.run(
        [sys.executable, "-c", program, str(tmp_path / "a.tif")],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert "a.tif: cannot be written (Permission denied); choose a folder" in done.stderr
    assert OutputError.__name__ in done.stderr


def test_a_new_folder_is_taken_back_with_those_above_it_if_it_stays_empty(tmp_path):
    with pytest.raises(ZeroDivisionError), made_folder(tmp_path / "new" / "deep"):
        raise ZeroDivisionError
    assert list(tmp_path.iterdir()) == []
    with made_folder(tmp_path / "new" / "deep"):
        pass
    assert list(tmp_path.iterdir()) == []
    with made_folder(tmp_path / "new" / "deep"):
        (tmp_path / "new" / "deep" / "file").touch()
    assert (tmp_path / "new" / "deep").is_dir()


def test_a_folder_that_was_there_or_holds_something_stays(tmp_path):
    (tmp_path / "old").mkdir()
    theirs = tmp_path / "old" / "new" / "theirs"
    with pytest.raises(FileExistsError), made_folder(theirs.parent):
        theirs.mkdir() or theirs.mkdir()
    assert theirs.exists()
    with pytest.raises(ZeroDivisionError), made_folder(tmp_path / "old" / "empty"):
        raise ZeroDivisionError
    assert (tmp_path / "old").is_dir()
    assert not (tmp_path / "old" / "empty").exists()


def test_a_folder_that_cannot_be_made_is_told(tmp_path):
    (tmp_path / "file").write_text("")
    with (
        pytest.raises(OutputError, match="new: cannot be written"),
        made_folder(tmp_path / "file" / "new"),
    ):
        pass


def test_a_target_may_lie_in_folders_that_will_be_made(tmp_path):
    target = tmp_path / "not" / "yet" / "a.tif"
    with pytest.raises(OutputError, match="there is no folder"):
        check_target(target)
    check_target(target, folders=True)
    (tmp_path / "not").write_text("")
    with pytest.raises(OutputError, match=r"a\.tif: .*not is a file; choose another"):
        check_target(target, folders=True)


def test_added_files_come_before_the_ending_ones(tmp_path):
    first, added, main = (tmp_path / name for name in ("first", "added", "main"))
    with Staging([first, main], ending=1) as staging:
        staging.add([added])
        assert staging.paths == [first, added, main]
