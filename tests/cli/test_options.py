"""Options that commands share: one meaning, and names as people type them."""

from __future__ import annotations

from importlib import import_module

import click
import pytest

from osmofuse.cli import COMMANDS
from osmofuse.cli.options import MetricsType, NamesType, OneOf, SizeType

SHARED = (
    "--overwrite", "--json", "--truth", "--soften", "--levels", "--metrics", "--report",
    "--max-memory", "--dry-run", "--rank",
)  # fmt: skip


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


def test_each_name_is_given_once():
    with pytest.raises(click.BadParameter, match="'b' is named twice"):
        NamesType().convert("a,b,b", None, None)


@pytest.mark.parametrize(
    ("typed", "offered"),
    [("", ["one", "other"]), ("ot", ["other"]), ("one,", ["one,other"]), ("one,o", ["one,other"])],
)
def test_the_shell_completes_the_last_name(typed, offered):
    found = NamesType(["one", "other"]).shell_complete(None, None, typed)
    assert [item.value for item in found] == offered


def test_the_shell_knows_sets_and_metrics():
    found = MetricsType().shell_complete(None, None, "vi")
    assert [item.value for item in found] == ["vifb", "vif", "viff"]


def test_a_mistyped_choice_is_asked_about():
    with pytest.raises(click.BadParameter, match=r"'macth' is not one of .*did you mean 'match'\?"):
        OneOf(["as-is", "match"]).convert("macth", None, None)


@pytest.mark.parametrize(
    ("text", "count"),
    [("4G", 4 * 10**9), ("4GB", 4 * 10**9), ("1.5k", 1500), ("2GiB", 2 * 2**30), ("123", 123)],
)
def test_sizes(text, count):
    assert SizeType().convert(text, None, None) == count


@pytest.mark.parametrize("text", ["1e30T", "-5", "0", "0.1", "9" * 400 + "T", "inf", "nan", ""])
def test_what_is_no_size_of_memory(text):
    with pytest.raises(click.BadParameter, match=r"no number of bytes|must be from 1 byte"):
        SizeType().convert(text, None, None)


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
