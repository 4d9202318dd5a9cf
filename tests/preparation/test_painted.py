from __future__ import annotations

import numpy as np
import pytest

from osmofuse import InputError
from osmofuse.preparation.painted import is_painted, mask_of_two, painted_words, strokes_in

PAPER = np.ones((20, 30, 3))


def painted(*colours):
    page = PAPER.copy()
    for k, colour in enumerate(colours):
        page[4 * k : 4 * k + 4] = colour
    return page


def test_two_colours_are_a_mask_of_the_lighter():
    page = np.zeros((4, 5, 3), np.uint8)
    page[1:3, 2] = (128, 0, 0)
    mask = mask_of_two(page)
    assert mask.sum() == 2
    assert mask[1:3, 2].all()
    assert np.array_equal(mask_of_two(page[::-1]), mask[::-1])


@pytest.mark.parametrize("page", [PAPER, painted((1, 0, 0), (0, 1, 0)), painted((1, 0, 0))[:8]])
def test_one_three_or_equally_light_colours_are_none(page):
    page = page.copy()
    page[page.sum(axis=2) == 3] = (0, 1, 0) if len(page) == 8 else (1, 1, 1)
    assert mask_of_two(page) is None


def test_few_colours_are_a_painting(rng):
    assert is_painted(painted((1, 0, 0), (0, 0.8, 0)))
    assert not is_painted(painted((0.5, 0.5, 0.5)))
    assert not is_painted(rng.random((20, 30, 3)))
    assert painted_words(painted((1, 0, 0))) == "80% white, 20% red"


def test_strokes_are_green_and_red():
    kept, entered = strokes_in(painted((0.9, 0.1, 0), (0.1, 0.7, 0.2), (0, 0, 1)), "s.png")
    assert entered[:4].all()
    assert kept[4:8].all()
    assert not (kept | entered)[8:].any()
    with pytest.raises(InputError, match=r"s\.png: .*nothing in red"):
        strokes_in(painted((0, 1, 0)), "s.png")
