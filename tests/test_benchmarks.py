"""Memory measurement of the benchmarks; their figures are judged in `make bench`."""

import json
import subprocess
import sys

import pytest

from conftest import ROOT

LARGE_PARENT = """
import subprocess, sys
ballast = b"x" * 600_000_000
command = [sys.executable, "-m", "benchmarks.scaling", "0.25", "3"]
print(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="needs Linux: its /proc")
def test_memory_is_that_of_the_process_itself_whoever_started_it():
    done = subprocess.run(
        [sys.executable, "-c", LARGE_PARENT], capture_output=True, text=True, check=True, cwd=ROOT
    )
    _, memory = json.loads(done.stdout)
    assert 0 < memory < 100  # bytes a sample; the parent's would be 800 more
