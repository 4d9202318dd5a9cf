"""A page as such: what is on its stage, how large it says it is, and that it is whole."""

from __future__ import annotations

import numpy as np
import pytest

from osmofuse.errors import OutputError
from osmofuse.report.document import Document, write_document
from osmofuse.report.layers import layers_of

GREY = np.zeros((20, 30), np.uint8)


def a_document(**changes):
    parts = {
        "title": "T", "lede": ["one", "two"], "first": ("b", "a"),
        "layers": layers_of({"a": GREY, "b": GREY}),
    }  # fmt: skip
    return Document(**(parts | changes))


def written(folder, **changes):
    return write_document(folder, a_document(**changes)).read_text(encoding="utf-8")


def test_what_lies_on_the_stage_first(tmp_path):
    assert 'data-left="b" data-right="a"' in written(tmp_path / "report")


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({}, "one · two · 30 × 20 pixels</p>"),
        ({"longest": 16}, "30 × 20 pixels · shown here at most 16 pixels wide or high"),
        ({"size": (60, 90)}, "90 × 60 pixels · shown here reduced to 30 × 20"),
    ],
)
def test_how_large_it_is(tmp_path, changes, words):
    assert words in written(tmp_path / "report", **changes)


def test_ranked_layers_are_marked_in_their_order(tmp_path):
    text = written(tmp_path / "report", ranks=["b", "a"])
    places = [text.index(mark) for mark in ('data-rank="1"', 'data-rank="0"')]
    assert places == sorted(places)


def test_nothing_is_left_of_a_page_that_cannot_be_written(tmp_path, monkeypatch):
    def full(picture, path):
        raise OutputError(f"{path}: no room")

    monkeypatch.setattr("osmofuse.report.document.encode", full)
    with pytest.raises(OutputError, match="no room"):
        written(tmp_path / "deep" / "report")
    assert list(tmp_path.iterdir()) == []
