"""Journals of commits that were killed: put right, and trusted no more than other files."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

from osmofuse.errors import OutputError
from osmofuse.io import Staging, check_target
from osmofuse.io.journal import Owner, own_path, this_process
from osmofuse.io.recovery import recover

KILLED = """
import os, signal, sys
from pathlib import Path
from osmofuse.io import Staging
paths = [Path(name) for name in sys.argv[2:]]
replace, count = os.replace, int(sys.argv[1])
def struck(*args):
    global count
    count -= 1
    if count < 0:
        os.kill(os.getpid(), signal.SIGKILL)
    replace(*args)
with Staging(paths) as staging:
    for path in paths:
        staging.partial(path).write_text("new")
    os.replace = struck
    staging.commit()
"""


def killed(folder, renames, *names):
    """Kill a commit of files after so many renames."""
    command = [sys.executable, "-c", KILLED, str(renames), *names]
    assert subprocess.run(command, cwd=folder, check=False).returncode == -9


def stamp(path):
    return [path.stat().st_size, path.stat().st_mtime_ns]


@pytest.fixture
def plant(tmp_path):
    """Plant the journal of a process that is gone."""
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    owner = Owner(this_process().machine, process.pid)

    def make(content, name="fused.tif", folder=tmp_path):
        path = own_path(folder / name, "commit", owner)
        path.write_text(content if isinstance(content, str) else json.dumps(content))
        return path

    return make


def entry(path, name=None, folder="."):
    return {"folder": folder, "name": name or path.name, "new": stamp(path), "old": None}


@pytest.mark.skipif(os.name == "nt", reason="needs POSIX: SIGKILL")
@pytest.mark.parametrize("renames", [0, 1, 2, 3, 4])
def test_the_next_run_puts_back_what_was_there(tmp_path, renames):
    for name in ("a", "b"):
        (tmp_path / name).write_text("old")
    killed(tmp_path, renames, "a", "b")
    assert len(os.listdir(tmp_path)) > 2
    recover([tmp_path / "b"])
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == {"a": "old", "b": "old"}


@pytest.mark.skipif(os.name == "nt", reason="needs POSIX: SIGKILL")
def test_and_is_not_told_that_it_exists(tmp_path):
    killed(tmp_path, 1, "a", "b")
    assert (tmp_path / "a").exists()
    check_target(tmp_path / "a")
    assert not (tmp_path / "a").exists()


@pytest.mark.skipif(os.name == "nt", reason="needs POSIX: SIGKILL")
def test_other_files_are_no_reason_to_recover(tmp_path):
    killed(tmp_path, 1, "a", "b")
    before = sorted(os.listdir(tmp_path))
    check_target(tmp_path / "c")
    assert sorted(os.listdir(tmp_path)) == before


@pytest.mark.skipif(os.name == "nt", reason="needs POSIX: SIGKILL")
def test_an_input_is_not_undone(tmp_path):
    killed(tmp_path, 1, "a", "b")
    with pytest.raises(OutputError, match="a: was left by a run that was killed while it wrote"):
        check_target(tmp_path / "b", inputs=[tmp_path / "a"])
    assert (tmp_path / "a").read_text() == "new"


def test_a_journal_that_was_never_wholly_written_is_removed(tmp_path, plant):
    for content in ("", '{"format": 1, "tok', "[" * 100_000, "\0", '{"format": 1}'):
        path = plant(content)
        check_target(tmp_path / "fused.tif")
        assert not path.exists()


@pytest.mark.parametrize("kind", ["elsewhere", "unknown", "name", "odd", "large", "format", "many"])
def test_a_journal_cannot_make_a_run_touch_just_any_file(tmp_path, plant, kind):
    theirs = tmp_path / "theirs" / "file"
    theirs.parent.mkdir()
    theirs.write_text("precious")
    mine = tmp_path / "mine"
    mine.write_text("precious")
    known = {"format": 1, "token": "x"}
    ours = {"folder": ".", "name": "fused.tif", "new": [1, 2], "old": None}
    contents = {
        "elsewhere": known | {"files": [entry(theirs, folder="theirs"), ours]},
        "unknown": known | {"files": [entry(mine) | {"new": [8, 1]}, ours]},
        "name": known | {"files": [entry(theirs, "theirs/file"), ours]},
        "odd": known | {"files": [entry(mine) | {"folder": 5}, ours]},
        "large": known | {"files": [entry(mine), ours], "more": "x" * 2**22},
        "format": known | {"format": 2, "files": [entry(mine), ours]},
        "many": known
        | {"files": [entry(mine), ours, *({**ours, "folder": f"{k}"} for k in range(16))]},
    }
    plant(contents[kind])
    check_target(tmp_path / "fused.tif")
    assert theirs.read_text() == mine.read_text() == "precious"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs POSIX: a FIFO")
def test_a_journal_is_a_regular_file(tmp_path, plant):
    path = plant("")
    path.unlink()
    os.mkfifo(path)
    check_target(tmp_path / "fused.tif")  # and does not wait


@pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid(), reason="needs root: to become nobody"
)
def test_a_journal_of_a_stranger_is_not_followed(tmp_path, plant):
    mine = tmp_path / "mine"
    mine.write_text("precious")
    ours = {"folder": ".", "name": "fused.tif", "new": [1, 2], "old": None}
    os.chown(plant({"format": 1, "token": "x", "files": [entry(mine), ours]}), 65534, 65534)
    check_target(tmp_path / "fused.tif")
    assert mine.exists()


def test_a_journal_that_may_be_in_use_is_left_alone(tmp_path):
    mine = tmp_path / "mine"
    mine.write_text("being written")
    path = own_path(tmp_path / "fused.tif", "commit", Owner("another", 1))
    ours = {"folder": ".", "name": "fused.tif", "new": [1, 2], "old": None}
    path.write_text(json.dumps({"format": 1, "token": "x", "files": [entry(mine), ours]}))
    check_target(tmp_path / "fused.tif")
    assert mine.exists()
    os.utime(path, (0, 0))
    check_target(tmp_path / "fused.tif")
    assert not mine.exists()
    assert not path.exists()


def test_an_unknown_journal_in_our_place_is_not_overwritten(tmp_path):
    paths = [tmp_path / "a", tmp_path / "b"]
    path = own_path(paths[-1], "commit")
    with Staging(paths) as staging:
        for one in paths:
            staging.partial(one).write_text("new")
        path.write_text("somebody's")
        with pytest.raises(OutputError, match="File exists"):
            staging.commit()
    assert [one.name for one in tmp_path.iterdir()] == [path.name]
