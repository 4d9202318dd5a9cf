"""Doubts about maps: none about the right ones, and one about those that are turned over."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.ndimage import gaussian_filter

from osmofuse import Picture, gallery, soften
from osmofuse.maps.map_warnings import has_hard_edges, looks_inverted

SCENES = ["cloud", "gold_leaf", "manuscript", "noisy_infrared", "recolouring"]
PASTED = ["clone", "portrait"]  # pictures of different things: silence is right


def pictures(name, seed=0, size=(240, 180)):
    scene = getattr(gallery, name)(size, seed=seed)
    return Picture(scene.foreground), Picture(scene.background), scene.alpha


def blob(shape, rng, part, scale):
    """Return a map that has nothing to do with the pictures; the background enters in a part."""
    plane = gaussian_filter(rng.standard_normal(shape), scale * np.sqrt(shape[0] * shape[1]))
    return (plane > np.quantile(plane, part)).astype(float)


@pytest.mark.parametrize("name", [*SCENES, *PASTED])
@pytest.mark.parametrize("seed", [0, 1])
def test_no_right_map_is_doubted(name, seed):
    *pair, alpha = pictures(name, seed)
    assert not looks_inverted(*pair, alpha)
    assert not looks_inverted(*pair, (alpha > 0.5).astype(float))
    dark = Picture(pair[1].pixels * np.float32(0.3))
    assert not looks_inverted(pair[0], dark, alpha)


@pytest.mark.parametrize("name", SCENES)
@pytest.mark.parametrize("seed", [0, 1])
def test_maps_that_are_turned_over_are_doubted(name, seed):
    *pair, alpha = pictures(name, seed)
    assert looks_inverted(*pair, 1.0 - alpha)
    assert looks_inverted(*pair, (alpha <= 0.5).astype(float))


@pytest.mark.parametrize("name", ["manuscript", "gold_leaf", "clone"])
def test_maps_of_something_else_are_hardly_ever_doubted(name, rng):
    *pair, _ = pictures(name)
    maps = [blob(pair[0].shape, rng, k / 10, s) for k in range(1, 10) for s in (0.02, 0.1, 0.25)]
    assert sum(looks_inverted(*pair, one) for one in maps) <= 1


def test_large_pictures_are_looked_at_in_steps():
    *pair, alpha = pictures("manuscript", size=(1500, 1100))
    assert looks_inverted(*pair, 1.0 - alpha)
    assert not looks_inverted(*pair, alpha)


def test_what_has_no_data_does_not_count():
    *pair, alpha = pictures("manuscript")
    noise = np.random.default_rng(1).random(pair[1].pixels.shape, np.float32)
    valid = np.zeros(pair[0].shape, bool)
    valid[: valid.shape[0] // 2] = True
    broken = Picture(np.where(valid if noise.ndim == 2 else valid[..., None],
                              pair[1].pixels, noise))  # fmt: skip
    assert looks_inverted(pair[0], broken, 1.0 - alpha, valid)
    assert not looks_inverted(pair[0], broken, 1.0 - alpha, np.zeros_like(valid))


@pytest.mark.parametrize("shape", [(1, 1), (1, 9), (3, 2), (5, 400)])
def test_any_size_and_constants_do(shape):
    flat = Picture(np.full((*shape, 3), 0.5, np.float32))
    assert not looks_inverted(flat, flat, np.zeros(shape))
    assert not looks_inverted(flat, flat, np.array(0.5))
    assert not looks_inverted(flat, flat, np.zeros((*shape, 3)))


@pytest.mark.parametrize("shape", [(60, 80), (1300, 90)])
def test_masks_have_hard_edges_and_soft_maps_have_none(shape):
    rows, cols = np.indices(shape)
    mask = (np.hypot(rows - shape[0] / 2, cols - 40) > 25).astype(float)
    distance = np.hypot(rows - shape[0] / 2, cols - 40) - 25
    assert has_hard_edges(mask)
    assert has_hard_edges(np.clip(distance + 0.5, 0, 1)), "anti-aliased"
    assert has_hard_edges(np.repeat(mask[..., None], 3, axis=2))
    for blur in (1.0, 3.0):
        assert not has_hard_edges(soften(mask, blur))
    assert not has_hard_edges(np.ones(shape))
    assert not has_hard_edges(np.array(0.5))


def test_a_ramp_in_a_large_map_is_no_hard_edge_in_either_direction():
    ramp = np.clip(0.15 * (np.arange(1300) - 600.0), 0.0, 1.0) * np.ones((8, 1))
    assert not has_hard_edges(ramp)
    assert not has_hard_edges(ramp.T)


@pytest.mark.parametrize(("weaker", "inverted"), [(0.32, False), (0.27, True)])
def test_an_inverted_map_keeps_out_more_than_half_of_what_its_area_would_have(
    rng, weaker, inverted
):
    alpha = np.zeros((200, 200))
    alpha[:20] = 1.0
    texture = 0.2 * rng.uniform(-1, 1, alpha.shape) * np.where(alpha == 1, 1.0, weaker)
    pair = [Picture((0.5 + part * texture).astype(np.float32)) for part in (0.5, 1.0)]
    assert looks_inverted(*pair, alpha) == inverted


def test_blocks_with_any_gap_do_not_count(rng):
    alpha = np.zeros((200, 200))
    alpha[:20] = 1.0
    texture = 0.1 * rng.uniform(-1, 1, alpha.shape) * np.where(alpha == 1, 1.0, 0.1)
    valid = np.ones(alpha.shape, bool)
    valid[100::4] = False  # a row of each block
    wild = np.where(valid, texture, 0.5 * rng.uniform(-1, 1, alpha.shape))
    pair = [Picture((0.5 + x).astype(np.float32)) for x in (0.5 * texture, wild)]
    whole = [Picture((0.5 + x).astype(np.float32)) for x in (0.5 * texture, texture)]
    assert looks_inverted(*whole, alpha)
    assert not looks_inverted(*pair, alpha)
    assert looks_inverted(*pair, alpha, valid)
