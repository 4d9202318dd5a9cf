"""Frames that follow one another in one file."""

import numpy as np
import pytest
import pyvips

from osmofuse.errors import OutputError
from osmofuse.io import write_animation


def test_the_frames_are_in_the_file_and_take_turns(tmp_path, rng):
    frames = [rng.integers(0, 256, (12, 20, 3)).astype(np.uint8) for _ in range(2)]
    path = write_animation(frames, tmp_path / "flicker.webp", milliseconds=300)
    film = pyvips.Image.new_from_file(str(path), n=-1)
    assert film.get("n-pages") == 2
    assert film.get("delay") == [300, 300]
    np.testing.assert_array_equal(film.numpy()[..., :3], np.concatenate(frames))


def test_other_sizes_and_places_are_refused(tmp_path):
    frames = [np.zeros((4, 4, 3), np.uint8)] * 2
    with pytest.raises(OutputError, match="cannot be written"):
        write_animation(frames, tmp_path / "none" / "flicker.webp")
    with pytest.raises(OutputError, match="16383"):
        write_animation([np.zeros((1, 17000, 3), np.uint8)], tmp_path / "long.webp")
