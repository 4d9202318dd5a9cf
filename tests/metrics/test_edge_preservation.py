"""Edge preservation and artifacts against loops over pixels."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.signal import convolve2d

from osmofuse import InputError
from osmofuse.metrics import nabf, qabf

QABF_ACROSS = [[-1, 0, 1], [-2, 0, 2], [-1, 0, 1]]
QABF_UP = [[1, 2, 1], [0, 0, 0], [-1, -2, -1]]


def qabf_by_loops(u, f, b):
    """The definition, pixel by pixel."""
    gradients = [
        [convolve2d(255 * x, kernel, "same") for kernel in (QABF_ACROSS, QABF_UP)]
        for x in (u, f, b)
    ]
    kept = there = 0.0
    for i, j in np.ndindex(u.shape):
        lengths, angles = [], []
        for x, y in gradients:
            lengths.append(math.sqrt(x[i, j] ** 2 + y[i, j] ** 2))
            angles.append(math.pi / 2 if x[i, j] == 0 else math.atan(y[i, j] / x[i, j]))
        for k in (1, 2):
            low, high = sorted((lengths[k], lengths[0]))
            strength = low if low == high else low / high
            angle = 1 - abs(angles[k] - angles[0]) / (math.pi / 2)
            quality = 0.9994 / (1 + math.exp(-15 * (strength - 0.5)))
            quality *= 0.9879 / (1 + math.exp(-22 * (angle - 0.8)))
            kept += quality * lengths[k]
            there += lengths[k]
    return kept / there


@pytest.mark.parametrize("levels", [2, 4, 256])
def test_qabf_against_loops(rng, levels):
    """Few levels make equal lengths, zero lengths and level edges."""
    u, f, b = rng.integers(0, levels, (3, 13, 11)) / 255
    u[:5] = f[:5]
    b[6:9] = b[6, 0]
    assert qabf(u, f, b) == pytest.approx(qabf_by_loops(u, f, b), rel=1e-12)


def test_qabf_what_is_kept_is_kept(rng):
    u = rng.random((20, 20))
    assert qabf(u, u, u) == pytest.approx(0.9994 * 0.9879 / (1 + math.exp(-4.4)), rel=1e-3)


def test_qabf_black_sources_have_no_edges(rng):
    black = np.zeros((5, 6))
    with pytest.raises(InputError, match="no edges"):
        qabf(rng.random((5, 6)), black, black)


def nabf_edges(x):
    """Strength and angle at each pixel, borders mirrored about the outermost pixels."""
    rows, cols = x.shape
    found = np.zeros((rows, cols, 2))

    def at(i, j):
        return x[abs(i) if i < rows else 2 * rows - 2 - i, abs(j) if j < cols else 2 * cols - 2 - j]

    for i, j in np.ndindex(rows, cols):
        down = sum(w * (at(i + 1, j + k) - at(i - 1, j + k)) for k, w in ((-1, 1), (0, 2), (1, 1)))
        right = sum(w * (at(i + k, j + 1) - at(i + k, j - 1)) for k, w in ((-1, 1), (0, 2), (1, 1)))
        angle = 0.0
        if down or right:
            angle = math.atan(right / down) if down else math.pi / 2
        found[i, j] = math.sqrt(down**2 + right**2) / 8, angle
    return found


def nabf_by_loops(u, f, b):
    of_u, lost, total = nabf_edges(255 * u), 0.0, 0.0
    sources = nabf_edges(255 * f), nabf_edges(255 * b)
    for place in np.ndindex(u.shape):
        g_u, a_u = of_u[place]
        new = all(g_u > source[place][0] for source in sources)
        for source in sources:
            g, a = source[place]
            ratio = 0.0 if g == 0 or g_u == 0 else min(g, g_u) / max(g, g_u)
            turn = abs(abs(a - a_u) - math.pi / 2) * 2 / math.pi
            quality = math.sqrt(
                0.9999 / (1 + math.exp(-19 * (ratio - 0.5)))
                * 0.9995 / (1 + math.exp(-22 * (turn - 0.5)))
            )  # fmt: skip
            weight = g**1.5 if g >= 2 else 0.001
            total += weight
            lost += weight * (1 - quality) if new else 0.0
    return lost / total


@pytest.fixture
def nabf_pictures(rng):
    """Whole grey levels, with flat places and steps."""
    f, b = (np.repeat(rng.integers(0, 256, (2, 9, 4)), 3, axis=2)) / 255
    return np.rint(255 * (0.5 * f + 0.5 * b + 0.1 * rng.standard_normal(f.shape))) / 255, f, b


def test_nabf_against_loops(nabf_pictures):
    value = nabf(*nabf_pictures)
    assert value > 0.001
    assert value == pytest.approx(nabf_by_loops(*nabf_pictures), abs=1e-12)


def test_nabf_channels_are_averaged_and_a_band_serves_all(nabf_pictures):
    u, f, b = nabf_pictures
    stacks = [np.stack([x, y], axis=-1) for x, y in ((u, f), (f, f))]
    assert nabf(*stacks, b) == pytest.approx(nabf(u, f, b) / 2, abs=1e-12)


def test_nabf_no_artifacts_without_new_edges(nabf_pictures):
    u, f, b = nabf_pictures
    assert nabf(f, f, b) == nabf(b, f, b) == nabf(0.5 * f, f, b) == 0.0
    assert nabf(u, f, b) == pytest.approx(nabf(u, b, f), abs=1e-15)


def test_nabf_it_rises_with_ringing(nabf_pictures, rng):
    _, f, b = nabf_pictures
    noise = rng.standard_normal(f.shape)
    values = [nabf(f + size * noise, f, b) for size in (0.0, 0.02, 0.1, 0.5)]
    assert values == sorted(values)
    assert 0 < values[1] < values[-1] < 1


@pytest.mark.parametrize("shape", [(1, 1), (2, 3), (1, 7, 3), (4, 5)])
def test_nabf_flat_and_tiny_pictures(rng, shape):
    flat = np.full(shape, 0.3)
    assert nabf(flat, flat, flat) == 0.0
    assert 0.0 <= nabf(rng.random(shape), flat, flat) <= 1.0


def test_nabf_the_threshold_is_on_grey_levels(nabf_pictures):
    """Pictures a hundred times fainter lose all weight, and so the value changes."""
    assert nabf(*(x / 100 for x in nabf_pictures)) != pytest.approx(nabf(*nabf_pictures), rel=0.05)


def test_nabf_rounding_makes_no_edges(nabf_pictures):
    """A picture equal to a source has no stronger edge in single precision either."""
    _, f, b = nabf_pictures
    assert nabf(f.astype(np.float32), f, b) == 0.0


def test_nabf_direct_matting_of_the_face(direct_face):
    assert nabf(*direct_face) == pytest.approx(0.00251, abs=1e-5)


def test_nabf_edges_of_two_levels_have_their_full_weight():
    """A ramp of exactly 2 grey levels a pixel lies on the threshold."""
    ramp = np.tile(2.0 * np.arange(12), (9, 1)) / 255
    fused = np.where(np.arange(12) % 4 == 0, ramp + 0.1, ramp)
    flat = np.full_like(ramp, 0.2)
    assert nabf(fused, ramp, flat) == pytest.approx(nabf_by_loops(fused, ramp, flat), abs=1e-12)
