from __future__ import annotations

from collections import deque

import numpy as np
import pytest

from osmofuse.gallery.script import (
    CAPITALS,
    TEXT,
    Hand,
    Pen,
    Stamp,
    paste,
    spiral,
    stamp,
    write_line,
)

LINE_RIGHT = [(0.0, 0.0), (20.0, 0.0)]
LINE_UP = [(0.0, 0.0), (0.0, 20.0)]


def test_a_round_pen_covers_the_area_of_its_path():
    sign = stamp([LINE_RIGHT], 2.0, Pen(width=0.0, thickness=1.5))
    # A bar of 40 by 6 pixels with two half discs of radius 3.
    assert sign.coverage.sum() == pytest.approx(40 * 6 + np.pi * 9, rel=0.02)


def test_width_follows_the_direction_of_the_stroke():
    pen = Pen(width=6.0, thickness=0.5, angle=0.0)
    right, up = (stamp([line], 1.0, pen).coverage for line in (LINE_RIGHT, LINE_UP))
    assert right.sum(axis=0).max() == pytest.approx(1.0, abs=0.1)
    assert up.sum(axis=1).max() == pytest.approx(7.0, abs=0.2)


def test_a_stroke_has_no_gaps_and_soft_edges():
    sign = stamp([[(0.0, 0.0), (30.0, 17.0)]], 3.0, Pen(width=0.0, thickness=0.6))
    along = sign.coverage.max(axis=0)[10:-10]
    assert along.min() > 0.85
    assert ((sign.coverage > 0.1) & (sign.coverage < 0.9)).any()


def test_upwards_is_towards_row_zero_and_the_origin_is_where_it_says():
    sign = stamp([LINE_UP], 1.0, Pen(width=0.0, thickness=1.0))
    assert sign.coverage[sign.row, sign.col] == 1.0
    assert sign.coverage[sign.row - 20, sign.col] == 1.0
    assert sign.coverage[sign.row + 2 :].sum() == 0.0


def test_hairlines_do_not_vanish_from_small_pictures():
    assert stamp([LINE_RIGHT], 0.1, Pen(width=0.0, thickness=0.001)).coverage.max() > 0.5


def test_paste_cuts_at_every_border_and_keeps_the_larger_value():
    sign = Stamp(np.full((3, 3), 0.5, dtype=np.float32), 1, 1)
    canvas = np.zeros((4, 5), dtype=np.float32)
    canvas[0, 0] = 0.8
    for row, col in ((0, 0), (3, 4), (-9, 2), (2, 99)):
        paste(canvas, sign, row, col)
    assert canvas[0, 0] == np.float32(0.8)
    assert np.count_nonzero(canvas == 0.5) == 3 + 4


def test_spiral_winds_inwards_both_ways():
    left, right = np.array(spiral(2.0, 1.0)), np.array(spiral(-2.0, 1.0))
    assert np.all(np.diff(np.hypot(*left.T)) < 0)
    np.testing.assert_allclose(left * [1, -1], right, atol=1e-12)


def test_every_letter_of_the_text_can_be_written():
    hand = Hand(10.0, np.random.default_rng(0))
    for character in sorted({*"".join(TEXT).replace(" ", ""), "ſ"}):
        assert hand.letter(character).coverage.max() > 0.75
        assert hand.advance(character) > 0


def test_every_sentence_opens_with_a_known_capital():
    assert {sentence[0] for sentence in TEXT} <= set(CAPITALS)


def test_letters_differ_from_each_other():
    hand = Hand(16.0, np.random.default_rng(0))
    prints = {letter: hand.letter(letter).coverage.tobytes() for letter in "abcdefghilmnopqrstuvx"}
    assert len(set(prints.values())) == len(prints)


@pytest.mark.parametrize(
    ("letter", "above", "below"), [("d", True, False), ("p", False, True), ("o", False, False)]
)
def test_ascenders_rise_and_descenders_fall(letter, above, below):
    sign = Hand(20.0, np.random.default_rng(0)).letter(letter)
    rows = np.flatnonzero(sign.coverage.max(axis=1) > 0.5)
    assert (sign.row - rows[0] > 30) == above
    assert (rows[-1] - sign.row > 10) == below


def test_a_letter_has_a_few_forms_and_no_more():
    hand = Hand(12.0, np.random.default_rng(0))
    forms = {hand.letter("a").coverage.tobytes() for _ in range(60)}
    assert 2 <= len(forms) <= 4


def test_a_line_fills_its_length_and_stays_within():
    canvas = np.zeros((60, 400), dtype=np.float32)
    rng = np.random.default_rng(0)
    write_line(canvas, deque(TEXT[3].split() * 5), (35.0, 40.0, 350.0), Hand(12.0, rng), rng)
    cols = np.flatnonzero(canvas.max(axis=0) > 0.5)
    assert 35 <= cols[0] <= 50
    assert 270 < cols[-1] < 350 + 2 * 12
    # Words: blank gaps wider than half a letter.
    assert np.count_nonzero(np.diff(cols) > 4) >= 4


def test_a_word_that_does_not_fit_opens_the_next_line():
    rng = np.random.default_rng(0)
    words = deque(["lux", "firmamentum", "et"])
    write_line(
        np.zeros((40, 120), dtype=np.float32), words, (20.0, 5.0, 60.0), Hand(12.0, rng), rng
    )
    assert words[0] == "firmamentum"


def test_a_word_longer_than_the_line_is_cut_and_the_text_goes_on():
    rng = np.random.default_rng(0)
    words = deque(["congregationesque", "et"])
    canvas = np.zeros((40, 200), dtype=np.float32)
    write_line(canvas, words, (25.0, 5.0, 40.0), Hand(12.0, rng), rng)
    assert words[0] == "et"
    assert canvas[:, 80:].max() == 0.0
