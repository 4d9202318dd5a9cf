from __future__ import annotations

import numpy as np
import pytest

import osmofuse
from osmofuse import CompactJob, SettingError


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
