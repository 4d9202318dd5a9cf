"""Options that commands share: one name, one meaning, one group."""

from __future__ import annotations

from collections import defaultdict
from importlib import import_module

import click
import pytest

from osmofuse.cli import COMMANDS
from osmofuse.cli.options import GroupedCommand

# Each of these says for its command what it writes, by which methods it works, or what it masks
# and widens.
SAID_BY_EACH = {
    "--output", "--method", "--preview", "--set", "--alpha", "--mask", "--model", "--width",
}  # fmt: skip


def _command(name):
    return import_module(f"osmofuse.cli.{name}").command


def _options():
    """Return the words and kinds of every option of every command, by its name."""
    found = defaultdict(dict)
    for name in COMMANDS:
        for one in _command(name).params:
            if isinstance(one, click.Option):
                found[one.opts[-1]][name] = one
    return found


@pytest.mark.parametrize("option", sorted(set(_options()) - SAID_BY_EACH))
def test_an_option_says_the_same_in_every_command(option):
    assert len({one.help for one in _options()[option].values()}) == 1


@pytest.mark.parametrize("option", sorted(_options()))
def test_an_option_is_one_thing_in_every_command(option):
    """It fills the same part of a job, and looks the same in the help."""
    same = list(_options()[option].values())
    assert len({one.name for one in same}) == 1
    metavars = {one.metavar for one in same}
    if option == "--alpha":  # auto is for fusing, not for scoring what is fused
        metavars.discard("NUMBER|FILE")
    if option == "--mask":  # says of the map of a shadow what it is
        metavars.discard(None)
    if option == "--set":  # of several methods
        metavars.discard("METHOD.NAME=VALUE")
    assert len(metavars) == 1


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_that_writes_has_output_and_its_short_form(name):
    written = [one for one in _command(name).params if one.name == "output"]
    assert all(one.opts == ["-o", "--output"] for one in written)
    reads_or_lists = {"info", "recipes", "methods", "metrics"}
    assert bool(written) == (name not in reads_or_lists)


@pytest.mark.parametrize("name", COMMANDS)
def test_help_has_groups_and_fits_a_screen(name):
    command = _command(name)
    assert isinstance(command, GroupedCommand)
    ctx = click.Context(command, info_name=f"osmofuse {name}", terminal_width=78)
    text = command.get_help(ctx)
    most = {"fuse": 60}.get(name, 70)
    assert len(text.splitlines()) <= most
    assert "Of the others" not in text
    titles = [line for line in text.splitlines() if line.endswith(":") and line[0] != " "]
    assert titles == [one for one in _TITLES if one in titles]
    assert "--help" in text.splitlines()[-1]
    if name == "fuse":
        assert titles == _TITLES


_TITLES = ["Pictures:", "Where:", "How:", "Output:", "Checks:"]


@pytest.mark.parametrize("name", COMMANDS)
def test_words_of_options_are_sentences(name):
    for one in _command(name).params:
        if isinstance(one, click.Option):
            words = one.help.partition("  [")[0]
            assert words[0].isupper(), one.opts
            assert words.endswith("."), one.opts


@pytest.mark.parametrize("name", ["fuse", "compare", "sweep"])
def test_help_begins_each_group_with_what_matters_most(name):
    lines = _command(name).get_help(click.Context(_command(name))).splitlines()
    assert lines[lines.index("Where:") + 1].startswith("  --alpha ")
    assert lines[lines.index("Output:") + 1].startswith("  -o, --output ")
    assert "--help " in lines[-1]
