from __future__ import annotations

import numpy as np
import pytest

from osmofuse import InputError
from osmofuse.metrics import viff
from plain_information import windows


@pytest.fixture
def pictures(rng):
    f, b = rng.random((2, 42, 43))
    return 0.5 * f + 0.4 * b, f, b


def by_loops(u, f, b):
    noise = 0.005 * 255**2
    value = 0.0
    pairs = zip(windows(255 * f, 255 * u, noise), windows(255 * b, 255 * u, noise), strict=True)
    for weight, (of_f, of_b) in zip((1, 0, 0.15, 1), pairs, strict=True):
        kept = whole = 0.0
        for x, y in zip(of_f, of_b, strict=True):
            chosen = x if x[0] < y[0] else y
            kept += chosen[1] + 1e-7
            whole += chosen[2] + 1e-7
        value += weight / 2.15 * kept / whole
    return value


def test_against_loops(pictures):
    assert viff(*pictures) == pytest.approx(by_loops(*pictures), abs=1e-9)


def test_channels_are_averaged_and_a_band_serves_all(pictures):
    u, f, b = pictures
    stacks = [np.stack([x, y], axis=-1) for x, y in ((u, f), (f, f))]
    assert viff(*stacks, b) == pytest.approx((viff(u, f, b) + viff(f, f, b)) / 2, abs=1e-12)


def test_identity_and_flat_pictures(pictures):
    _, f, _ = pictures
    assert viff(f, f, f) == pytest.approx(1.0, abs=1e-9)
    flat = np.full_like(f, 0.3)
    assert viff(flat, flat, flat) == pytest.approx(1.0, abs=1e-12)
    assert viff(flat, f, f) < 1e-5


def test_it_sinks_with_noise(pictures, rng):
    u, f, b = pictures
    noise = rng.standard_normal(u.shape)
    values = [viff(u + size * noise, f, b) for size in (0.0, 0.2, 1.0)]
    assert values == sorted(values, reverse=True)


def test_small_pictures_have_a_reason(pictures):
    with pytest.raises(InputError, match="needs 41 pixels"):
        viff(*(x[:, :40] for x in pictures))


def test_direct_matting_of_the_face(direct_face):
    assert viff(*direct_face) == pytest.approx(0.3185, abs=1e-4)
