from __future__ import annotations

import math
from collections import UserList
from fractions import Fraction
from types import MappingProxyType

import numpy as np
import pytest

from osmofuse.checks import (
    MOST_SHOWN,
    choice,
    mapping,
    number,
    number_or_auto,
    sequence,
    shown,
    text,
    whole,
)
from osmofuse.errors import SettingError

HUGE = 10**5000  # more digits than Python prints


@pytest.mark.parametrize("value", [0, 0.0, 1, 2.5, np.float32(1), np.int64(3), Fraction(1, 3), 9])
def test_numbers_in_the_range_pass(value):
    assert number("eta", value, most=9.0) == float(value)


@pytest.mark.parametrize(
    "value",
    [-1e-300, -1, 9.1, 1e300, HUGE, -HUGE, math.nan, math.inf, -math.inf, True, "1", None, 1j, [1]],
    ids=type,
)
def test_all_else_is_refused_by_name(value):
    with pytest.raises(SettingError, match=r"^eta: .*; must be a number from 0 to 9$"):
        number("eta", value, most=9.0)


def test_above_leaves_out_the_least_itself():
    number("mu", 1e-300, above=True, most=1.0)
    with pytest.raises(SettingError, match=r"^mu: 0; must be a number above 0, at most 1$"):
        number("mu", 0, above=True, most=1.0)


def test_infinity_passes_where_it_is_meant():
    assert number("gamma", math.inf, most=1.0, infinite=True) == math.inf
    for value in (-math.inf, math.nan, 1.5):
        with pytest.raises(SettingError, match="from 0 to 1, or inf"):
            number("gamma", value, most=1.0, infinite=True)


def test_a_number_may_have_to_stay_below_another():
    number("threshold", 0.999, most=1.0, below=True)
    with pytest.raises(SettingError, match=r"^threshold: 1\.0; .* from 0, and below 1"):
        number("threshold", 1.0, most=1.0, below=True)


@pytest.mark.parametrize("value", [1, 5, np.int64(3)])
def test_whole_numbers_in_the_range_pass(value):
    assert whole("steps", value, least=1, most=5) == value


@pytest.mark.parametrize("value", [0, 6, HUGE, 2.0, math.nan, True, "3", None], ids=type)
def test_what_is_no_whole_number_in_the_range_is_refused(value):
    with pytest.raises(SettingError, match=r"^steps: .*; must be a whole number from 1 to 5$"):
        whole("steps", value, least=1, most=5)


@pytest.mark.parametrize("value", ["huber", None])
def test_choices_pass(value):
    choice("regulariser", value, ("huber", None))


@pytest.mark.parametrize("value", ["Huber", "", 0, ["huber"], np.zeros(2)])
def test_other_choices_are_refused_with_the_list(value):
    with pytest.raises(SettingError, match=r"(?s)^regulariser: .*one of 'huber', None"):
        choice("regulariser", value, ("huber", None))


def test_texts_have_a_length_and_may_have_a_pattern():
    assert text("by", "ab", most=2) == "ab"
    assert text("sha256", "0f", pattern="[0-9a-f]+") == "0f"
    with pytest.raises(SettingError, match="by: 'abc'; must be text of at most 2 characters"):
        text("by", "abc", most=2)
    with pytest.raises(SettingError, match="by: 5; must be text"):
        text("by", 5)
    with pytest.raises(SettingError, match="sha256: '0g'; must be text like"):
        text("sha256", "0g", pattern="[0-9a-f]+")


@pytest.mark.parametrize("value", [None, 5, "a", [], [("a", 1)], {1: 2}])
def test_a_mapping_has_names(value):
    assert mapping("settings", MappingProxyType({"a": 1})) == {"a": 1}
    with pytest.raises(SettingError, match=r"settings: .*; must be an object"):
        mapping("settings", value)


def test_a_sequence_has_a_length():
    assert sequence("steps", UserList([1, 2]), least=1, most=2) == [1, 2]
    for value in ("ab", b"ab", 5, None, {"a": 1}):
        with pytest.raises(SettingError, match=r"steps: .*; must be a list"):
            sequence("steps", value)
    with pytest.raises(SettingError, match="steps: 3 entries; must be 0 to 2"):
        sequence("steps", [1, 2, 3], most=2)


def test_a_wrong_value_is_shown_in_a_line():
    nested = []
    for _ in range(100_000):
        nested = [nested]
    for value in (HUGE, "x" * 10**6, list(range(10**5)), nested):
        assert len(shown(value)) <= MOST_SHOWN + 1


def test_a_number_or_auto():
    number_or_auto("eta", "auto", most=1.0)
    number_or_auto("eta", 0.5, most=1.0)
    for value in ("Auto", np.array([0.1, 0.2]), np.array("auto"), None, 2.0):
        with pytest.raises(SettingError, match=r'from 0 to 1, or "auto"'):
            number_or_auto("eta", value, most=1.0)
