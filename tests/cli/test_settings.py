"""Options of settings: every setting has one, and means the same as in the library."""

from __future__ import annotations

import math
import re
from dataclasses import fields

import click
import pytest

from osmofuse.cli.fuse import command
from osmofuse.cli.settings import (
    SettingOption,
    chosen_settings,
    option_names,
    parameter_words,
    settings_of,
)
from osmofuse.methods import METHODS

OPTIONS = option_names(["halvings", "alpha"])
EVERY = [(method, field) for method in METHODS for field in fields(METHODS[method])]


def option_of(method, name):
    return next(
        o for o, all_ in OPTIONS.items() for s in all_ if (s.method, s.name) == (method, name)
    )


@pytest.mark.parametrize(("method", "field"), EVERY, ids=lambda x: getattr(x, "name", x))
def test_every_setting_has_an_option_with_words_and_its_default(method, field):
    name = option_of(method, field.name)
    setting = next(one for one in OPTIONS[name] if one.method == method)
    assert setting.default == field.default
    assert len(setting.words) > 20, "the docstring says nothing of it"
    assert not {"`", "\\", "*"} & set(setting.words), "markup is left"
    shown = SettingOption(name, OPTIONS[name]).help
    assert setting.words in shown
    assert method == OPTIONS[name][0].method or method in shown


def _help_of(method, name):
    """What the help says of a setting of one method."""
    own = [one for one in OPTIONS[option_of(method, name)] if one.method == method]
    return SettingOption(option_of(method, name), own).help


@pytest.mark.parametrize(("method", "field"), EVERY, ids=lambda x: getattr(x, "name", x))
def test_a_default_given_as_text_is_the_default(method, field):
    name, default = option_of(method, field.name), field.default
    text = re.search(r"\[default: (.*?)\]", _help_of(method, field.name))[1]
    assert chosen_settings(method, {name: text}, OPTIONS) == {field.name: default}


def test_the_command_has_them_all():
    offered = {one.option_name for one in command.params if isinstance(one, SettingOption)}
    assert offered == set(command.settings)
    named = {(s.method, s.name) for all_ in command.settings.values() for s in all_}
    assert named == {(method, field.name) for method, field in EVERY}
    names = [name for one in command.params for name in one.opts]
    assert len(names) == len(set(names))


def test_a_name_that_the_command_has_gets_the_methods_in_front():
    assert option_of("pyramid", "halvings") == "pyramid-halvings"
    assert chosen_settings("pyramid", {"pyramid-halvings": "3"}, OPTIONS) == {"halvings": 3}


@pytest.mark.parametrize(
    ("method", "name", "text", "value"),
    [
        ("variational", "eta", "0.25", 0.25),
        ("variational", "gamma", "inf", math.inf),
        ("variational", "reach", "none", None),
        ("variational", "reach", "12", 12.0),
        ("variational", "max-iter", "7", 7),
        ("variational", "regulariser", "tv", "tv"),
        ("variational", "regulariser", "none", None),
        ("average", "weights", "3,1", (3.0, 1.0)),
    ],
)
def test_texts_become_values(method, name, text, value):
    (found,) = chosen_settings(method, {name: text}, OPTIONS).values()
    assert found == value
    assert type(found) is type(value)


@pytest.mark.parametrize(
    ("method", "name", "text", "match"),
    [
        ("variational", "eta", "much", "--eta: 'much' is not NUMBER"),
        ("variational", "eta", "none", "--eta: 'none' is not NUMBER"),
        ("variational", "max-iter", "1.5", "--max-iter: '1.5' is not COUNT"),
        ("variational", "regulariser", "l2", r"'l2' is not huber\|tv\|tikhonov\|none"),
        ("average", "weights", "3;1", "--weights: '3;1' is not"),
        ("direct", "eta", "1", "--eta is no setting of the method 'direct'; .* are --band"),
        ("guided-filter", "band", "keep", "--band is no setting .* are --split-radius, "),
    ],
)
def test_wrong_texts_and_strange_settings_are_wrong_usage(method, name, text, match):
    with pytest.raises(click.UsageError, match=match):
        chosen_settings(method, {name: text}, OPTIONS)


def test_letters_of_the_paper_are_in_the_help():
    words = {one.name: one.words for one in settings_of("variational")}
    for name, letter in {"eta": "η", "mu": "μ", "gamma": "γ", "epsilon": "ε"}.items():
        assert letter in words[name]


def test_words_of_a_docstring():
    found = parameter_words(
        "Title.\n\nParameters\n----------\nsize, width : int\n    How **large**,\n"
        '    :math:`\\sigma_s`.\n\nmode : {"a : b"}\n    ``math.inf`` ends it.\n\n'
        "Notes\n-----\nother : int\n    Not one.\n"
    )
    assert found == {
        "size": "How large, σ_s.",
        "width": "How large, σ_s.",
        "mode": "inf ends it.",
    }
    assert parameter_words("No section.") == {}


def test_completion_offers_the_words_of_a_setting():
    option = SettingOption("solver", OPTIONS["solver"])
    items = option.type.shell_complete(None, option, "p")
    assert [item.value for item in items] == ["published"]
