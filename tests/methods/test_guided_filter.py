"""Guided-filter fusion: the paper's table, published pictures, its formula, its own laws."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import osmofuse
import plain_filters as plain
from osmofuse import SettingError
from osmofuse.methods import GuidedFilterFusion
from osmofuse.metrics import chromaticity_error
from osmofuse.pixels import quantise

sides = st.integers(1, 15)
seeds = st.integers(0, 2**32 - 1)


def fuse(f, b, alpha=0.5, **arguments):
    return osmofuse.fuse(f, b, alpha, method="guided-filter", **arguments).image


def grey(x):
    return x if x.ndim == 2 else x @ np.array([0.299, 0.587, 0.114])


def reference(pictures, split, sigma, base, detail, valid=True):
    """Fuse by the formula, with plain filters, pictures of floats."""
    first, *others = pictures
    valid = np.broadcast_to(valid, first.shape[:2])
    greys = [grey(first), *(np.where(valid, grey(x), grey(first)) for x in others)]
    strengths = [np.abs(plain.laplacian(z)) for z in greys]
    strengths[1:] = [plain.eroded(valid, 1) * strength for strength in strengths[1:]]
    winner = np.argmax([plain.gaussian(s, sigma, math.ceil(sigma)) for s in strengths], axis=0)

    def weights(radius, epsilon):
        wins = [1.0 * (winner == k) for k in range(len(pictures))]
        smooth = [plain.guided(w, z, radius, epsilon) for w, z in zip(wins, greys, strict=True)]
        clipped = np.clip(smooth, 0, 1) + 1e-12
        return clipped / clipped.sum(axis=0)

    channels = []
    for c in range(first.shape[2]):
        bands = [x if x.ndim == 2 else x[..., c] for x in pictures]
        planes = [np.where(valid, x, bands[0]) for x in bands]
        means = [plain.box_mean(x, split, "replicate") for x in planes]
        details = [x - mean for x, mean in zip(planes, means, strict=True)]
        u = np.sum(weights(*base) * means + weights(*detail) * details, axis=0)
        channels.append(np.where(valid, u, bands[0]))
    return np.stack(channels, axis=-1)


# ---- published numbers and pictures ----


def test_the_face_has_the_error_of_the_papers_table(data):
    f, b = (osmofuse.read(data / "paper" / f"4_{x}ground.png").pixels for x in ("fore", "back"))
    u = quantise(fuse(f, b), np.uint8)[0]
    assert chromaticity_error(u / 255, f / 255) == pytest.approx(0.0790, abs=1e-4)


@pytest.mark.parametrize(("pair", "decibels"), [("carLight", 48.9), ("manCall", 43.1)])
@pytest.mark.parametrize("bands", [1, 3])
def test_a_published_fusion_is_met(data, pair, decibels, bands):
    visible, infrared, published = (
        osmofuse.read(data / "vifb" / f"{pair}_{name}.jpg").pixels
        for name in ("visible", "infrared", "fused_GFF")
    )
    u = quantise(fuse(visible, infrared[..., :bands]), np.uint8)[0]
    error = np.mean((u.astype(float) - published) ** 2)
    assert 10 * np.log10(255**2 / error) > decibels


# ---- the formula ----


SMALL = {
    "split_radius": 2,
    "saliency_sigma": 1.5,
    "base_radius": 4,
    "base_epsilon": 0.3,
    "detail_radius": 1,
    "detail_epsilon": 1e-3,
}


def small_reference(*pictures, valid=True):
    return reference(pictures, 2, 1.5, (4, 0.3), (1, 1e-3), valid)


@settings(max_examples=25)
@given(seed=seeds, rows=sides, cols=sides, colour=st.booleans())
def test_it_is_what_the_formula_says(seed, rows, cols, colour):
    rng = np.random.default_rng(seed)
    f, b = rng.random((rows, cols, 3)), rng.random((rows, cols, 3) if colour else (rows, cols))
    np.testing.assert_allclose(fuse(f, b, **SMALL), small_reference(f, b), atol=1e-9)


@pytest.mark.parametrize("colour", [True, False])
def test_with_holes_too(rng, colour):
    f, b = rng.random((30, 25, 3)), rng.random((30, 25, 3) if colour else (30, 25))
    valid = np.ones((30, 25), bool)
    valid[5:15, :10] = valid[20, 20] = False
    expected = small_reference(f, b, valid=valid)
    b[~valid] = np.nan
    np.testing.assert_allclose(fuse(f, b, valid=valid, **SMALL), expected, atol=1e-9)


def test_of_three_pictures_too(rng):
    f, b = rng.random((2, 14, 12, 3))
    third = rng.random((14, 12))
    found = fuse(f, [b, third], [0.2, 0.3, 0.5], **SMALL)
    np.testing.assert_allclose(found, small_reference(f, b, third), atol=1e-9)


def test_the_defaults_are_those_of_the_authors(rng):
    f, b = rng.random((2, 24, 20, 3))
    expected = reference([f, b], 15, 5.0, (45, 0.3), (7, 1e-6))
    np.testing.assert_allclose(fuse(f, b), expected, atol=1e-8)


@pytest.mark.parametrize("depth", [np.uint8, np.uint16])
def test_grey_values_have_the_levels_of_the_depth(depth):
    """A step of colour below half a grey level is none: a tie, which the first wins."""
    f = np.full((20, 20, 3), 100, depth)
    b = f.copy()
    b[:, 10:, 2] += 2  # of blue; of grey 0.23
    white = np.iinfo(depth).max
    np.testing.assert_allclose(fuse(f, b), f / white, rtol=1e-6)
    for page in (f / white, f):
        u = fuse(page, b / white, detail_epsilon=1e-16)
        assert u[10, 15, 2] > 101 / white, "floats have no levels"


# ---- laws ----


@settings(max_examples=20)
@given(seed=seeds, rows=sides, cols=sides)
def test_the_order_of_the_pictures_does_not_matter(seed, rows, cols):
    f, b, third = np.random.default_rng(seed).random((3, rows + 1, cols + 1, 3))
    np.testing.assert_allclose(fuse(f, b), fuse(b, f), atol=1e-9)
    thirds = [1 / 3] * 3
    np.testing.assert_allclose(fuse(f, [b, third], thirds), fuse(third, [f, b], thirds), atol=1e-9)


@settings(max_examples=20)
@given(seed=seeds, rows=sides, cols=sides)
def test_mirrors_and_transposes_go_through(seed, rows, cols):
    f, b = np.random.default_rng(seed).random((2, rows, cols))
    u = fuse(f, b)
    np.testing.assert_allclose(fuse(f[::-1], b[::-1])[::-1], u, atol=1e-9)
    np.testing.assert_allclose(fuse(f[:, ::-1], b[:, ::-1])[:, ::-1], u, atol=1e-9)
    np.testing.assert_allclose(fuse(f.T, b.T).T, u, atol=1e-9)


@settings(max_examples=20)
@given(seed=seeds, rows=sides, cols=sides)
def test_weights_sum_to_one(seed, rows, cols):
    """So that pictures raised by a constant give the fusion raised by it."""
    f, b = np.random.default_rng(seed).random((2, rows, cols))
    np.testing.assert_allclose(fuse(f + 1, b + 1), fuse(f, b) + 1, atol=1e-8)


@settings(max_examples=20)
@given(seed=seeds, rows=sides, cols=sides, c=st.sampled_from([0.5, 2.0, 8.0]))
def test_scaling_law(seed, rows, cols, c):
    f, b = np.random.default_rng(seed).random((2, rows, cols))
    epsilons = {"base_epsilon": 0.3 * c * c, "detail_epsilon": 1e-3 * c * c}
    scaled = fuse(c * f, c * b, **epsilons)
    np.testing.assert_allclose(scaled, c * fuse(f, b, detail_epsilon=1e-3), atol=1e-8)


def test_of_flat_pictures_the_first_wins():
    f, b = np.full((9, 7), 0.2), np.full((9, 7), 0.8)
    np.testing.assert_allclose(fuse(f, b), 0.2, atol=1e-10)
    np.testing.assert_allclose(fuse(b, f), 0.8, atol=1e-10)


def test_ramps_are_a_tie_in_spite_of_rounding():
    """Inside, where the edges that borders make of them have no say."""
    ramp = np.linspace(0.1, 0.7, 40) * np.ones((40, 1))
    u = fuse(ramp.T, ramp, **SMALL)
    np.testing.assert_allclose(u[12:-12, 12:-12], ramp.T[12:-12, 12:-12], atol=1e-9)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_brighter_copy_is_a_tie_in_spite_of_rounding(dtype, rng):
    f = rng.random((40, 50)).astype(dtype)
    image = fuse(f, f + dtype(0.2))
    np.testing.assert_allclose(image, f, atol=1e-6)


def test_against_a_flat_picture_the_other_wins(rng):
    f, b = np.full((40, 30), 0.5), rng.random((40, 30))
    np.testing.assert_allclose(fuse(f, b), b, atol=1e-9)
    np.testing.assert_allclose(fuse(b, f), b, atol=1e-9)


def test_a_third_picture_that_is_flat_changes_nothing(rng):
    f, b = rng.random((2, 20, 20))
    flat = np.full((20, 20), 0.5)
    np.testing.assert_allclose(fuse(f, [b, flat], [0.5, 0.5, 0]), fuse(f, b), atol=1e-9)


# ---- settings ----


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("split_radius", 3),
        ("saliency_sigma", 1.0),
        ("base_radius", 4),
        ("base_epsilon", 1e-4),
        ("detail_radius", 2),
        ("detail_epsilon", 0.1),
    ],
)
def test_every_setting_matters(rng, name, value):
    f, b = rng.random((2, 30, 30))
    assert np.abs(fuse(f, b, **{name: value}) - fuse(f, b)).max() > 1e-3


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *((name, v) for name in ("split_radius", "base_radius") for v in (-1, 2.5, "3", True)),
        *((name, v) for name in ("saliency_sigma", "base_epsilon") for v in (0, -1, math.nan)),
        ("detail_radius", math.inf),
        ("detail_epsilon", 0.0),
        ("detail_epsilon", math.inf),
    ],
)
def test_bad_settings_are_refused_by_name(name, value):
    with pytest.raises(SettingError, match=rf"^{name}: "):
        GuidedFilterFusion(**{name: value})


def test_windows_of_one_pixel_choose_sharply(rng):
    f, b = rng.random((2, 12, 12))
    u = fuse(f, b, split_radius=0, base_radius=0, detail_radius=0)
    nearest = np.minimum(np.abs(u - f), np.abs(u - b))
    assert nearest.max() < 1e-9
