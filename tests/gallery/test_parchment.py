from __future__ import annotations

import numpy as np

from osmofuse.gallery.parchment import fibres, parchment, stained


def test_a_skin_is_warm_and_darker_at_its_edges():
    flat = np.zeros((120, 120), np.float32)
    red, green, blue = np.moveaxis(parchment((120, 120), flat, flat), 2, 0)
    assert np.all(red > green)
    assert np.all(green > blue)
    assert red[60, 119] < red[60, 60]


def test_fibres_shade_the_skin():
    flat = np.zeros((60, 60), np.float32)
    grain = fibres((60, 60), np.random.default_rng(0))
    assert abs(grain.mean()) < 0.3
    plain, rough = parchment((60, 60), flat, flat), parchment((60, 60), flat, grain)
    assert np.corrcoef((rough / plain)[..., 0].ravel(), grain.ravel())[0, 1] > 0.99


def test_stains_only_darken_and_take_most_of_the_blue():
    page = np.full((120, 120, 3), 0.8, np.float32)
    left = stained(page, np.random.default_rng(1)) / page
    assert np.all(left <= 1)
    mean = left.mean(axis=(0, 1))
    assert mean[0] > mean[1] > mean[2]
