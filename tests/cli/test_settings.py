"""Settings on the command line: five options and --set mean the same as in the library."""

from __future__ import annotations

import math
from dataclasses import fields

import click
import pytest

from osmofuse.cli.settings import (
    Assignment,
    chosen_settings,
    set_option,
    settings_by_method,
    tried_settings,
)
from osmofuse.methods import METHODS
from osmofuse.methods.describe import describe, shown

EVERY = [(method, field) for method in METHODS for field in fields(METHODS[method])]


def given(*assignments, **usual):
    """Return options as click hands them to a command."""
    return {**usual, "assignments": [one.split("=", 1) for one in assignments]}


@pytest.mark.parametrize(("method", "field"), EVERY, ids=lambda x: getattr(x, "name", x))
def test_a_default_given_as_text_is_the_default(method, field):
    text = f"{field.name}={shown(field.default)}"
    assert chosen_settings(method, given(text)) == {field.name: field.default}


@pytest.mark.parametrize(
    ("method", "name", "text", "value"),
    [
        ("variational", "eta", "0.25", 0.25),
        ("variational", "gamma", "inf", math.inf),
        ("variational", "reach", "none", None),
        ("variational", "reach", "12", 12.0),
        ("variational", "reach", "2 %", "2 %"),
        ("variational", "max_iter", "7", 7),
        ("variational", "regulariser", "tv", "tv"),
        ("variational", "regulariser", "none", None),
        ("spectral-tv", "coupled", "true", True),
        ("average", "weights", "3,1", (3.0, 1.0)),
    ],
)
def test_texts_become_values(method, name, text, value):
    (found,) = chosen_settings(method, given(f"{name}={text}")).values()
    assert found == value
    assert type(found) is type(value)


def test_five_settings_are_options_of_their_own():
    asked = given("epsilon=0.1", reach="3", eta="0.2", mu=None, gamma="inf", offset="0.1")
    wanted = {"reach": 3.0, "eta": 0.2, "gamma": math.inf, "offset": 0.1, "epsilon": 0.1}
    assert chosen_settings("variational", asked) == wanted


@pytest.mark.parametrize(
    ("method", "name", "text", "match"),
    [
        ("variational", "eta", "much", "--set eta: 'much' is not auto or a number"),
        ("variational", "eta", "none", "--set eta: 'none' is not auto or a number"),
        ("variational", "eta", "0,5", r"did you mean 0\.5"),
        ("variational", "max_iter", "1.5", "--set max_iter: '1.5' is not a whole number"),
        ("variational", "regulariser", "l2", "'l2' is not huber or tv or tikhonov or none"),
        ("variational", "solver", "ipano", r"did you mean 'ipiano'\?"),
        (
            "variational",
            "reach",
            "2cm",
            "'2cm' is not auto or a number of pixels, text like '2 %' or none",
        ),
        ("average", "weights", "3;1", "'3;1' is not numbers separated by commas or none"),
        ("direct", "eta", "1", "--set eta is not a setting of the method 'direct'; .* are band"),
        ("variational", "etta", "1", r"did you mean 'eta'\?"),
        ("guided-filter", "band", "keep", "not a setting .* are split_radius, "),
    ],
)
def test_wrong_texts_and_strange_settings_are_wrong_usage(method, name, text, match):
    with pytest.raises(click.UsageError, match=match):
        chosen_settings(method, given(f"{name}={text}"))


def test_a_setting_is_given_once():
    with pytest.raises(click.UsageError, match="--set eta is given twice"):
        chosen_settings("variational", given("eta=1", eta="2"))


def test_a_sweep_takes_several_values():
    asked = given("target=product,spectral", "band=keep", "band=repeat", eta="0.1, 0.2", mu="5")
    assert tried_settings("variational", asked) == {
        "eta": [0.1, 0.2],
        "mu": 5.0,
        "target": ["product", "spectral"],
        "band": ["keep", "repeat"],
    }


def test_values_that_hold_commas_stand_in_options_of_their_own():
    asked = given("weights=1,3", "weights=none")
    assert tried_settings("average", asked) == {"weights": [(1.0, 3.0), None]}


def test_settings_of_several_methods():
    asked = given("variational.eta=0.2", "poisson.guidance=mixed", "variational.mu=5")
    assert settings_by_method(asked) == {
        "variational": {"eta": 0.2, "mu": 5.0},
        "poisson": {"guidance": "mixed"},
    }


@pytest.mark.parametrize("text", ["eta", "=1", "eta=", " = "])
def test_an_assignment_has_a_name_and_a_value(text):
    with pytest.raises(click.BadParameter, match="is not NAME=VALUE"):
        Assignment().convert(text, None, None)


def test_an_assignment_for_several_methods_names_one():
    with pytest.raises(click.BadParameter, match=r"is not METHOD\.NAME=VALUE"):
        Assignment(methods=True).convert("eta=1", None, None)
    assert Assignment(methods=True).convert("linear-osmosis.max-iter=3", None, None) == (
        "linear-osmosis.max_iter",
        "3",
    )


@pytest.mark.parametrize(
    ("typed", "offered"),
    [
        ("so", ["solver="]),
        ("solver=p", ["solver=published"]),
        ("nothing=", []),
        ("eta=", ["eta=auto"]),
    ],
)
def test_the_shell_completes_names_and_words(typed, offered):
    @click.command()
    @set_option()
    def command(assignments):
        """Do nothing."""

    ctx = click.Context(command)
    ctx.params["method"] = "variational"
    found = Assignment().shell_complete(ctx, command.params[0], typed)
    assert [item.value for item in found] == offered


def test_every_setting_is_described():
    for method, field in EVERY:
        one = next(s for s in describe(method).settings if s.name == field.name)
        assert one.default == field.default
