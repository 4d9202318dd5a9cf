"""A job that is killed leaves whole files or none; `make soak PART=kills` does it 50 times."""

from __future__ import annotations

import pytest

from kills import Kills


@pytest.fixture(scope="module")
def kills(tmp_path_factory):
    return Kills(tmp_path_factory.mktemp("kills"), (160, 120))


@pytest.mark.parametrize("part", [0.5, 0.8, 0.95])
def test_killed_at_some_moment(kills, part):
    kills.kill_after(part * kills.seconds)
    kills.check()


def test_killed_while_writing(kills):
    kills.kill_while_writing(size=5000)
    kills.check()
