from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pytest

from osmofuse.metrics.joint_entropy import entropies, stretched


def bits(items):
    counts = Counter(items)
    total = sum(counts.values())
    return -math.fsum(n / total * math.log2(n / total) for n in counts.values())


def test_against_counting(rng):
    x, y = rng.integers(0, 9, (2, 7, 8)).astype(np.uint8) * 31
    found = entropies(x, y)
    lists = x.ravel().tolist(), y.ravel().tolist()
    expected = [bits(lists[0]), bits(lists[1]), bits(zip(*lists, strict=True))]
    assert list(found) == pytest.approx(expected, abs=1e-12)
    assert found.mutual == pytest.approx(expected[0] + expected[1] - expected[2], abs=1e-12)


def test_by_hand():
    x, y = np.array([0, 0, 255, 255], np.uint8), np.array([0, 9, 0, 9], np.uint8)
    assert entropies(x, y) == (1.0, 1.0, 2.0)
    assert entropies(x, y).mutual == 0.0
    assert entropies(x, x).mutual == 1.0


def test_stretching_keeps_8_bit_levels_apart(rng):
    x = np.arange(40.0, 201.0)[None]
    y = stretched(x)
    assert (y.min(), y.max(), len(np.unique(y))) == (0, 255, 161)
    assert not stretched(np.full((2, 2), 7.3)).any()
    np.testing.assert_array_equal(stretched(np.array([[0.0, 0.5, 255.0]])), [[0, 1, 255]])
