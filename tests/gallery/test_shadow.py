from __future__ import annotations

import numpy as np
import pytest
from scipy import ndimage

from osmofuse import gallery


@pytest.fixture(scope="module")
def yard():
    return gallery.shadow((200, 260), seed=0)


def ratio(scene):
    return scene.foreground / np.maximum(scene.truth, 1e-6)


def umbra(scene):
    return (scene.alpha == 1) & (ratio(scene).mean(axis=2) < 0.9)


def lit(scene):
    return (scene.alpha == 1) & (ratio(scene).mean(axis=2) >= 0.9)


def test_there_is_one_picture_and_a_binary_map(yard):
    assert yard.background is None
    assert set(np.unique(yard.alpha)) == {0.0, 1.0}


def test_in_the_light_nothing_changes_to_the_bit(yard):
    assert 0.3 < lit(yard).mean() < 0.9
    assert np.array_equal(yard.foreground[lit(yard)], yard.truth[lit(yard)])


@pytest.mark.parametrize("seed", range(4))
def test_in_the_umbra_the_ratio_is_one_bluish_colour(seed):
    scene = gallery.shadow((120, 150), seed)
    left = ratio(scene)[umbra(scene)]
    assert len(left) > 1000
    np.testing.assert_allclose(left, np.broadcast_to(left[0], left.shape), rtol=2e-6)
    red, green, blue = left[0]
    assert 0.3 < red < green < blue < 0.6


def test_shadow_only_darkens(yard):
    assert np.all(yard.foreground <= yard.truth)


def test_the_band_is_a_little_wider_than_the_penumbra(yard):
    left = ratio(yard).mean(axis=2)
    deepest = left[umbra(yard)].max()
    penumbra = (left > deepest + 1e-3) & (left < 1 - 1e-3)
    band = yard.alpha == 0
    assert np.all(band[penumbra])
    assert 1.05 < band.sum() / penumbra.sum() < 2.0


def test_the_band_parts_shadow_from_light(yard):
    # No umbra touches the light: every way between them crosses the band.
    assert not np.any(ndimage.binary_dilation(umbra(yard), np.ones((3, 3))) & lit(yard))


def test_the_edge_is_soft(yard):
    left = ratio(yard).mean(axis=2)
    assert max(np.abs(np.diff(left, axis=axis)).max() for axis in (0, 1)) < 0.25


def test_the_ground_is_textured_and_colourful(yard):
    truth = yard.truth
    assert truth.mean(axis=2).std() > 0.05
    red, green, blue = np.moveaxis(truth, 2, 0)
    assert np.mean(green > 1.2 * red) > 0.01
    assert np.mean((red > 1.6 * blue) & (red > 1.1 * green)) > 0.01
    assert np.mean(blue > 1.3 * red) > 0.005


@pytest.mark.parametrize("shape", [(40, 300), (300, 40), (60, 60)])
def test_band_umbra_and_light_exist_at_other_shapes(shape):
    scene = gallery.shadow(shape)
    assert min(np.sum(scene.alpha == 0), umbra(scene).sum(), lit(scene).sum()) > 10
