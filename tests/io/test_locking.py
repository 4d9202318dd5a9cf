"""Locks on folders."""

from __future__ import annotations

import subprocess
import sys

import pytest

from osmofuse.errors import OutputError
from osmofuse.io import locking
from osmofuse.io.locking import locked

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs POSIX: flock")
HOLD = (
    "import sys; from pathlib import Path; from osmofuse.io.locking import locked\n"
    "with locked([Path(sys.argv[1])]) as alone: print(alone, flush=True); sys.stdin.read()"
)


@pytest.fixture
def other(tmp_path):
    with subprocess.Popen(
        [sys.executable, "-c", HOLD, str(tmp_path)],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    ) as process:  # fmt: skip
        assert process.stdout.readline() == "True\n"
        yield process


def test_a_folder_is_had_by_one_process(tmp_path, other, monkeypatch):
    monkeypatch.setattr(locking, "_PATIENCE", 0.0)
    with pytest.raises(OutputError, match="another process of osmofuse"), locked([tmp_path]):
        pass
    other.communicate()
    with locked([tmp_path]) as alone:
        assert alone


def test_the_lock_ends_with_its_process(tmp_path, other):
    other.kill()
    with locked([tmp_path]) as alone:
        assert alone


def test_one_folder_by_two_names_is_locked_once(tmp_path):
    (tmp_path / "link").symlink_to(tmp_path)
    with locked([tmp_path, tmp_path / "link"]) as alone:
        assert alone


def test_what_cannot_be_locked_is_told(tmp_path):
    with locked([tmp_path, tmp_path / "none"]) as alone:
        assert not alone
