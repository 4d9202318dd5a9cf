"""Scores of files: those of the pictures in them, with the map that a job would have used."""

from __future__ import annotations

import numpy as np
import pytest

import osmofuse
from osmofuse.errors import InputError, UnreadableError
from osmofuse.jobs.scoring import score_files


def test_files_are_scored_as_their_pictures(pair):
    paths = pair["visible"], pair["visible"], pair["infrared"]
    found, notes = score_files(*paths, pair["map"], truth=pair["visible"], depth=16)
    pictures = [osmofuse.read(path) for path in (*paths, pair["map"])]
    assert found == osmofuse.score(*pictures, truth=pictures[0], depth=16)
    assert notes == ()


def test_a_map_is_understood_as_a_job_understands_it(pair, tmp_path):
    mask = np.zeros((40, 32), np.uint8)
    mask[:, 16:] = 255
    layer = np.dstack([np.full((40, 32, 3), 255, np.uint8), mask])
    osmofuse.write(osmofuse.Picture(layer, transparency=True), tmp_path / "layer.png")
    paths = pair["visible"], pair["visible"], pair["infrared"]
    found, notes = score_files(*paths, tmp_path / "layer.png")
    assert found == osmofuse.score(*map(osmofuse.read, paths), mask)
    assert "the map is in the transparency" in notes[0]
    with pytest.raises(InputError, match=r"visible\.tif: a coloured picture"):
        score_files(*paths, pair["visible"])


def test_a_file_that_is_not_there(pair, tmp_path):
    with pytest.raises(UnreadableError, match="gone"):
        score_files(tmp_path / "gone.tif", pair["visible"], pair["infrared"])
