from __future__ import annotations

import numpy as np
import pytest
from scipy import ndimage

from osmofuse import gallery


@pytest.fixture(scope="module")
def beach():
    return gallery.clone((200, 220), seed=0)


def logs(picture):
    return np.log(picture + 1e-3)


def test_truth_is_the_foreground_bit_for_bit_outside_the_patch(beach):
    kept = beach.alpha == 1
    assert 0.5 < kept.mean() < 0.8
    assert np.array_equal(beach.foreground[kept], beach.truth[kept])


def test_the_patch_is_one_piece_with_a_soft_edge(beach):
    assert ndimage.label(beach.alpha == 0)[1] == 1
    assert np.mean((beach.alpha > 0) & (beach.alpha < 1)) > 0.02


def test_truth_and_background_differ_in_the_patch_by_light_alone(beach):
    inside = beach.alpha == 0
    ratio = logs(beach.truth) - logs(beach.background)
    step = np.abs(np.diff(ratio, axis=0))[inside[1:]].max()
    own = np.abs(np.diff(logs(beach.truth), axis=0))[inside[1:]].max()
    assert step < 0.2 * own, "light changes slowly, the starfish does not"
    assert np.ptp(ratio[inside].mean(axis=0)) > 0.3, "the two lights have other colours"


def test_the_starfish_lies_in_the_patch_and_is_no_sand(beach):
    red = beach.background[..., 0] / beach.background[..., 2] > 1.2
    assert 0.03 < red.mean() < 0.2
    assert beach.alpha[red].max() == 0


def test_no_pebble_is_cut_by_the_patch(beach):
    for seed in range(4):
        scene = gallery.clone((120, 132), seed)
        pebbles = scene.foreground.mean(axis=2) < 0.3
        assert pebbles.any()
        assert scene.alpha[pebbles].min() == 1


def test_truth_has_no_seam(beach):
    ring = (beach.alpha > 0) & (beach.alpha < 1)
    step = np.abs(np.diff(beach.truth.mean(axis=2), axis=1))
    own = np.abs(np.diff(beach.foreground.mean(axis=2), axis=1))
    assert step[ring[:, 1:]].mean() < 1.3 * own[ring[:, 1:]].mean()
