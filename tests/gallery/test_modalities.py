from __future__ import annotations

import numpy as np
import pytest

from osmofuse import fuse, gallery
from osmofuse.metrics import psnr


@pytest.fixture(scope="module")
def page():
    return gallery.modalities((260, 200), seed=0)


def contrast(band, ink):
    """Return how much darker a band is on ink than beside it."""
    return float(band[~ink].mean() - band[ink].mean())


def test_truth_is_the_foreground_bit_for_bit_where_nothing_is_lost(page):
    kept = page.alpha[0] == 1
    assert 0.2 < kept.mean() < 0.8
    assert np.array_equal(page.foreground[kept], page.truth[kept])


@pytest.mark.parametrize(("shows", "hides"), [(0, 1), (1, 0)])
def test_each_modality_shows_the_ink_that_the_others_lack(page, shows, hides):
    region = page.alpha[shows + 1] > 0.95
    assert region.mean() > 0.1
    lost = (page.foreground - page.truth).mean(axis=2)[region] > 0.2
    visible = page.foreground.mean(axis=2)[region]
    assert contrast(page.background[shows][region], lost) > 0.25
    assert contrast(page.background[shows][region], lost) > 5 * contrast(visible, lost)
    assert contrast(page.background[hides][region], lost) < 0.08


def test_the_second_ink_is_browner(page):
    rows = page.alpha[2].max(axis=1) > 0.9
    upper, lower = ((page.truth.max(axis=2) < 0.5) & part[:, None] for part in (~rows, rows))
    warmth = [(page.truth[ink][:, 0] / page.truth[ink][:, 2]).mean() for ink in (upper, lower)]
    assert warmth[1] > 1.15 * warmth[0]


def test_a_fusion_of_all_three_comes_nearer_than_of_two(page):
    def gain(background, alpha):
        return psnr(fuse(page.foreground, background, alpha).image, page.truth)

    first, washed, scraped = page.alpha
    all_three = gain(page.background, page.alpha)
    assert all_three > psnr(page.foreground, page.truth) + 4
    assert all_three > gain(page.background[0], first + scraped) + 1
    assert all_three > gain(page.background[1], first + washed) + 1
