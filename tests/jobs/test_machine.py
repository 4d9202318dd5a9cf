from __future__ import annotations

import os
import subprocess
import sys

import pytest

from osmofuse.jobs.machine import memory_of_machine

NOWHERE = "none"


@pytest.mark.skipif(os.name == "nt", reason="needs POSIX")
def test_there_is_some_memory_and_it_does_not_change():
    assert memory_of_machine() > 10**8
    assert memory_of_machine() == memory_of_machine()


@pytest.mark.parametrize(
    ("own", "limits", "least"),
    [
        (
            "0::/a/b\n",
            {"memory.max": "max", "a/memory.max": "5000", "a/b/memory.max": "7000"},
            5000,
        ),
        ("0::/a/b\n", {"a/b/memory.max": "7000"}, 7000),
        ("0::/of/the/host\n", {"memory.max": "6000"}, 6000),
        ("5:cpu,memory:/c\n", {"memory/c/memory.limit_in_bytes": "4000"}, 4000),
        ("5:cpu:/c\n", {"memory/c/memory.limit_in_bytes": "4000"}, None),
        ("0::/a\n", {"a/memory.max": "max"}, None),
        ("nonsense\n", {"memory.max": "nonsense"}, None),
    ],
)
def test_limits_of_control_groups(tmp_path, own, limits, least):
    (tmp_path / "own").write_text(own)
    for name, text in limits.items():
        path = tmp_path / "groups" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text + "\n")
    plain = memory_of_machine(tmp_path / NOWHERE, tmp_path / NOWHERE)
    found = memory_of_machine(tmp_path / "groups", tmp_path / "own")
    assert found == (plain if least is None else least)


@pytest.mark.skipif(os.name == "nt", reason="needs POSIX: limits of memory")
def test_the_limit_of_the_process_counts():
    code = (
        "import resource; from osmofuse.jobs.machine import memory_of_machine as m;"
        "resource.setrlimit(resource.RLIMIT_AS, (10**9, -1)); print(m())"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert int(done.stdout) <= 10**9
