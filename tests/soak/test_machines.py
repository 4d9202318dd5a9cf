"""A sample of all tests on machines of other kinds, see `machines`."""

import random
import sys
from pathlib import Path

import pytest

import machines

pytestmark = pytest.mark.soak

TESTS = Path(machines.__file__).parent
# Where processors, users, locales, signals and folders have made a difference.
ALWAYS = (
    "cli/test_fuse.py", "cli/test_interrupt.py", "io/test_isolation.py", "jobs/test_repeat.py",
    "maps/test_auto_alpha.py",
)  # fmt: skip
MORE = 1


def sample(seed):
    names = {str(path.relative_to(TESTS)) for path in TESTS.rglob("test_*.py")}
    names -= {*ALWAYS, *(name for name in names if name.startswith("soak"))}
    return [*ALWAYS, *random.Random(seed).sample(sorted(names), MORE)]


@pytest.mark.parametrize("name", machines.CONDITIONS)
def test_machines(name):
    if not machines.CONDITIONS[name].can_be_had():
        pytest.skip("needs root: to become nobody and to mount")
    chosen = [f"tests/{one}" for one in sample(list(machines.CONDITIONS).index(name))]
    done = machines.run(name, ["-q", "-n", "2", "--dist", "loadfile", *chosen])
    sys.stdout.write(done.stdout)
    assert done.returncode == 0, done.stdout[-3000:]
