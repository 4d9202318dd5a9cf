"""The settings of a sweep in words."""

from __future__ import annotations

from itertools import product
from types import SimpleNamespace

import numpy as np
import pytest

from osmofuse.report.tried import fixed_settings, said, said_value, trial_names

USUAL = {"start": "foreground", "mu": 10.0, "reach": 8.0, "eta": 0.1, "gamma": 1.0}


def trials(*changes):
    return [SimpleNamespace(settings=USUAL | one) for one in changes]


def test_no_two_trials_have_one_name():
    near = trials({"mu": 1000000.0}, {"mu": 1000001.0})
    assert trial_names(near) == ["μ = 1000000", "μ = 1000001"]


def test_what_is_not_varied_is_said_once():
    tried = [one.settings for one in trials({"eta": 0.0}, {"eta": 0.5})]
    assert said(fixed_settings(tried)) == "start foreground, μ = 10, reach 8 px, γ = 1"


def test_a_trial_is_called_by_what_was_varied():
    changes = [{"eta": eta, "reach": reach} for eta, reach in product((0, 0.5), (8, None))]
    assert trial_names(trials(*changes)) == [
        "reach 8 px, η = 0",
        "reach by the paper's rule, η = 0",
        "reach 8 px, η = 0.5",
        "reach by the paper's rule, η = 0.5",
    ]


def test_a_single_trial_has_some_name():
    assert trial_names(trials({})) == ["start foreground"]
    assert trial_names([SimpleNamespace(settings={})]) == ["as it is"]


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("gamma", np.inf, "γ = inf"),
        ("reach", "2 %", "reach 2 %"),
        ("alpha", 0.25, "α = 0.25"),
        ("alpha", "map 2", "α: map 2"),
        ("coupled", True, "coupled true"),
        ("weights", (3, 1.5), "weights 3,1.5"),
        ("solver", "flow", "solver flow"),
    ],
)
def test_values_in_words(name, value, words):
    assert said_value(name, value) == words
