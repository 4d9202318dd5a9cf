"""Options that commands share: one meaning, and names as people type them."""

from __future__ import annotations

from importlib import import_module

import click
import pytest

from osmofuse.cli import COMMANDS
from osmofuse.cli.options import MetricsType, NamesType

SHARED = ("--overwrite", "--json", "--truth", "--soften", "--levels", "--metrics")


@pytest.mark.parametrize(
    ("text", "names"), [("a", ("a",)), ("a, b,", ("a", "b")), ("", ()), (" , ", ())]
)
def test_names_have_commas_between(text, names):
    assert NamesType().convert(text, None, None) == names


@pytest.mark.parametrize(
    ("text", "metrics"), [("vifb", "vifb"), ("fmi,qabf", ("fmi", "qabf")), ("", ())]
)
def test_one_name_may_be_that_of_a_set(text, metrics):
    assert MetricsType().convert(text, None, None) == metrics


@pytest.mark.parametrize("option", SHARED)
def test_an_option_says_the_same_in_every_command(option):
    said = {
        one.help
        for name in COMMANDS
        if name not in ("demo", "info")  # whose files and answers are of other kinds
        for one in import_module(f"osmofuse.cli.{name}").command.params
        if isinstance(one, click.Option) and option in one.opts
    }
    assert len(said) == 1
