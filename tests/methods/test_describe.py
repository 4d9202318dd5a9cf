"""Descriptions of methods: every setting has words, a range, and advice."""

from __future__ import annotations

import re
from dataclasses import dataclass, fields
from typing import Literal

import pytest

from osmofuse import plugins
from osmofuse.errors import SettingError
from osmofuse.methods import METHODS
from osmofuse.methods.describe import describe, shown

EVERY = [(method, field.name) for method in METHODS for field in fields(METHODS[method])]
# Words that begin the sentence on when to change a setting.
ADVICE = r"\b(Raise|Lower|Use|Choose|choose|lower|raise)\b"


def setting(method, name):
    return next(one for one in describe(method).settings if one.name == name)


@pytest.mark.parametrize(("method", "name"), EVERY)
def test_every_setting_has_words_values_and_advice(method, name):
    one = setting(method, name)
    assert len(one.words) > 20
    assert not {"`", "\\", "*"} & set(one.words), "markup is left"
    assert one.values, "neither a range nor choices"
    assert re.search(ADVICE, one.words), "when to change it is not said"


def test_letters_of_the_paper():
    found = {one.name: one.symbol for one in describe("variational").settings}
    for name, letter in {"eta": "η", "mu": "μ", "gamma": "γ", "epsilon": "ε"}.items():
        assert found[name] == letter
        assert letter not in setting("variational", name).words


def test_values_are_ranges_and_choices():
    assert setting("variational", "gamma").values == "0 to 1e9, or inf"
    assert setting("variational", "reach").values == "0.001 to 1e6, or inf, or none, or auto"
    assert setting("variational", "regulariser").values == "huber, tv, tikhonov, none"
    assert setting("spectral-tv", "coupled").values == "true, false"
    assert setting("spectral-tv", "background_weights").range == "-100 to 100"


def test_a_formula_in_the_text_keeps_its_letters():
    assert "√(2T) pixels" in setting("linear-osmosis", "time").words


def test_an_unknown_method_is_refused():
    with pytest.raises(SettingError, match="did you mean 'poisson'"):
        describe("poison")


@dataclass(frozen=True)
class Bare:
    depth: int = 3
    mode: Literal["a", "b"] | None = "a"

    def __call__(self, sources, *, watch=None):
        raise NotImplementedError


def test_a_method_of_others_needs_no_docstring(monkeypatch):
    monkeypatch.setattr(plugins, "offered", lambda kind, taken: ("bare",))
    monkeypatch.setattr(plugins, "loaded", lambda kind, name: Bare)
    found = describe("bare")
    assert [(one.name, one.default, one.words) for one in found.settings] == [
        ("depth", 3, ""),
        ("mode", "a", ""),
    ]
    assert found.settings[1].values == "a, b, none"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "none"),
        (True, "true"),
        (0.1, "0.1"),
        (1e-6, "1e-06"),
        ((1.0, 0.5), "1,0.5"),
        (3, "3"),
    ],
)
def test_values_as_one_types_them(value, text):
    assert shown(value) == text
