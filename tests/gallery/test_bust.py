from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from osmofuse.gallery import bust
from osmofuse.gallery.bust import paint_bust
from osmofuse.gallery.canvas import Box, Look, prepare_canvas
from osmofuse.gallery.face import Features

LOOK = Look(
    skin=(0.9, 0.6, 0.5), hair=(0.2, 0.1, 0.05), cloth=(0.1, 0.2, 0.6), wall=(0.4, 0.5, 0.4),
    light=(-0.5, 0.5, 0.7), sun=(0.9, 0.9, 0.8), ambient=(0.2, 0.2, 0.2),
)  # fmt: skip


@pytest.fixture(scope="module")
def canvas():
    return prepare_canvas((240, 200), np.random.default_rng(0))


def at(picture, canvas, down, right):
    row = np.argmin(np.abs(canvas.down[:, 0] - down))
    col = np.argmin(np.abs(canvas.right[0] - right))
    return picture[row, col]


def test_layers_lie_where_they_belong(canvas):
    picture = paint_bust(canvas, Features(), LOOK)
    skin, hair = at(picture, canvas, 0.0, 0.0), at(picture, canvas, -0.95, 0.0)
    cloth, wall = at(picture, canvas, 1.85, 0.3), at(picture, canvas, -1.3, -1.3)
    assert skin[0] > 1.2 * skin[2]
    assert hair.mean() < 0.5 * skin.mean()
    assert cloth[2] > 2 * cloth[0]
    assert wall[1] > wall[0]


def test_light_falls_from_its_side(canvas):
    picture = paint_bust(canvas, Features(), LOOK).mean(axis=2)
    left, right = at(picture, canvas, 0.1, -0.5), at(picture, canvas, 0.1, 0.5)
    assert left > 1.1 * right
    mirrored = paint_bust(canvas, Features(), replace(LOOK, light=(0.5, 0.5, 0.7))).mean(axis=2)
    assert at(mirrored, canvas, 0.1, 0.5) > 1.1 * at(mirrored, canvas, 0.1, -0.5)


def test_another_face_changes_the_head_only(canvas):
    first = paint_bust(canvas, Features(), LOOK)
    second = paint_bust(canvas, replace(Features(), nose_width=0.16, beard=0.4), LOOK)
    changed = np.any(first != second, axis=2)
    rows, cols = np.nonzero(changed)
    assert changed.any()
    assert np.abs(canvas.right[0, cols]).max() < 0.82
    assert np.abs(canvas.down[rows, 0]).max() < 1.1


@pytest.mark.parametrize("shape", [(240, 200), (60, 50), (100, 240)])
def test_the_boxes_save_work_and_change_nothing(monkeypatch, shape):
    canvas = prepare_canvas(shape, np.random.default_rng(0))
    boxed = paint_bust(canvas, Features(), LOOK)
    for name in ("_HAIR_BOX", "_HEAD_BOX", "_NECK_BOX", "_CLOTH_BOX"):
        monkeypatch.setattr(bust, name, Box(-np.inf, np.inf, np.inf))
    np.testing.assert_allclose(boxed, paint_bust(canvas, Features(), LOOK), atol=0.01)
