"""The command that does a piece of work again."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

from osmofuse.jobs.again import again


def test_what_was_not_asked_for_is_left_out():
    command = again("align", [Path("a.tif")], Path("b.tif"), points=None, deformation=False)
    assert command == "osmofuse align a.tif -o b-again.tif"


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (True, []),
        (0.1, ["0.1"]),
        (10.0, ["10"]),
        (1 / 3, ["0.3333333333333333"]),
        (float("inf"), ["inf"]),
        (("a", "b c"), ["a,b c"]),
        ((0.5, None), ["0.5,rule"]),
        ((1, 2, 3, 4), ["1,2,3,4"]),
        (Path("my map.png"), ["my map.png"]),
    ],
)
def test_values_are_as_one_types_them(value, words):
    command = again("x", [], Path("out"), an_option=value)
    assert shlex.split(command) == ["osmofuse", "x", "--an-option", *words, "-o", "out-again"]


def test_the_current_folder_has_a_name_too(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert again("sweep", [], Path()).endswith(f"{tmp_path.name}-again")
