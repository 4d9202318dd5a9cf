"""What the tests of jobs share: a pair of files, and a job of them."""

from __future__ import annotations

import pytest

from osmofuse.jobs import FuseJob
from pairs import write_pair


@pytest.fixture
def pair(tmp_path):
    return write_pair(tmp_path)


@pytest.fixture
def make_job(pair, tmp_path):
    """Return a function that makes a job of the pair."""

    def make(**changes):
        parts = {
            "foreground": pair["visible"],
            "backgrounds": pair["infrared"],
            "alpha": pair["map"],
            "method": "direct",
            "output": tmp_path / "fused.tif",
        }
        return FuseJob(**(parts | changes))

    return make
