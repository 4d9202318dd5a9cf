from __future__ import annotations

import numpy as np
import pytest

from osmofuse.metrics import rmse


def test_the_root_is_taken_before_the_mean():
    """Differences of 10 and 20 levels at each of 12 pixels."""
    u = np.full((3, 4), 100 / 255)
    f, b = u + 10 / 255, u - 20 / 255
    assert rmse(u, f, b) == pytest.approx(15 / np.sqrt(12))


def test_equal_pictures_have_none(rng):
    u = rng.random((6, 5, 3))
    assert rmse(u, u, u) == 0.0
