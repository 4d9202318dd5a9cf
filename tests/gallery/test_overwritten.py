"""Words crossed out in another ink: covered, not missing."""

import numpy as np
import pytest

from osmofuse import gallery
from osmofuse.metrics import legibility


@pytest.fixture(scope="module")
def page():
    return gallery.overwritten((300, 220), 2)


def test_truth_is_the_foreground_bit_for_bit_where_nothing_was_crossed_out(page):
    kept = page.alpha == 1
    assert 0.4 < kept.mean() < 0.9
    assert np.array_equal(page.foreground[kept], page.truth[kept])


def test_the_deletions_hide_the_writing_and_infrared_shows_it(page):
    covered = page.alpha == 0
    ink = np.where(covered, page.ink, 128).astype(np.uint8)
    assert legibility(page.background, ink) > 8
    assert legibility(page.truth, ink) > 4
    assert legibility(page.foreground, ink) < 0.5 * legibility(page.truth, ink)


def test_deletions_are_blue_and_dark(page):
    over = (page.alpha == 0) & (np.abs(page.foreground - page.truth).max(axis=2) > 0.3)
    (red, _, blue), (truly_red, _, truly_blue) = (
        x[over].mean(axis=0) for x in (page.foreground, page.truth)
    )
    assert blue / red > 1.5 * truly_blue / truly_red
    assert red < 0.7 * truly_red
