"""Detail inside the boundary: blur and noise are seen, whatever the scene's contrast."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.ndimage import gaussian_filter

from osmofuse.metrics.boundary_detail import unexplained_detail

INSIDE = np.tile(np.arange(96) < 48, (64, 1))
PLACES = np.repeat(np.arange(64), 2), np.tile([47, 48], 64)


@pytest.fixture
def scene(rng):
    """Texture of all scales, with deviation 0.3."""
    white = rng.standard_normal((64, 96))
    found = sum(gaussian_filter(white, s) * max(s, 0.3) for s in (0.0, 1.0, 2.0, 4.0))
    return (1.0 + 0.3 * found / found.std())[..., np.newaxis].astype(np.float32)


def unlike(fused, *sources, factors=None):
    factors = [np.ones(len(PLACES[0]))] * len(sources) if factors is None else factors
    return unexplained_detail(fused, sources, factors, INSIDE, PLACES)


def blurred(x, sigma):
    soft = gaussian_filter(x, (sigma, sigma, 0)) if sigma else x
    return np.where(INSIDE[..., np.newaxis], soft, x)


def test_a_source_has_all_its_detail(rng, scene):
    other = rng.random(scene.shape).astype(np.float32)
    assert unlike(scene, scene, other).max() == 0.0
    assert unlike(scene, other, scene).max() == 0.0
    assert unlike(0.8 * scene, scene).max() == 0.0


@pytest.mark.parametrize("contrast", [0.2, 1.0])
def test_blur_is_ranked_whatever_the_contrast(scene, contrast):
    found = [
        unlike(contrast * blurred(scene, sigma), contrast * scene).mean()
        for sigma in (0.0, 1.0, 2.0, 4.0)
    ]
    assert found[0] == 0.0
    assert min(np.diff(found)) > 0.05
    assert found[-1] > 0.6


def test_another_brightness_is_no_blur(scene):
    factor = np.full(len(PLACES[0]), 0.5)
    assert unlike(0.4 * scene, scene, factors=[factor]).max() == 0.0
    assert unlike(np.where(INSIDE[..., None], 0.4 * scene, scene), scene).min() > 0.2


def test_noise_is_seen(rng, scene):
    noise = rng.standard_normal(scene.shape).astype(np.float32)
    spoilt = scene + noise * INSIDE[..., np.newaxis]
    assert unlike(spoilt, scene).min() > 0.3


@pytest.mark.parametrize(
    "change", [lambda x: blurred(x, 2.0), lambda x: x + (x - 1) * INSIDE[..., None]]
)
def test_without_sources_the_outside_is_compared(scene, change):
    assert unlike(scene).mean() < 0.05
    assert unlike(change(scene)).mean() > 0.2


def test_flat_pictures_and_narrow_parts_have_no_detail(scene):
    assert unlike(np.ones_like(scene), np.ones_like(scene)).max() == 0.0
    assert unlike(np.ones_like(scene)).max() == 0.0
    narrow = np.tile(np.arange(96) == 47, (64, 1)) & (np.arange(64) == 20)[:, np.newaxis]
    for mask in (narrow, ~narrow):
        assert unexplained_detail(scene, [], [], mask, PLACES).max() == 0.0
