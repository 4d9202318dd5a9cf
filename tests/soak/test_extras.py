"""Each extra is installed in a fresh environment and used, see `extras`."""

import sys

import pytest

import extras

pytestmark = pytest.mark.soak


@pytest.mark.parametrize("extra", extras.extras())
def test_extras(extra):
    found = extras.try_extra(extra)
    sys.stdout.write(f"{found}\n")
    assert not found.error
