"""The command metrics: every metric, in a table, in words and as JSON."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

from osmofuse import SettingError, cli
from osmofuse.metrics import describe
from osmofuse.metrics.catalogue import metric_names


def run(*arguments):
    return CliRunner().invoke(cli.commands, ["metrics", *arguments])


def test_the_list_has_all():
    text = run().stdout
    assert all(name in text for name in metric_names())
    listed = json.loads(run("--json").stdout)
    assert [one["check"] for one in listed] == [one.check for one in describe()]


@pytest.mark.parametrize("one", describe(), ids=lambda one: one.name)
def test_one_in_full(one):
    words = " ".join(run(one.name).stdout.split())
    for part in (one.definition, one.source, one.check):
        assert " ".join(part.split()) in words
    assert json.loads(run(one.name, "--json").stdout)["name"] == one.name


def test_a_mistyped_name_is_asked_about():
    done = run("entrpy")
    assert isinstance(done.exception, SettingError)
    assert "did you mean 'entropy'" in str(done.exception)


def test_the_beginning_of_a_name_is_enough_for_a_hint():
    assert "did you mean 'seam_visibility'" in str(run("seam").exception)
