from __future__ import annotations

import math

import numpy as np
import pytest

from osmofuse.metrics import cross_entropy


def test_equal_pictures_have_none(rng):
    u = rng.random((6, 5))
    assert cross_entropy(u, u, u) == 0.0


def test_by_hand():
    """Parts (1/4, 3/4) against (1/2, 1/2); the other source has no level in common."""
    u = np.array([[10, 10], [20, 20]]) / 255
    f = np.array([[10, 20], [20, 20]]) / 255
    b = np.full((2, 2), 30 / 255)
    expected = 0.25 * np.log2(0.5) + 0.75 * np.log2(1.5)
    assert cross_entropy(u, f, b) == pytest.approx(expected / 2)


def test_levels_that_one_lacks_can_make_it_negative():
    """The least there can be: the part 1/e of a source, at the fused picture's only level."""
    n = 1000
    f = np.where(np.arange(n) < n / math.e, 10, 20).reshape(1, n) / 255
    u = np.full((1, n), 10 / 255)
    assert cross_entropy(u, f, f) == pytest.approx(-math.log2(math.e) / math.e, rel=1e-4)
