from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from osmofuse.gallery.page import fibres, layout, parchment, pitch_of, running, stained, written


def test_lines_never_come_closer_than_nine_pixels():
    assert pitch_of((10, 10)) == 9
    assert pitch_of((1900, 1900)) == 100


def test_the_first_word_lacks_the_letter_that_the_initial_shows():
    words = running(0)
    assert words[0] == "n"
    assert words[1] == "principio"


@pytest.mark.parametrize(("shape", "columns"), [((600, 450), 1), ((200, 1600), 2)])
def test_a_wide_page_has_columns_that_do_not_touch(shape, columns):
    _, ends = layout(shape, pitch_of(shape))
    assert len(ends) >= columns
    for (_, right), (left, _) in pairwise(ends):
        assert left > right


def test_layers_are_shares_and_the_page_has_every_colour():
    layers = written((200, 160), np.random.default_rng(0))
    for cover in (layers.ink, layers.red, layers.blue, layers.gold, layers.rules):
        assert cover.min() >= 0
        assert 0.5 < cover.max() <= 1


def test_a_skin_is_warm_and_darker_at_its_edges():
    flat = np.zeros((120, 120), np.float32)
    red, green, blue = np.moveaxis(parchment((120, 120), flat, flat), 2, 0)
    assert np.all(red > green)
    assert np.all(green > blue)
    assert red[60, 119] < red[60, 60]


def test_fibres_shade_the_skin():
    flat = np.zeros((60, 60), np.float32)
    grain = fibres((60, 60), np.random.default_rng(0))
    assert abs(grain.mean()) < 0.3
    plain, rough = parchment((60, 60), flat, flat), parchment((60, 60), flat, grain)
    assert np.corrcoef((rough / plain)[..., 0].ravel(), grain.ravel())[0, 1] > 0.99


def test_stains_only_darken_and_take_most_of_the_blue():
    page = np.full((120, 120, 3), 0.8, np.float32)
    left = stained(page, np.random.default_rng(1)) / page
    assert np.all(left <= 1)
    mean = left.mean(axis=(0, 1))
    assert mean[0] > mean[1] > mean[2]
