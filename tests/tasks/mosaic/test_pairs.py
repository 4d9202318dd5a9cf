from __future__ import annotations

import numpy as np

from osmofuse.tasks.mosaic.pairs import compared, connected, pairs_of
from osmofuse.tasks.mosaic.panels import Panel


def panel(picture, top, left, valid=None):
    box = slice(top, top + picture.shape[0]), slice(left, left + picture.shape[1])
    return Panel("p", picture, box, valid)


def test_panels_pair_where_they_overlap_or_touch_along_an_edge(rng):
    one = rng.random((10, 12))
    cases = {(0, 5): True, (0, 12): False, (10, 3): False, (10, 12): None, (0, 13): None}
    for (top, left), overlaps in cases.items():
        pairs = pairs_of([panel(one, 0, 0), panel(one, top, left)])
        assert [pair.overlaps for pair in pairs] == ([] if overlaps is None else [overlaps])


def test_every_pixel_of_a_seam_has_its_neighbour(rng):
    panels = [panel(rng.random((10, 12)), 0, 0), panel(rng.random((10, 8)), 2, -8)]
    (pair,) = pairs_of(panels)
    assert sorted(pair.here[0]) == list(range(2, 10))
    assert set(pair.here[1]) == {0}
    assert set(pair.there[1]) == {-1}
    here, there = pair.beside(2, panels)
    assert (set(here[1]), set(there[1])) == ({2}, {-3})
    here, there = pair.beside(9, panels)
    assert (set(here[1]), set(there[1])) == ({9}, {-1})  # the second is 8 pixels wide


def test_masks_decide_where_panels_touch(rng):
    left = np.zeros((9, 9), bool)
    left[:, :4] = True
    picture = rng.random((9, 9))
    (pair,) = pairs_of([panel(picture, 0, 0, left), panel(picture, 0, 0, ~left)])
    assert not pair.overlaps
    assert (set(pair.here[1]), set(pair.there[1])) == ({3}, {4})
    (pair,) = pairs_of([panel(picture, 0, 0, left), panel(picture, 0, 0)])
    assert pair.overlaps
    assert pair.here[1].max() < 4


def test_connected_follows_chains(rng):
    one = rng.random((4, 4))
    panels = [panel(one, 0, left) for left in (0, 4, 20, 8)]
    assert connected(4, pairs_of(panels)) == {0, 1, 3}


def test_levels_are_compared_in_the_frame_of_each_panel(rng):
    scene = rng.uniform(0.1, 0.9, (40, 60))
    panels = [panel(scene[:, :40], 5, -7), panel(0.5 * scene[:, 20:], 5, 13)]
    (pair,) = pairs_of(panels)
    one, two = compared(panels, pair, 0, 1)
    np.testing.assert_allclose(two.level, 0.5 * one.level)
    np.testing.assert_allclose(two.cols, one.cols - 20)
    np.testing.assert_allclose(two.rows, one.rows)


def test_clipped_and_black_samples_are_not_compared(rng):
    scene = rng.uniform(0.1, 0.9, (40, 40))
    first, second = scene.copy(), scene.copy()
    first[:20], second[:, :20] = 1.0, 0.0
    panels = [panel(first, 0, 0), panel(second, 0, 0)]
    one, two = compared(panels, pairs_of(panels)[0], 0, 1)
    assert one.rows.min() > 19
    assert one.cols.min() > 12
    assert len(one.level) == len(two.level) > 10
