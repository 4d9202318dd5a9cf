from __future__ import annotations

import numpy as np
import pytest

from osmofuse.gallery.canvas import Box, Look, edge, lay, lit, prepare_canvas

LOOK = Look(
    skin=(0.9, 0.6, 0.5), hair=(0.2, 0.1, 0.05), cloth=(0.1, 0.2, 0.6), wall=(0.4, 0.5, 0.4),
    light=(-0.5, 0.0, 0.7), sun=(0.9, 0.8, 0.7), ambient=(0.1, 0.2, 0.3),
)  # fmt: skip


@pytest.fixture(scope="module")
def canvas():
    return prepare_canvas((120, 100), np.random.default_rng(0))


@pytest.mark.parametrize("shape", [(60, 50), (50, 90), (200, 40)])
def test_the_head_grows_with_the_picture(shape):
    rng = np.random.default_rng(0)
    small, large = prepare_canvas(shape, rng), prepare_canvas((2 * shape[0], 2 * shape[1]), rng)
    assert large.pixels == pytest.approx(2 * small.pixels)
    assert np.diff(large.right[0]).mean() == pytest.approx(1 / large.pixels, rel=1e-4)


def test_edge_is_exact_away_from_the_border_and_never_sharper_than_a_pixel(canvas):
    cover = edge(canvas, canvas.right - 0.1, softness=0.0)
    assert set(cover[:, np.abs(canvas.right[0] - 0.1) > 1.0 / canvas.pixels].ravel()) == {0.0, 1.0}
    assert np.any((cover > 0) & (cover < 1))


def test_a_slope_towards_the_light_is_brighter(canvas):
    # The light comes from the left: a relief that rises to the right faces it.
    flat = np.zeros((120, 100), dtype=np.float32)
    rising = flat + 0.5 * canvas.right
    towards, level, away = (lit(canvas, h, LOOK, 0.0).mean() for h in (rising, flat, -rising))
    assert towards > level > away


def test_flat_ground_is_evenly_lit_in_the_colour_of_the_light(canvas):
    light = lit(canvas, np.zeros((120, 100), dtype=np.float32), LOOK, 0.0)
    assert np.ptp(light, axis=(0, 1)).max() == 0.0
    diffuse = (light[0, 0] - LOOK.ambient) / np.array(LOOK.sun)
    np.testing.assert_allclose(diffuse, diffuse[0], rtol=1e-5)


def test_a_layer_paints_inside_its_box_only(canvas):
    picture = np.zeros((120, 100, 3), dtype=np.float32)
    seen = []

    def paint(part):
        seen.append(part.rough.shape)
        return np.ones((*part.rough.shape, 3), np.float32), np.ones(part.rough.shape, np.float32)

    lay(picture, canvas, Box(-0.5, 0.5, 0.3), paint)
    rows, cols = np.nonzero(picture[..., 0])
    spare = 2.5 / canvas.pixels
    assert seen[0][0] * seen[0][1] == len(rows)
    assert np.abs(canvas.down[rows, 0]).max() < 0.5 + spare
    assert np.abs(canvas.right[0, cols]).max() < 0.3 + spare


def test_a_box_outside_the_picture_paints_nothing(canvas):
    picture = np.zeros((120, 100, 3), dtype=np.float32)
    lay(picture, canvas, Box(50.0, 60.0, 1.0), lambda part: pytest.fail("painted"))
    assert not picture.any()


def test_strands_differ_on_the_two_sides_of_the_parting(canvas):
    left, right = canvas.strands[:, :50], canvas.strands[:, 50:][:, ::-1]
    assert abs(np.corrcoef(left.ravel(), right.ravel())[0, 1]) < 0.5
