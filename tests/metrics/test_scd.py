from __future__ import annotations

import numpy as np
import pytest

from osmofuse.metrics import scd


@pytest.fixture
def pictures(rng):
    return rng.random((3, 9, 8, 3))


def test_against_numpys_correlation(pictures):
    u, f, b = pictures
    expected = np.mean(
        [
            np.corrcoef((u - b)[..., c].ravel(), f[..., c].ravel())[0, 1]
            + np.corrcoef((u - f)[..., c].ravel(), b[..., c].ravel())[0, 1]
            for c in range(3)
        ]
    )
    assert scd(u, f, b) == pytest.approx(expected, abs=1e-12)


def test_laws(pictures):
    u, f, b = pictures
    assert scd(f + b, f, b) == pytest.approx(2.0, abs=1e-12)
    assert scd(b + f - 1, f, b) == pytest.approx(2.0, abs=1e-12)
    assert scd(-f - b, f, b) < -0.5
    assert scd(u, f, b) == pytest.approx(scd(u, b, f), abs=1e-12)
    assert scd(u, f, b[..., 0]) == pytest.approx(scd(u, f, b[..., [0, 0, 0]]), abs=1e-12)


def test_it_sinks_with_noise(pictures):
    u, f, b = pictures
    values = [scd(f + b + size * u, f, b) for size in (0.0, 0.5, 2.0, 8.0)]
    assert values == sorted(values, reverse=True)


@pytest.mark.parametrize("level", [0.0, 0.1, 1.0])
def test_flat_has_no_correlation(pictures, level):
    _, f, b = pictures
    flat = np.full_like(f, level)
    assert scd(flat, flat, flat) == 0.0
    assert scd(b, flat, b) == pytest.approx(1.0, abs=1e-12)
    expected = [np.corrcoef((b - f)[..., c].ravel(), b[..., c].ravel())[0, 1] for c in range(3)]
    assert scd(b, f, b) == pytest.approx(np.mean(expected), abs=1e-12)


def test_the_last_bits_of_single_precision_correlate_with_nothing(rng, nearly_flat):
    flat = nearly_flat((20, 30))
    f = flat.mean() * rng.random(flat.shape)
    assert scd(flat, f, flat.mean() + 0 * flat) == 0.0  # all that is left of u is the last bits
    u = np.nextafter(f.astype(np.float32), np.float32(9)).astype(np.float64)
    assert scd(u, f, f) == 0.0


def test_direct_matting_of_the_face(direct_face):
    assert scd(*direct_face) == pytest.approx(1.0180, abs=1e-4)
