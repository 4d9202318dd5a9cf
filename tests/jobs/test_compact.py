from __future__ import annotations

import sys

import numpy as np
import pytest
from click.testing import CliRunner

import osmofuse
from osmofuse import CompactJob, SettingError, cli


def test_a_job_does_to_files_what_compact_does_to_pictures(tmp_path):
    halves = np.full((24, 30), 60, np.uint8)
    halves[:, 15:] = 200
    path = osmofuse.write(halves, tmp_path / "halves.png")
    result = CompactJob(path, share=0.2, output=tmp_path / "again.png").run()
    assert np.array_equal(osmofuse.read(tmp_path / "again.png").pixels, halves)
    assert any("pixels kept" in note for note in result.notes)


def test_settings_are_checked(tmp_path):
    with pytest.raises(SettingError, match=r"^share"):
        CompactJob("a.png", share=2, output=tmp_path / "out.png")


def test_the_command_says_if_the_solver_did_not_converge(tmp_path, rng, monkeypatch):
    monkeypatch.setattr(sys.modules["osmofuse.tasks.compact"], "MAX_ITER", 1)
    path = osmofuse.write(rng.integers(0, 256, (40, 50)).astype(np.uint8), tmp_path / "in.png")
    arguments = ["compact", str(path), "--share", "0.3", "-o", str(tmp_path / "out.png")]
    done = CliRunner().invoke(cli.commands, arguments)
    assert done.exit_code == 5
    assert "did not converge" in done.stderr
