from __future__ import annotations

import numpy as np
import pytest

from osmofuse.metrics import spatial_frequency


def test_channels_lie_side_by_side(rng):
    u = rng.integers(0, 256, (7, 6, 3))
    plane = np.concatenate([u[..., c] for c in range(3)], axis=1).astype(float)
    squares = (np.diff(plane, axis=0) ** 2).sum() + (np.diff(plane, axis=1) ** 2).sum()
    assert spatial_frequency(u / 255) == pytest.approx(np.sqrt(squares / plane.size), rel=1e-14)


def test_by_hand():
    u = np.array([[0, 3], [4, 4]]) / 255
    assert spatial_frequency(u) == pytest.approx(np.sqrt((9 + 0 + 16 + 1) / 4))
