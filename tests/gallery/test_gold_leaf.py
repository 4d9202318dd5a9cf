from __future__ import annotations

import numpy as np
import pytest

from osmofuse import fuse, gallery
from osmofuse.metrics import psnr


@pytest.fixture(scope="module")
def page():
    return gallery.gold_leaf((300, 240), seed=0)


def slopes(band):
    return np.abs(np.diff(band, axis=1, prepend=band[:, :1]))


def test_truth_is_the_foreground_bit_for_bit_where_nothing_is_lost(page):
    kept = page.alpha == 1
    assert 0.6 < kept.mean() < 0.95
    assert np.array_equal(page.foreground[kept], page.truth[kept])


def test_the_relief_is_lost_in_the_visible_and_kept_in_the_infrared(page):
    lost = page.alpha < 0.02
    assert lost.mean() > 0.08
    visible, truth = page.foreground.mean(axis=2), page.truth.mean(axis=2)
    assert slopes(truth)[lost].mean() > 3 * slopes(visible)[lost].mean()
    assert slopes(page.background)[lost].mean() > 3 * slopes(visible)[lost].mean()
    assert np.corrcoef(truth[lost], page.background[lost])[0, 1] > 0.8


def test_only_gold_is_lost_and_it_stays_gold(page):
    lost = page.alpha < 0.5
    for picture in (page.foreground, page.truth):
        red, green, blue = picture[lost].mean(axis=0)
        assert red > 1.15 * green > 1.8 * blue


def test_the_loss_keeps_the_mean_colour(page):
    # The glare is in the truth as well: what is lost is relief, not colour.
    lost = page.alpha < 0.02
    gone = page.foreground[lost].mean(axis=0) / page.truth[lost].mean(axis=0)
    np.testing.assert_allclose(gone, 1.0, atol=0.03)


def test_a_fusion_comes_near_the_truth(page):
    fused = fuse(page.foreground, page.background, page.alpha).image
    assert psnr(fused, page.truth) > psnr(page.foreground, page.truth) + 5


@pytest.mark.parametrize("seed", range(5))
def test_every_seed_has_gold_both_kept_and_lost(seed):
    page = gallery.gold_leaf((160, 120), seed)
    assert np.mean(page.alpha < 0.1) > 0.05
    assert np.mean(np.abs(page.truth - page.foreground).max(axis=2) > 0.05) > 0.02
