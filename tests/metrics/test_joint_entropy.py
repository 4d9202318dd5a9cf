from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pytest

from osmofuse.metrics.grey_levels import joint_counts
from osmofuse.metrics.joint_entropy import entropies


def nats(items):
    counts = Counter(items)
    total = sum(counts.values())
    return -math.fsum(n / total * math.log(n / total) for n in counts.values())


def test_against_counting(rng):
    x, y = rng.integers(0, 9, (2, 7, 8)) * 31.0
    found = entropies(joint_counts(x, y))
    lists = x.ravel().tolist(), y.ravel().tolist()
    expected = [nats(lists[0]), nats(lists[1]), nats(zip(*lists, strict=True))]
    assert list(found) == pytest.approx(expected, abs=1e-12)
    assert found.mutual == pytest.approx(expected[0] + expected[1] - expected[2], abs=1e-12)


def test_by_hand():
    x, y = np.array([[0.0, 0.0, 255.0, 255.0]]), np.array([[0.0, 9.0, 0.0, 9.0]])
    bit = math.log(2.0)
    apart = entropies(joint_counts(x, y))
    assert apart == pytest.approx((bit, bit, 2 * bit))
    assert apart.mutual == pytest.approx(0.0, abs=16 * np.finfo(float).eps)
    assert entropies(joint_counts(x, x)).mutual == pytest.approx(bit)
