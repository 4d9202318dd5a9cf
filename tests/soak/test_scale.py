"""Large pictures: finite, and within the memory that is promised."""

import json
import subprocess
import sys

import pytest

from conftest import ROOT

pytestmark = pytest.mark.soak


@pytest.mark.parametrize(("size", "channels", "bound"), [(12, 3, 60), (12, 1, 80), (25, 3, 60)])
def test_memory_a_sample_beyond_input_and_output(size, channels, bound):
    command = [sys.executable, "-m", "benchmarks.scaling", str(size), str(channels)]
    output = subprocess.run(command, capture_output=True, text=True, check=True, cwd=ROOT).stdout
    _, memory = json.loads(output)
    assert memory <= bound
