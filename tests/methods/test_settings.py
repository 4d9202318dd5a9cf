from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

from osmofuse.errors import SettingError
from osmofuse.methods.settings import choice, number


@pytest.mark.parametrize("value", [0, 0.0, 1, 2.5, np.float32(1), np.int64(3), Fraction(1, 3)])
def test_numbers_from_the_least_upwards_pass(value):
    number("eta", value)


@pytest.mark.parametrize("value", [-1e-300, -1, math.nan, math.inf, -math.inf, True, "1", None, 1j])
def test_all_else_is_refused_by_name(value):
    with pytest.raises(SettingError, match=r"^eta: .*; must be a number from 0"):
        number("eta", value)


def test_above_leaves_out_the_least_itself():
    number("mu", 1e-300, above=True)
    with pytest.raises(SettingError, match=r"^mu: 0; must be a number above 0"):
        number("mu", 0, above=True)


def test_infinity_passes_where_it_is_meant():
    number("gamma", math.inf, infinite=True)
    for value in (-math.inf, math.nan):
        with pytest.raises(SettingError, match="or inf"):
            number("gamma", value, infinite=True)


@pytest.mark.parametrize("value", ["huber", None])
def test_choices_pass(value):
    choice("regulariser", value, ("huber", None))


@pytest.mark.parametrize("value", ["Huber", "", 0, ["huber"], np.zeros(2)])
def test_other_choices_are_refused_with_the_list(value):
    with pytest.raises(SettingError, match=r"(?s)^regulariser: .*one of 'huber', None"):
        choice("regulariser", value, ("huber", None))


def test_a_number_may_have_to_stay_below_another():
    number("threshold", 0.999, below=1.0)
    with pytest.raises(SettingError, match=r"^threshold: 1\.0; .* from 0, and below 1"):
        number("threshold", 1.0, below=1.0)
