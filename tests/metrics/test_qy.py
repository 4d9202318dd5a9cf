from __future__ import annotations

import numpy as np
import pytest

from osmofuse import InputError
from osmofuse.metrics import qy

T = np.arange(-3, 4)
WINDOW = np.exp(-(T[:, None] ** 2 + T**2) / (2 * 1.5**2))
WINDOW /= WINDOW.sum()


def similarity(a, b):
    mean_a, mean_b = (WINDOW * a).sum(), (WINDOW * b).sum()
    var_a, var_b = (WINDOW * (a - mean_a) ** 2).sum(), (WINDOW * (b - mean_b) ** 2).sum()
    cov = (WINDOW * (a - mean_a) * (b - mean_b)).sum()
    product = 2 * mean_a * mean_b / (mean_a**2 + mean_b**2) * 2 * cov / (var_a + var_b)
    return product, var_a, var_b


def by_loops(u, f, b):
    values = []
    for i in range(u.shape[0] - 6):
        for j in range(u.shape[1] - 6):
            x, y, z = (p[i : i + 7, j : j + 7] for p in (u, f, b))
            between, var_y, var_z = similarity(y, z)
            to_y, to_z = similarity(y, x)[0], similarity(z, x)[0]
            part = var_y / (var_y + var_z)
            agreed = between >= 0.75
            values.append(part * to_y + (1 - part) * to_z if agreed else max(to_y, to_z))
    return np.mean(values)


@pytest.fixture
def pictures(rng):
    """Sources that agree on the left and not on the right."""
    f, noise, u = rng.random((3, 12, 26))
    b = np.where(np.arange(26) < 13, 0.8 * f + 0.1 * noise, noise)
    return 0.4 * (f + b) + 0.2 * u, f, b


def test_against_loops(pictures):
    assert qy(*pictures) == pytest.approx(by_loops(*pictures), abs=1e-10)


def test_both_cases_occur(pictures):
    _, f, b = pictures
    agreed = [similarity(f[:7, j : j + 7], b[:7, j : j + 7])[0] >= 0.75 for j in (0, 19)]
    assert agreed == [True, False]


def test_channels_are_averaged_and_a_band_serves_all(pictures):
    u, f, b = pictures
    stacks = [np.stack([x, y], axis=-1) for x, y in ((u, f), (f, f))]
    assert qy(*stacks, b) == pytest.approx((qy(u, f, b) + qy(f, f, b)) / 2, abs=1e-12)


def test_laws(pictures, rng):
    u, f, b = pictures
    assert qy(f, f, f) == pytest.approx(1.0, abs=1e-12)
    assert qy(u, f, b) == pytest.approx(qy(u, b, f), abs=1e-12)
    assert qy(1 - f, f, f) < -0.5
    other = rng.random(f.shape)
    assert qy(f, f, other) == pytest.approx(1.0, abs=1e-12)
    noise = rng.standard_normal(f.shape)
    values = [qy(f + size * noise, f, other) for size in (0.0, 0.05, 0.2)]
    assert values == sorted(values, reverse=True)


@pytest.mark.parametrize("level", [0.0, 0.1, 1.0])
def test_flat_windows(pictures, level):
    u, f, _ = pictures
    flat = np.full_like(f, level)
    assert qy(flat, flat, flat) == pytest.approx(1.0, abs=1e-12)
    assert qy(flat, f, f) == 0.0
    assert qy(u, flat, flat) == 0.0
    expected = 2 * 0.4 * 0.8 / (0.4**2 + 0.8**2)
    assert qy(0 * f + 0.4, 0 * f + 0.8, 0 * f + 0.8) == pytest.approx(expected, abs=1e-12)


def test_the_last_bits_of_single_precision_are_flat(pictures, nearly_flat):
    _, f, _ = pictures
    one, other = nearly_flat(f.shape), nearly_flat(f.shape)
    assert qy(one, other, other) == pytest.approx(1.0, abs=1e-6)
    assert qy(one, f, f) == 0.0


def test_small_pictures_have_a_reason(pictures):
    with pytest.raises(InputError, match="needs 7 pixels"):
        qy(*(x[:6] for x in pictures))


def test_direct_matting_of_the_face(direct_face):
    assert qy(*direct_face) == pytest.approx(0.9915, abs=1e-4)
