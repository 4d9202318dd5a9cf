from __future__ import annotations

import numpy as np

from osmofuse.gallery.gilding import Field, cracks, relief


def field(rows, cols, cell=30.0):
    down = np.arange(rows, dtype=np.float32)[:, None] + 0.5
    right = np.arange(cols, dtype=np.float32)[None, :] + 0.5
    return Field(down, right, float(rows), float(cols), cell)


def test_depth_is_the_way_to_the_nearest_edge():
    depth = field(4, 6).depth
    assert depth[0].tolist() == [0.5] * 6
    assert depth[1].tolist() == [0.5, 1.5, 1.5, 1.5, 1.5, 0.5]


def test_relief_is_a_factor_around_one():
    light = relief(field(200, 200), np.random.default_rng(0))
    assert light.shape == (200, 200)
    assert light.min() >= 0.4
    assert light.max() <= 1.35
    assert 0.85 < light.mean() < 1.02
    assert light.std() > 0.08


def test_the_same_tooling_has_the_same_contrast_at_twice_the_size():
    small, large = (
        relief(field(n, n, cell), np.random.default_rng(0)) for n, cell in ((200, 30), (400, 60))
    )
    assert 0.8 < large.std() / small.std() < 1.25


def test_cracks_are_thin_and_cover_little():
    net = cracks((300, 300), 30.0, np.random.default_rng(0))
    assert 0.005 < np.mean(net > 0.5) < 0.12
    assert net.max() > 0.95
