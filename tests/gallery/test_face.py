from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from osmofuse.gallery.face import Features, head_depth, markings, relief

DOWN = np.linspace(-1.2, 1.2, 241, dtype=np.float32)[:, None]
RIGHT = np.linspace(-1.0, 1.0, 201, dtype=np.float32)[None, :]


def at(picture, down, right):
    return picture[round((down + 1.2) * 100), round((right + 1.0) * 100)]


def test_the_head_is_an_oval_narrower_at_the_jaw():
    inside = head_depth(DOWN, RIGHT) > 0
    widths = inside.sum(axis=1)
    assert at(inside, 0, 0)
    assert not inside[[0, -1]].any()
    assert widths[120 - 60] > widths[120 + 60] > 0


def test_nose_stands_out_and_sockets_lie_back():
    height = relief(DOWN, RIGHT, Features())
    assert at(height, 0.25, 0) > at(height, 0.25, 0.2) + 0.1
    assert at(height, -0.12, 0) > at(height, -0.12, 0.12)
    np.testing.assert_allclose(height, height[:, ::-1], atol=1e-5)


def test_markings_are_neutral_on_plain_skin():
    np.testing.assert_allclose(at(markings(DOWN, RIGHT, Features()), -0.6, 0.1), 1.0, atol=0.02)


def test_eyes_have_a_dark_pupil_in_a_light_white():
    face = Features()
    colour = markings(DOWN, RIGHT, face)
    pupil, white = at(colour, -0.08, face.eye_apart), at(colour, -0.07, face.eye_apart + 0.09)
    assert pupil.max() < 0.2
    assert white.min() > 0.7


def test_lips_are_red_and_end_at_the_corners():
    face = Features()
    colour = markings(DOWN, RIGHT, face)
    red, green, _ = at(colour, 0.57, 0)
    assert red > 1.3 * green
    np.testing.assert_allclose(at(colour, 0.53, face.lip_width * 1.3), 1.0, atol=0.03)


@pytest.mark.parametrize(
    ("name", "value", "down", "right"),
    [("beard", 0.5, 0.8, 0.0), ("brow_dark", 0.9, -0.28, 0.3), ("lip_red", 0.7, 0.57, 0.0)],
)
def test_each_marking_darkens_its_own_place(name, value, down, right):
    plain = at(markings(DOWN, RIGHT, Features()), down, right)
    changed = at(markings(DOWN, RIGHT, replace(Features(), **{name: value})), down, right)
    assert changed.mean() < plain.mean() - 0.02
