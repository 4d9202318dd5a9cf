from __future__ import annotations

import numpy as np
import pytest

from osmofuse.gallery.ink import Pen, Stamp, paste, spiral, stamp

LINE_RIGHT = [(0.0, 0.0), (20.0, 0.0)]
LINE_UP = [(0.0, 0.0), (0.0, 20.0)]


def test_a_round_pen_covers_the_area_of_its_path():
    sign = stamp([LINE_RIGHT], 2.0, Pen(width=0.0, thickness=1.5))
    # A bar of 40 by 6 pixels with two half discs of radius 3.
    assert sign.coverage.sum() == pytest.approx(40 * 6 + np.pi * 9, rel=0.02)


def test_width_follows_the_direction_of_the_stroke():
    pen = Pen(width=6.0, thickness=0.5, angle=0.0)
    right, up = (stamp([line], 1.0, pen).coverage for line in (LINE_RIGHT, LINE_UP))
    assert right.sum(axis=0).max() == pytest.approx(1.0, abs=0.1)
    assert up.sum(axis=1).max() == pytest.approx(7.0, abs=0.2)


def test_a_stroke_has_no_gaps_and_soft_edges():
    sign = stamp([[(0.0, 0.0), (30.0, 17.0)]], 3.0, Pen(width=0.0, thickness=0.6))
    along = sign.coverage.max(axis=0)[10:-10]
    assert along.min() > 0.85
    assert ((sign.coverage > 0.1) & (sign.coverage < 0.9)).any()


def test_upwards_is_towards_row_zero_and_the_origin_is_where_it_says():
    sign = stamp([LINE_UP], 1.0, Pen(width=0.0, thickness=1.0))
    assert sign.coverage[sign.row, sign.col] == 1.0
    assert sign.coverage[sign.row - 20, sign.col] == 1.0
    assert sign.coverage[sign.row + 2 :].sum() == 0.0


def test_hairlines_do_not_vanish_from_small_pictures():
    assert stamp([LINE_RIGHT], 0.1, Pen(width=0.0, thickness=0.001)).coverage.max() > 0.5


def test_paste_cuts_at_every_border_and_keeps_the_larger_value():
    sign = Stamp(np.full((3, 3), 0.5, dtype=np.float32), 1, 1)
    canvas = np.zeros((4, 5), dtype=np.float32)
    canvas[0, 0] = 0.8
    for row, col in ((0, 0), (3, 4), (-9, 2), (2, 99)):
        paste(canvas, sign, row, col)
    assert canvas[0, 0] == np.float32(0.8)
    assert np.count_nonzero(canvas == 0.5) == 3 + 4


def test_spiral_winds_inwards_both_ways():
    left, right = np.array(spiral(2.0, 1.0)), np.array(spiral(-2.0, 1.0))
    assert np.all(np.diff(np.hypot(*left.T)) < 0)
    np.testing.assert_allclose(left * [1, -1], right, atol=1e-12)
