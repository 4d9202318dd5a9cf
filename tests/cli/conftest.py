"""A folder with a pair, and ``osmofuse fuse`` in it; files of other commands have their own."""

import pytest
from click.testing import CliRunner

from osmofuse import cli
from pairs import warm, write_pair


@pytest.fixture
def folder(tmp_path):
    write_pair(tmp_path)
    return tmp_path


@pytest.fixture(scope="module")
def warmed(tmp_path_factory):
    """Have the kernels compiled, so that every process loads them."""
    warm(tmp_path_factory.mktemp("warm"))


@pytest.fixture
def invoke(folder, monkeypatch):
    """Return a function that runs the command in this process."""
    monkeypatch.chdir(folder)
    return lambda *arguments: CliRunner().invoke(cli.commands, ["fuse", *arguments])
