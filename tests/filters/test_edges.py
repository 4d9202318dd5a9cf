from __future__ import annotations

import numpy as np

from osmofuse.filters import edges, ridges


def test_a_step_has_one_line_at_the_right_place():
    x = np.zeros((20, 30))
    x[:, 12:] = 1.0
    lines = ridges(x) > 0.01
    assert lines.any(axis=1).all()
    assert lines.sum(axis=1).max() == 1
    assert set(np.flatnonzero(lines.any(axis=0))) <= {11, 12}


def test_a_circle_is_closed_and_thin():
    i, j = np.mgrid[:64, :64]
    away = np.hypot(i - 32, j - 32)
    lines = edges(ridges((away < 20).astype(float)), 0.1)
    from scipy.ndimage import label

    assert np.abs(away[lines] - 20).max() < 1.6
    assert label(~lines)[1] == 2  # inside and outside are apart, also across corners
    assert lines.sum() < 1.3 * 2 * np.pi * 20


def test_weak_lines_count_only_if_joined_to_strong_ones():
    strength = np.zeros((5, 9))
    strength[1, :4], strength[1, 4] = 0.6, 1.1
    strength[3, 2:7] = 0.6
    found = edges(strength, 1.0)
    assert found[1, :5].all()
    assert not found[3].any()


def test_a_flat_picture_has_none():
    assert not edges(ridges(np.full((6, 7, 3), 0.3)), 1e-6).any()
