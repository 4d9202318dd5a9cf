"""NMI, SCD and Yang's quality against loops, and their properties."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pytest

from osmofuse import InputError
from osmofuse.metrics import nmi, qy, scd


def nmi_bits(items):
    counts = Counter(items)
    total = sum(counts.values())
    return -math.fsum(n / total * math.log2(n / total) for n in counts.values())


def nmi_share(x, y):
    x, y = x.ravel().tolist(), y.ravel().tolist()
    apart = nmi_bits(x) + nmi_bits(y)
    return 2 * (apart - nmi_bits(zip(x, y, strict=True))) / apart


@pytest.fixture
def nmi_pictures(rng):
    return rng.integers(0, 6, (3, 12, 13, 3)) * 51 / 255


def test_nmi_against_counting(nmi_pictures):
    u, f, b = nmi_pictures
    expected = np.mean([sum(nmi_share(s[..., c], u[..., c]) for s in (f, b)) for c in range(3)])
    assert nmi(u, f, b) == pytest.approx(expected, abs=1e-12)


def test_nmi_laws(nmi_pictures):
    u, f, b = nmi_pictures
    assert nmi(f, f, f) == pytest.approx(2.0, abs=1e-12)
    assert nmi(1 - f, f, f) == pytest.approx(2.0, abs=1e-12)
    assert nmi(u, f, b) == pytest.approx(nmi(u, b, f), abs=1e-12)
    assert nmi(0.2 + 0.4 * u, f, b) == pytest.approx(nmi(u, f, b), abs=1e-12)
    assert nmi(f, f, b) > nmi(u, f, b)


def test_nmi_it_sinks_with_noise(rng):
    f = rng.random((40, 40))
    f = np.floor(8 * f) / 8
    noise = rng.standard_normal(f.shape)
    values = [nmi(f + size * noise, f, f) for size in (0.0, 0.05, 0.2)]
    assert values == sorted(values, reverse=True)


def test_nmi_flat_pictures(nmi_pictures):
    u, f, _ = nmi_pictures
    flat = np.full_like(u, 0.3)
    assert nmi(u, flat, flat) == 0.0
    with pytest.raises(InputError, match=r"^fused, background: both flat in a channel"):
        nmi(flat, f, flat)


def test_nmi_direct_matting_of_the_face(direct_face):
    assert nmi(*direct_face) == pytest.approx(1.0021, abs=1e-4)


@pytest.fixture
def scd_pictures(rng):
    return rng.random((3, 9, 8, 3))


def test_scd_against_numpys_correlation(scd_pictures):
    u, f, b = scd_pictures
    expected = np.mean(
        [
            np.corrcoef((u - b)[..., c].ravel(), f[..., c].ravel())[0, 1]
            + np.corrcoef((u - f)[..., c].ravel(), b[..., c].ravel())[0, 1]
            for c in range(3)
        ]
    )
    assert scd(u, f, b) == pytest.approx(expected, abs=1e-12)


def test_scd_laws(scd_pictures):
    u, f, b = scd_pictures
    assert scd(f + b, f, b) == pytest.approx(2.0, abs=1e-12)
    assert scd(b + f - 1, f, b) == pytest.approx(2.0, abs=1e-12)
    assert scd(-f - b, f, b) < -0.5
    assert scd(u, f, b) == pytest.approx(scd(u, b, f), abs=1e-12)
    assert scd(u, f, b[..., 0]) == pytest.approx(scd(u, f, b[..., [0, 0, 0]]), abs=1e-12)


def test_scd_it_sinks_with_noise(scd_pictures):
    u, f, b = scd_pictures
    values = [scd(f + b + size * u, f, b) for size in (0.0, 0.5, 2.0, 8.0)]
    assert values == sorted(values, reverse=True)


@pytest.mark.parametrize("level", [0.0, 0.1, 1.0])
def test_scd_flat_has_no_correlation(scd_pictures, level):
    _, f, b = scd_pictures
    flat = np.full_like(f, level)
    assert scd(flat, flat, flat) == 0.0
    assert scd(b, flat, b) == pytest.approx(1.0, abs=1e-12)
    expected = [np.corrcoef((b - f)[..., c].ravel(), b[..., c].ravel())[0, 1] for c in range(3)]
    assert scd(b, f, b) == pytest.approx(np.mean(expected), abs=1e-12)


def test_scd_the_last_bits_of_single_precision_correlate_with_nothing(rng, nearly_flat):
    flat = nearly_flat((20, 30))
    f = flat.mean() * rng.random(flat.shape)
    assert scd(flat, f, flat.mean() + 0 * flat) == 0.0  # all that is left of u is the last bits
    u = np.nextafter(f.astype(np.float32), np.float32(9)).astype(np.float64)
    assert scd(u, f, f) == 0.0


def test_scd_direct_matting_of_the_face(direct_face):
    assert scd(*direct_face) == pytest.approx(1.0180, abs=1e-4)


QY_T = np.arange(-3, 4)
QY_WINDOW = np.exp(-(QY_T[:, None] ** 2 + QY_T**2) / (2 * 1.5**2))
QY_WINDOW /= QY_WINDOW.sum()


def qy_similarity(a, b):
    mean_a, mean_b = (QY_WINDOW * a).sum(), (QY_WINDOW * b).sum()
    var_a, var_b = (QY_WINDOW * (a - mean_a) ** 2).sum(), (QY_WINDOW * (b - mean_b) ** 2).sum()
    cov = (QY_WINDOW * (a - mean_a) * (b - mean_b)).sum()
    product = 2 * mean_a * mean_b / (mean_a**2 + mean_b**2) * 2 * cov / (var_a + var_b)
    return product, var_a, var_b


def qy_by_loops(u, f, b):
    values = []
    for i in range(u.shape[0] - 6):
        for j in range(u.shape[1] - 6):
            x, y, z = (p[i : i + 7, j : j + 7] for p in (u, f, b))
            between, var_y, var_z = qy_similarity(y, z)
            to_y, to_z = qy_similarity(y, x)[0], qy_similarity(z, x)[0]
            part = var_y / (var_y + var_z)
            agreed = between >= 0.75
            values.append(part * to_y + (1 - part) * to_z if agreed else max(to_y, to_z))
    return np.mean(values)


@pytest.fixture
def qy_pictures(rng):
    """Sources that agree on the left and not on the right."""
    f, noise, u = rng.random((3, 12, 26))
    b = np.where(np.arange(26) < 13, 0.8 * f + 0.1 * noise, noise)
    return 0.4 * (f + b) + 0.2 * u, f, b


def test_qy_against_loops(qy_pictures):
    assert qy(*qy_pictures) == pytest.approx(qy_by_loops(*qy_pictures), abs=1e-10)


def test_qy_both_cases_occur(qy_pictures):
    _, f, b = qy_pictures
    agreed = [qy_similarity(f[:7, j : j + 7], b[:7, j : j + 7])[0] >= 0.75 for j in (0, 19)]
    assert agreed == [True, False]


def test_qy_channels_are_averaged_and_a_band_serves_all(qy_pictures):
    u, f, b = qy_pictures
    stacks = [np.stack([x, y], axis=-1) for x, y in ((u, f), (f, f))]
    assert qy(*stacks, b) == pytest.approx((qy(u, f, b) + qy(f, f, b)) / 2, abs=1e-12)


def test_qy_laws(qy_pictures, rng):
    u, f, b = qy_pictures
    assert qy(f, f, f) == pytest.approx(1.0, abs=1e-12)
    assert qy(u, f, b) == pytest.approx(qy(u, b, f), abs=1e-12)
    assert qy(1 - f, f, f) < -0.5
    other = rng.random(f.shape)
    assert qy(f, f, other) == pytest.approx(1.0, abs=1e-12)
    noise = rng.standard_normal(f.shape)
    values = [qy(f + size * noise, f, other) for size in (0.0, 0.05, 0.2)]
    assert values == sorted(values, reverse=True)


@pytest.mark.parametrize("level", [0.0, 0.1, 1.0])
def test_qy_flat_windows(qy_pictures, level):
    u, f, _ = qy_pictures
    flat = np.full_like(f, level)
    assert qy(flat, flat, flat) == pytest.approx(1.0, abs=1e-12)
    assert qy(flat, f, f) == 0.0
    assert qy(u, flat, flat) == 0.0
    expected = 2 * 0.4 * 0.8 / (0.4**2 + 0.8**2)
    assert qy(0 * f + 0.4, 0 * f + 0.8, 0 * f + 0.8) == pytest.approx(expected, abs=1e-12)


def test_qy_the_last_bits_of_single_precision_are_flat(qy_pictures, nearly_flat):
    _, f, _ = qy_pictures
    one, other = nearly_flat(f.shape), nearly_flat(f.shape)
    assert qy(one, other, other) == pytest.approx(1.0, abs=1e-6)
    assert qy(one, f, f) == 0.0


def test_qy_small_pictures_have_a_reason(qy_pictures):
    with pytest.raises(InputError, match="needs 7 pixels"):
        qy(*(x[:6] for x in qy_pictures))


def test_qy_direct_matting_of_the_face(direct_face):
    assert qy(*direct_face) == pytest.approx(0.9915, abs=1e-4)


def test_rounding_does_not_lead_out_of_the_range(rng):
    for _ in range(100):
        f, b = rng.random((2, 5, 7))
        assert -2.0 <= scd(-f - b, f, b) <= scd(f + b, f, b) <= 2.0
        x = rng.integers(0, 9, (20, 23)) / 8
        assert nmi(1 - x, x, x) <= 2.0


def test_qy_two_flat_sources_have_equal_weights():
    u, f, b = (np.full((9, 9), level) for level in (0.4, 0.8, 0.6))
    to_f, to_b = (2 * 0.4 * x / (0.4**2 + x**2) for x in (0.8, 0.6))
    assert qy(u, f, b) == pytest.approx((to_f + to_b) / 2, abs=1e-12)
    assert qy(u, b, f) == pytest.approx((to_f + to_b) / 2, abs=1e-12)
