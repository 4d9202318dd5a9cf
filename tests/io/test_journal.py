"""Journals of commits, and the names of files beside an output."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from osmofuse.io.journal import (
    Owner,
    begin,
    is_own_name,
    is_running,
    own_path,
    owner_of,
    place_of,
    this_process,
)
from osmofuse.io.staging import Staging

TESTS = Path(__file__).parents[1]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs POSIX: signals and forks")
def test_a_commit_that_is_struck_leaves_all_or_nothing(tmp_path):
    done = subprocess.run(
        [sys.executable, str(TESTS / "commits.py"), str(tmp_path), "23"],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.stderr == ""
    lines = done.stdout.splitlines()
    assert lines[:-1] == []
    assert int(lines[-1].split()[0]) > 50


@pytest.mark.parametrize("old", [False, True])
def test_two_processes_that_write_the_same_files_never_mix_them(tmp_path, old):
    program = (
        "import sys; from pathlib import Path; from osmofuse.io import Staging\n"
        "paths = [Path(sys.argv[1]) / name for name in ('a', 'sub/b', 'c')]\n"
        "for k in range(40):\n"
        "    with Staging(paths) as staging:\n"
        "        for path in paths: staging.partial(path).write_text(f'{sys.argv[2]} {k}')\n"
        "        staging.commit()\n"
    )
    (tmp_path / "sub").mkdir()
    names = ("a", "sub/b", "c")
    for name in names if old else ():
        (tmp_path / name).write_text("old")
    writers = [
        subprocess.Popen([sys.executable, "-c", program, str(tmp_path), who]) for who in "12"
    ]
    assert [writer.wait(timeout=60) for writer in writers] == [0, 0]
    assert len({(tmp_path / name).read_text() for name in names}) == 1
    assert sorted(os.listdir(tmp_path)) == ["a", "c", "sub"]
    assert os.listdir(tmp_path / "sub") == ["b"]


def test_files_written_by_others_since_are_not_undone(tmp_path):
    paths = [tmp_path / "a", tmp_path / "b"]
    paths[0].write_text("old")
    with Staging(paths) as staging:
        for path in paths:
            staging.partial(path).write_text("new")
        journal = begin(paths)
        os.replace(paths[0], journal.entries[0].aside)
        os.replace(journal.entries[0].partial, paths[0])
        paths[0].write_text("written by somebody else")
        assert journal.roll_back() == []
    assert [path.read_text() for path in tmp_path.iterdir()] == ["written by somebody else"]


def test_one_place_has_one_name(tmp_path):
    (tmp_path / "sub").mkdir()
    (tmp_path / "link").symlink_to("sub")
    ways = ("sub/x", "sub/../sub/x", "link/x", "./sub/x")
    assert len({place_of(tmp_path / way) for way in ways}) == 1
    assert place_of(tmp_path / "x") != place_of(tmp_path / "sub/x")


NAMES = ("a.tif", "x" * 255, "ü" * 127, "a.b-1.partial", "new\nline.tif", os.fsdecode(b"\xff.tif"))


@pytest.mark.parametrize("name", NAMES)
def test_names_fit_and_tell_their_owner(name):
    for kind in ("partial", "aside", "commit", "done"):
        found = own_path(Path("folder") / name, kind).name
        assert len(os.fsencode(found)) <= 255
        assert owner_of(found, name, kind) == this_process()
        assert is_own_name(found, name)
        assert not is_own_name(found, "other" + name)


def test_long_names_that_begin_alike_stay_two():
    first, second = (own_path(Path("x" * 250 + end), "partial") for end in "ab")
    assert first != second


def test_others_have_names_of_their_own():
    path = own_path(Path("a.tif"), "partial", Owner("there", 7))
    assert path.name == "a.tif.there-7.partial"
    assert owner_of(path.name, "a.tif", "partial") == ("there", 7)
    assert owner_of(path.name, "a.tif", "aside") is None
    assert owner_of("a.tif.draft.partial", "a.tif", "partial") is None


def test_processes_that_run():
    assert is_running(os.getpid())
    assert os.name == "nt" or not is_running(2**70)


def test_the_main_output_is_the_first_to_go_and_the_last_to_come(tmp_path, monkeypatch):
    paths = [tmp_path / name for name in ("a", "b", "main")]
    for path in paths:
        path.touch()
    moved, replace = [], os.replace

    def noted(source, target):
        moved.append(Path(target).name.partition(".")[0])
        replace(source, target)

    with Staging(paths) as staging:
        for path in paths:
            staging.partial(path).write_text("new")
        monkeypatch.setattr(os, "replace", noted)
        staging.commit()
    assert moved == ["main", "b", "a", "a", "b", "main", "main"]
