"""Damaged files: a picture or an UnreadableError, never anything else."""

import numpy as np
import pytest

import osmofuse

pytestmark = pytest.mark.soak


@pytest.mark.parametrize("suffix", [".tif", ".png", ".jpg", ".webp"])
def test_damaged_files_are_read_or_refused(suffix, tmp_path):
    rng = np.random.default_rng(0)
    depth = np.uint16 if suffix in (".tif", ".png") else np.uint8
    pixels = rng.integers(0, np.iinfo(depth).max, (40, 30, 3), endpoint=True).astype(depth)
    whole = osmofuse.write(pixels, tmp_path / f"whole{suffix}").read_bytes()
    damaged = tmp_path / f"damaged{suffix}"
    outcomes = {"read": 0, "refused": 0}
    for _ in range(1500):
        data = bytearray(whole[: rng.integers(1, len(whole) + 1)])
        for place in rng.integers(0, len(data), rng.integers(0, 8)):
            data[place] = rng.integers(256)
        damaged.write_bytes(bytes(data))
        try:
            osmofuse.read(damaged)
            outcomes["read"] += 1
        except (osmofuse.UnreadableError, osmofuse.LimitError):  # or it claims to be huge
            outcomes["refused"] += 1
    assert outcomes["refused"] > 300
    assert sum(outcomes.values()) == 1500
