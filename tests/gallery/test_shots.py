from __future__ import annotations

import numpy as np

from osmofuse import gallery


def test_shots_cover_the_land_and_overlap():
    scene = gallery.shots((120, 150), seed=1)
    count = np.zeros(scene.truth.shape[:2], int)
    for panel in scene.panels:
        count[panel.box] += 1
    assert len(scene.panels) == 6
    assert (count.min(), count.max()) == (1, 4)
    assert 0.2 < np.mean(count > 1) < 0.8


def test_a_shot_is_a_gain_and_a_falling_off():
    scene = gallery.shots((120, 150), seed=2)
    for panel in scene.panels:
        ratio = panel.picture.mean(axis=2) / np.maximum(scene.truth[panel.box].mean(axis=2), 0.02)
        rows, cols = ratio.shape
        middle = np.median(ratio[rows // 3 : -rows // 3, cols // 3 : -cols // 3])
        corners = np.median(ratio[: rows // 8, : cols // 8])
        assert 0.5 < middle < 1.6
        assert 0.55 < corners / middle < 0.98
    assert max(panel.picture.max() for panel in scene.panels) < 1.0
