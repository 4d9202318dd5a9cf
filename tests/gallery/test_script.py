from __future__ import annotations

from collections import deque

import numpy as np
import pytest

from osmofuse.gallery.script import CAPITALS, TEXT, Hand, write_line


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
