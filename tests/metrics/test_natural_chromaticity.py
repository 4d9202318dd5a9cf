"""The chromaticity score without reference: casts are seen, the colours of a scene are not."""

from __future__ import annotations

import numpy as np
import pytest

import osmofuse
from faults import TINTS, of_scene, pooled, trials
from osmofuse import InputError, gallery
from osmofuse.metrics import natural_chromaticity, natural_chromaticity_map


def ramp(width, shape=(64, 64)):
    return np.clip(0.5 + (np.arange(shape[1]) - shape[1] / 2 + 0.5) / width, 0, 1) * np.ones(
        (shape[0], 1)
    )


@pytest.fixture
def texture(rng):
    return np.clip(0.5 + 0.05 * rng.standard_normal((64, 64, 3)), 0.0, 1.0)


def tinted(u, alpha, t):
    return u * (1.0 + t * (1.0 - alpha[..., None]) * np.array([1.0, 0.0, -1.0]))


def test_graded_tints_of_the_gallery_are_ranked():
    scenes = (
        gallery.manuscript((120, 96), 4),
        gallery.portrait((120, 100), 4),
        gallery.shadow((100, 120), 4),
    )
    cases = [of_scene(scene, seed=seed) for seed, scene in enumerate(scenes)]
    found = pooled(
        lambda c: natural_chromaticity(c.fused, c.alpha),
        trials(cases, TINTS, (0.0, 0.25, 0.5, 1.0)),
    )
    assert min(found.values()) > 0.85, found


@pytest.mark.parametrize("width", [1, 6, 20])
@pytest.mark.parametrize("t", [0.05, 0.1, 0.2])
def test_the_score_is_the_strength_of_the_cast(texture, width, t):
    """However wide the transition: red up and blue down by t is a length of the root of 2."""
    found = natural_chromaticity(tinted(texture, ramp(width), t), ramp(width))
    assert found == pytest.approx(np.sqrt(2) * t, rel=0.1, abs=0.02)


def test_brighter_is_not_of_another_colour(texture):
    alpha = ramp(1)
    assert natural_chromaticity(texture * (1.3 - 0.3 * alpha[..., None]), alpha) < 0.03


def test_colours_that_go_with_lightness_are_natural(rng):
    """Brown ink on yellow parchment on both sides, more of it on one."""
    alpha = ramp(1)
    ink = rng.random((64, 64)) < np.where(alpha > 0.5, 0.1, 0.5)
    page = np.where(ink[..., None], [0.2, 0.1, 0.05], [0.9, 0.8, 0.5])
    plain = natural_chromaticity(page, alpha)
    assert plain < 0.05
    assert natural_chromaticity(tinted(page, alpha, 0.2), alpha) > plain + 0.15


def test_a_true_edge_of_colour_is_excused_by_the_sources(texture):
    edge = tinted(texture, ramp(1), 0.4)
    assert natural_chromaticity(edge, ramp(1)) > 0.3
    for sources in ((edge, texture), (texture, edge), (edge, edge), (edge, texture[..., 0])):
        found = natural_chromaticity(edge, ramp(1), foreground=sources[0], background=sources[1])
        assert found == 0.0


@pytest.mark.parametrize("gain", [0.3, 1.5, 4.0])
def test_a_gain_changes_nothing(texture, gain):
    u = tinted(texture, ramp(4), 0.1)
    expected = natural_chromaticity(u, ramp(4))
    assert natural_chromaticity(gain * u, ramp(4)) == pytest.approx(expected, rel=1e-3)


def test_the_map_says_where(texture):
    u = texture.copy()
    u[:32] = tinted(u, ramp(1), 0.3)[:32]
    seen = natural_chromaticity_map(u, ramp(1))
    assert seen.shape == (64, 64)
    assert not seen[:, :15].any()
    assert seen[:16, 30:34].min() > 0.25
    assert seen[50:, 30:34].max() < 0.15


def test_flat_colours_have_their_difference():
    alpha = ramp(1, (30, 30))
    u = tinted(np.full((30, 30, 3), 0.5), alpha, 0.1)
    assert natural_chromaticity(u, alpha) == pytest.approx(np.sqrt(2) * 0.1, rel=0.1)
    assert natural_chromaticity(np.full((30, 30, 3), 0.5), alpha) == pytest.approx(0, abs=1e-4)
    assert natural_chromaticity(np.zeros((30, 30, 3)), alpha) == 0.0


@pytest.mark.parametrize("shape", [(30, 30), (30, 30, 1)])
def test_one_channel_has_no_chromaticity(rng, shape):
    with pytest.raises(InputError, match=r"^fused: needs more than one channel"):
        natural_chromaticity(rng.random(shape), ramp(1, (30, 30)))


@pytest.mark.parametrize(
    ("alpha", "reason"),
    [
        (np.float64(0.5), "constant"),
        (np.ones((64, 64)), "constant"),
        (0.5 + 1e-4 * ramp(20), "hardly varies"),
    ],
)
def test_without_two_parts_there_is_a_reason(texture, alpha, reason):
    with pytest.raises(InputError, match=f"^alpha: {reason}"):
        natural_chromaticity(texture, alpha)
    with pytest.raises(InputError, match=f"^alpha: {reason}"):
        natural_chromaticity_map(texture, alpha)


@pytest.mark.parametrize("shape", [(1, 2, 3), (2, 1, 3), (3, 3, 3), (40, 2, 3), (17, 23, 4)])
def test_any_shape(rng, shape):
    u, f, b = rng.random((3, *shape))
    alpha = np.ones(shape[:2])
    alpha[0, 0] = 0.0
    assert np.isfinite(natural_chromaticity(u, alpha))
    assert natural_chromaticity(f, alpha, foreground=f, background=b) == 0.0
    assert np.isfinite(natural_chromaticity_map(u, alpha)).all()


def test_direct_matting_has_the_worse_colours(data):
    f, b, alpha = (
        osmofuse.read(data / "paper" / f"4_{name}.png").pixels / 255.0
        for name in ("foreground", "background", "alpha")
    )
    alpha = alpha[..., 0]
    fused = [osmofuse.fuse(f, b, alpha, method=name).image for name in ("direct", "variational")]
    direct, variational = (natural_chromaticity(u, alpha) for u in fused)
    assert direct > 2 * variational


@pytest.mark.parametrize(("height", "varies"), [(0.04, True), (0.015, False)])
def test_a_deviation_of_alpha_by_a_hundredth_is_enough(texture, height, varies):
    """A step of height h has the variance h² / 4 in windows on it."""
    alpha = 0.5 + height * (np.arange(64) < 32) * np.ones((64, 1))
    if varies:
        assert natural_chromaticity(texture, alpha) >= 0.0
    else:
        with pytest.raises(InputError, match=r"^alpha: hardly varies"):
            natural_chromaticity(texture, alpha)
