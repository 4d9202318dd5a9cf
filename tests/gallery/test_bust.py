from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from osmofuse.gallery import bust
from osmofuse.gallery.bust import Box, Look, edge, lay, lit, paint_bust, prepare_canvas
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


@pytest.mark.parametrize("shape", [(240, 200), (60, 50), (100, 240), (14, 12)])
def test_the_boxes_save_work_and_change_nothing(monkeypatch, shape):
    canvas = prepare_canvas(shape, np.random.default_rng(0))
    boxed = paint_bust(canvas, Features(), LOOK)
    for name in ("_HAIR_BOX", "_HEAD_BOX", "_NECK_BOX", "_CLOTH_BOX"):
        monkeypatch.setattr(bust, name, Box(-np.inf, np.inf, np.inf))
    np.testing.assert_allclose(boxed, paint_bust(canvas, Features(), LOOK), atol=0.01)


SIDE_LIGHT = Look(
    skin=(0.9, 0.6, 0.5), hair=(0.2, 0.1, 0.05), cloth=(0.1, 0.2, 0.6), wall=(0.4, 0.5, 0.4),
    light=(-0.5, 0.0, 0.7), sun=(0.9, 0.8, 0.7), ambient=(0.1, 0.2, 0.3),
)  # fmt: skip


@pytest.fixture(scope="module")
def small():
    return prepare_canvas((120, 100), np.random.default_rng(0))


@pytest.mark.parametrize("shape", [(60, 50), (50, 90), (200, 40)])
def test_the_head_grows_with_the_picture(shape):
    rng = np.random.default_rng(0)
    small, large = prepare_canvas(shape, rng), prepare_canvas((2 * shape[0], 2 * shape[1]), rng)
    assert large.pixels == pytest.approx(2 * small.pixels)
    assert np.diff(large.right[0]).mean() == pytest.approx(1 / large.pixels, rel=1e-4)


def test_edge_is_exact_away_from_the_border_and_never_sharper_than_a_pixel(small):
    cover = edge(small, small.right - 0.1, softness=0.0)
    assert set(cover[:, np.abs(small.right[0] - 0.1) > 1.0 / small.pixels].ravel()) == {0.0, 1.0}
    assert np.any((cover > 0) & (cover < 1))


def test_a_slope_towards_the_light_is_brighter(small):
    # The light comes from the left: a relief that rises to the right faces it.
    flat = np.zeros((120, 100), dtype=np.float32)
    rising = flat + 0.5 * small.right
    towards, level, away = (lit(small, h, SIDE_LIGHT, 0.0).mean() for h in (rising, flat, -rising))
    assert towards > level > away


def test_flat_ground_is_evenly_lit_in_the_colour_of_the_light(small):
    light = lit(small, np.zeros((120, 100), dtype=np.float32), SIDE_LIGHT, 0.0)
    assert np.ptp(light, axis=(0, 1)).max() == 0.0
    diffuse = (light[0, 0] - SIDE_LIGHT.ambient) / np.array(SIDE_LIGHT.sun)
    np.testing.assert_allclose(diffuse, diffuse[0], rtol=1e-5)


def test_a_layer_paints_inside_its_box_only(small):
    picture = np.zeros((120, 100, 3), dtype=np.float32)
    seen = []

    def paint(part):
        seen.append(part.rough.shape)
        return np.ones((*part.rough.shape, 3), np.float32), np.ones(part.rough.shape, np.float32)

    lay(picture, small, Box(-0.5, 0.5, 0.3), paint)
    rows, cols = np.nonzero(picture[..., 0])
    spare = 2.5 / small.pixels
    assert seen[0][0] * seen[0][1] == len(rows)
    assert np.abs(small.down[rows, 0]).max() < 0.5 + spare
    assert np.abs(small.right[0, cols]).max() < 0.3 + spare


def test_a_box_outside_the_picture_paints_nothing(small):
    picture = np.zeros((120, 100, 3), dtype=np.float32)
    lay(picture, small, Box(50.0, 60.0, 1.0), lambda part: pytest.fail("painted"))
    assert not picture.any()


def test_strands_differ_on_the_two_sides_of_the_parting(small):
    left, right = small.strands[:, :50], small.strands[:, 50:][:, ::-1]
    assert abs(np.corrcoef(left.ravel(), right.ravel())[0, 1]) < 0.5
