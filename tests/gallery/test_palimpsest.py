"""A first text below a second one: faint in the visible picture, clear in ultraviolet."""

import numpy as np
import pytest

from osmofuse import gallery
from osmofuse.metrics import legibility


@pytest.fixture(scope="module")
def page():
    return gallery.palimpsest((300, 220), 2)


def test_truth_is_the_foreground_bit_for_bit_away_from_the_first_text(page):
    kept = page.alpha == 1
    assert 0.2 < kept.mean() < 0.8
    assert np.array_equal(page.foreground[kept], page.truth[kept])


def test_the_first_text_is_faint_in_the_foreground_and_clear_elsewhere(page):
    assert legibility(page.truth, page.ink) > 2
    assert legibility(page.background, page.ink) > 4
    assert legibility(page.foreground, page.ink) < 0.4 * legibility(page.truth, page.ink)


def test_the_second_text_lies_over_the_first(page):
    second = page.truth.max(axis=2) < 0.25
    assert np.abs(page.truth - page.foreground)[second].mean() < 0.06
    assert not (page.ink[second] == 0).any()
