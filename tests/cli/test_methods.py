"""The command methods: every method with its settings, in words and as JSON."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

from osmofuse import SettingError, cli
from osmofuse.methods import METHODS
from osmofuse.methods.describe import describe


def run(*arguments):
    return CliRunner().invoke(cli.commands, ["methods", *arguments])


def test_the_list_has_all():
    lines = run().stdout.splitlines()
    assert [line.split()[0] for line in lines[: len(METHODS)]] == list(METHODS)
    assert [one["name"] for one in json.loads(run("--json").stdout)] == list(METHODS)


@pytest.mark.parametrize("name", METHODS)
def test_all_settings_of_one(name):
    words = " ".join(run(name).stdout.split())
    data = json.loads(run(name, "--json").stdout)
    for setting, told in zip(describe(name).settings, data["settings"], strict=True):
        assert setting.name == told["name"]
        assert setting.words in words
        assert f"{setting.name}{f' ({setting.symbol})' if setting.symbol else ''}: default" in words


def test_a_mistyped_name_is_asked_about():
    done = run("poison")
    assert isinstance(done.exception, SettingError)
    assert "did you mean 'poisson'" in str(done.exception)


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("poisson", "given as --set NAME=VALUE."),
        ("variational", "or as options: --eta, --mu, --gamma, --offset, --reach."),
        ("linear-osmosis", "or as options: --offset."),
    ],
)
def test_only_options_of_the_method_are_named(name, options):
    assert run(name).stdout.splitlines()[1].endswith(options)
