from __future__ import annotations

import sys

import numpy as np
import pytest
from click.testing import CliRunner

import osmofuse
from osmofuse import cli
from osmofuse.cli.output import NOT_AS_ASKED


@pytest.fixture
def texture(tmp_path, rng):
    return osmofuse.write(rng.integers(0, 256, (40, 50), np.uint8), tmp_path / "texture.png")


def run(*arguments):
    return CliRunner().invoke(cli.commands, ["compact", *map(str, arguments)])


def test_it_writes_the_reconstruction(texture, tmp_path):
    done = run(texture, "--share", "1", "-o", tmp_path / "again.png")
    assert done.exit_code == 0, done.output
    again = osmofuse.read(tmp_path / "again.png").pixels
    assert np.array_equal(again, osmofuse.read(texture).pixels)


def test_without_convergence_the_picture_is_written_and_the_code_is_5(
    texture, tmp_path, monkeypatch
):
    monkeypatch.setattr(sys.modules["osmofuse.tasks.compact"], "MAX_ITER", 1)
    done = run(texture, "-o", tmp_path / "again.png")
    assert done.exit_code == NOT_AS_ASKED
    assert "did not converge (max_iter)" in done.stderr
    assert (tmp_path / "again.png").exists()
