"""Commits struck at each of their system calls; `tests/io/test_journal.py` does it for some."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from commits import DEBRIS
from pairs import osmofuse_in, warm

pytestmark = pytest.mark.soak
TESTS = Path(__file__).parents[1]
PAIR = ("visible.tif", "infrared.tif", "--alpha", "map.png")
FUSE = ("fuse", *PAIR, "--structure", "s.tif", "--alpha-out", "a.png", "--report", "page")
STRIKE = """
import os, signal
signal.signal(signal.SIGINT, signal.default_int_handler)  # whatever the shell says
replace, count = os.replace, 0
def struck(*args, **kwargs):
    global count
    if ".partial" in str(args[0]) or ".aside" in str(args[1]) or ".commit" in str(args[0]):
        count += 1
        if count == {at}:
            {what}
    return replace(*args, **kwargs)
os.replace = struck
"""
STEP = 3
TROUBLE = {
    "EIO": "raise OSError(5, 'Input/output error')",
    "SIGINT": "os.kill(os.getpid(), signal.SIGINT)",
    "SIGTERM": "os.kill(os.getpid(), signal.SIGTERM)",
    "SIGKILL": "os.kill(os.getpid(), signal.SIGKILL)",
}
ENDS = {"EIO": 7, "SIGINT": 130, "SIGTERM": -signal.SIGTERM, "SIGKILL": -signal.SIGKILL}


def test_every_call_of_a_commit_meets_every_trouble(tmp_path):
    done = subprocess.run(
        [sys.executable, str(TESTS / "commits.py"), str(tmp_path), "1"],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.stderr == ""
    assert done.stdout.splitlines()[:-1] == []


def files(folder):
    return {p.relative_to(folder): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


@pytest.mark.parametrize("how", TROUBLE)
@pytest.mark.parametrize("overwrite", [False, True])
def test_renames_of_a_fusion_meet_every_trouble(tmp_path, how, overwrite):
    """Every third rename in each case, another third in the next, so that all take ten minutes."""
    warm(tmp_path)
    for name in ("fused.tif", "fused.tif.json"):
        (tmp_path / name).unlink()
    flags = ["--overwrite"] if overwrite else []
    if overwrite:
        assert osmofuse_in(tmp_path, *FUSE, "-o", "p.tif", "--eta", "0.3").returncode == 0
    before, at = files(tmp_path), -(list(TROUBLE).index(how) % STEP)
    while True:
        at += STEP
        strike = STRIKE.format(at=at, what=TROUBLE[how])
        done = osmofuse_in(tmp_path, *FUSE, "-o", "p.tif", *flags, before=strike)
        if done.returncode == 0:
            break
        assert done.returncode == ENDS[how], done.stderr
        assert "Traceback" not in done.stderr
        left = files(tmp_path)
        if how == "EIO":
            assert left == before
        elif how != "SIGKILL":
            assert not any(path.name.endswith(DEBRIS) for path in left)
            assert {Path("p.tif"), Path("p.tif.json"), Path("page/index.html")} <= left.keys()
            assert left[Path("p.tif")] != before.get(Path("p.tif"))
        again = osmofuse_in(tmp_path, *FUSE, "-o", "p.tif", "--eta", "0.3", "--overwrite")
        assert again.returncode == 0, again.stderr
        assert not any(path.name.endswith(DEBRIS) for path in files(tmp_path))
        if overwrite:
            before = files(tmp_path)
        else:
            for path in files(tmp_path).keys() - before.keys():
                (tmp_path / path).unlink()
    assert at > 15
