from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pytest

from osmofuse import InputError
from osmofuse.metrics import nmi


def bits(items):
    counts = Counter(items)
    total = sum(counts.values())
    return -math.fsum(n / total * math.log2(n / total) for n in counts.values())


def share(x, y):
    x, y = x.ravel().tolist(), y.ravel().tolist()
    apart = bits(x) + bits(y)
    return 2 * (apart - bits(zip(x, y, strict=True))) / apart


@pytest.fixture
def pictures(rng):
    return rng.integers(0, 6, (3, 12, 13, 3)) * 51 / 255


def test_against_counting(pictures):
    u, f, b = pictures
    expected = np.mean([sum(share(s[..., c], u[..., c]) for s in (f, b)) for c in range(3)])
    assert nmi(u, f, b) == pytest.approx(expected, abs=1e-12)


def test_laws(pictures):
    u, f, b = pictures
    assert nmi(f, f, f) == pytest.approx(2.0, abs=1e-12)
    assert nmi(1 - f, f, f) == pytest.approx(2.0, abs=1e-12)
    assert nmi(u, f, b) == pytest.approx(nmi(u, b, f), abs=1e-12)
    assert nmi(0.2 + 0.4 * u, f, b) == pytest.approx(nmi(u, f, b), abs=1e-12)
    assert nmi(f, f, b) > nmi(u, f, b)


def test_it_sinks_with_noise(rng):
    f = rng.random((40, 40))
    f = np.floor(8 * f) / 8
    noise = rng.standard_normal(f.shape)
    values = [nmi(f + size * noise, f, f) for size in (0.0, 0.05, 0.2)]
    assert values == sorted(values, reverse=True)


def test_flat_pictures(pictures):
    u, f, _ = pictures
    flat = np.full_like(u, 0.3)
    assert nmi(u, flat, flat) == 0.0
    with pytest.raises(InputError, match=r"^fused, background: both flat in a channel"):
        nmi(flat, f, flat)


def test_direct_matting_of_the_face(direct_face):
    assert nmi(*direct_face) == pytest.approx(1.0021, abs=1e-4)
