from __future__ import annotations

import math

import numpy as np
import pytest

from osmofuse.metrics import nabf


def edges(x):
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


def by_loops(u, f, b):
    of_u, lost, total = edges(255 * u), 0.0, 0.0
    sources = edges(255 * f), edges(255 * b)
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
def pictures(rng):
    """Whole grey levels, with flat places and steps."""
    f, b = (np.repeat(rng.integers(0, 256, (2, 9, 4)), 3, axis=2)) / 255
    return np.rint(255 * (0.5 * f + 0.5 * b + 0.1 * rng.standard_normal(f.shape))) / 255, f, b


def test_against_loops(pictures):
    value = nabf(*pictures)
    assert value > 0.001
    assert value == pytest.approx(by_loops(*pictures), abs=1e-12)


def test_channels_are_averaged_and_a_band_serves_all(pictures):
    u, f, b = pictures
    stacks = [np.stack([x, y], axis=-1) for x, y in ((u, f), (f, f))]
    assert nabf(*stacks, b) == pytest.approx(nabf(u, f, b) / 2, abs=1e-12)


def test_no_artifacts_without_new_edges(pictures):
    u, f, b = pictures
    assert nabf(f, f, b) == nabf(b, f, b) == nabf(0.5 * f, f, b) == 0.0
    assert nabf(u, f, b) == pytest.approx(nabf(u, b, f), abs=1e-15)


def test_it_rises_with_ringing(pictures, rng):
    _, f, b = pictures
    noise = rng.standard_normal(f.shape)
    values = [nabf(f + size * noise, f, b) for size in (0.0, 0.02, 0.1, 0.5)]
    assert values == sorted(values)
    assert 0 < values[1] < values[-1] < 1


@pytest.mark.parametrize("shape", [(1, 1), (2, 3), (1, 7, 3), (4, 5)])
def test_flat_and_tiny_pictures(rng, shape):
    flat = np.full(shape, 0.3)
    assert nabf(flat, flat, flat) == 0.0
    assert 0.0 <= nabf(rng.random(shape), flat, flat) <= 1.0


def test_the_threshold_is_on_grey_levels(pictures):
    """Pictures a hundred times fainter lose all weight, and so the value changes."""
    assert nabf(*(x / 100 for x in pictures)) != pytest.approx(nabf(*pictures), rel=0.05)


def test_rounding_makes_no_edges(pictures):
    """A picture equal to a source has no stronger edge in single precision either."""
    _, f, b = pictures
    assert nabf(f.astype(np.float32), f, b) == 0.0


def test_direct_matting_of_the_face(direct_face):
    assert nabf(*direct_face) == pytest.approx(0.00251, abs=1e-5)
