from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from osmofuse.gallery.page import layout, pitch_of, running, written


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
