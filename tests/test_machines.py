"""The script that runs tests as other machines would, tried on a few tests."""

import re
import sys

import pytest

import machines


@pytest.mark.skipif(sys.platform == "win32", reason="needs POSIX: a shell")
def test_interrupts_are_tested_also_where_they_are_ignored():
    """A background job of a shell; the locale and the busy processor cost nothing more."""
    tests = [
        "tests/cli/test_interrupt.py",
        "tests/io/test_isolation.py::test_the_child_ends_with_its_parent",
    ]
    done = machines.run("background+locale+busy", ["-q", *tests])
    assert done.returncode == 0, done.stdout
    assert re.search(r"^\d+ passed in", done.stdout, re.MULTILINE), done.stdout


def test_conditions_add_up():
    both = machines.together([machines.CONDITIONS[name] for name in ("prescott", "locale", "busy")])
    assert both.env == {"OPENBLAS_CORETYPE": "Prescott", "LANG": "C", "LC_ALL": "C"}
    assert both.busy == 2
    assert both.can_be_had()
    assert machines.together([both, machines.CONDITIONS["user"]]).nobody
