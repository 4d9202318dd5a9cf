from __future__ import annotations

import cv2
import numpy as np
import pytest

from osmofuse import InputError
from osmofuse.maps import Stroke, alpha_of_polygons, trimap_of_strokes

SHAPE = (60, 80)
STAR = [(5.3, 40.2), (55.1, 20.7), (22.4, 75.9), (22.9, 4.3), (54.6, 60.8)]


def test_polygons_are_those_that_points_are_tested_against():
    star = np.array(STAR)[:, ::-1].astype(np.float32)
    inside = alpha_of_polygons(SHAPE, [STAR], inside=1.0)
    crossings = np.zeros(SHAPE, int)
    rows, cols = np.indices(SHAPE)
    for (c0, r0), (c1, r1) in zip(star, np.roll(star, -1, axis=0), strict=True):
        between = (rows >= min(r0, r1)) & (rows < max(r0, r1))
        crossings += between & (c0 + (rows - r0) * (c1 - c0) / (r1 - r0) <= cols)
    assert np.array_equal(inside, crossings % 2)
    assert 0.1 < inside.mean() < 0.5
    assert np.array_equal(alpha_of_polygons(SHAPE, [STAR]), 1 - inside)


def test_a_hole_is_a_polygon_inside_another():
    outer, inner = [(-9, -9), (-9, 99), (99, 99), (99, -9)], [(10, 10), (10, 20), (20, 15)]
    assert alpha_of_polygons(SHAPE, [outer], inside=1).all()
    hole = alpha_of_polygons(SHAPE, [outer, inner], inside=1)
    assert np.array_equal(hole, 1 - alpha_of_polygons(SHAPE, [inner], inside=1))
    assert hole.min() == 0


def test_strokes_are_round_and_the_last_lies_on_top():
    line = Stroke([(10, 10), (10, 60), (50, 60)], 1, radius=4)
    drawn = trimap_of_strokes(SHAPE, [line, Stroke([(10, 30)], 0, radius=6)])
    picture = np.zeros(SHAPE, np.uint8)
    for a, b in ((10, 10), (60, 10)), ((60, 10), (60, 50)):
        cv2.line(picture, a, b, 1, 1)
    away = cv2.distanceTransform(1 - picture, cv2.DIST_L2, cv2.DIST_MASK_PRECISE)
    dot = np.hypot(*(np.indices(SHAPE) - np.array([10, 30])[:, None, None])) <= 6
    expected = np.where(dot, 0.0, np.where(away <= 4, 1.0, 0.5))
    assert np.array_equal(drawn, expected)


def test_strokes_may_leave_the_picture():
    drawn = trimap_of_strokes(SHAPE, [Stroke([(-50, -50), (200, 200)], 0, 2)])
    assert drawn[30, 30] == 0
    assert (trimap_of_strokes(SHAPE, [Stroke([(999, 999)], 0, 2)]) == 0.5).all()


@pytest.mark.parametrize(
    ("stroke", "words"),
    [
        (Stroke([], 1), "not a list"),
        (Stroke([(0, 0, 0)], 1), "not a list"),
        (Stroke([(0, np.nan)], 1), "not a list"),
        (Stroke("ab", 1), "not a list"),
        (Stroke([(0, 0)], 2), "label 2"),
        (Stroke([(0, 0)], 1, 0), "radius 0"),
        (Stroke([(0, 0)], 1, np.inf), "radius inf"),
        (Stroke([(0, 0)], 1, 1e300), "at most 1e"),
        (Stroke([(0, 1e300)], 1), "more than 1e"),
    ],
)
def test_bad_strokes_are_named(stroke, words):
    with pytest.raises(InputError, match=rf"^strokes\[0\]: .*{words}"):
        trimap_of_strokes(SHAPE, [stroke])


def test_bad_polygons_are_named():
    with pytest.raises(InputError, match=r"^polygons\[1\]: 2 points; give at least 3"):
        alpha_of_polygons(SHAPE, [STAR, STAR[:2]])
    with pytest.raises(InputError, match=r"^inside: 2"):
        alpha_of_polygons(SHAPE, [STAR], inside=2)
