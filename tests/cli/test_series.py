"""Options and output of compare and sweep: rankings and hints."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from osmofuse import cli
from osmofuse.errors import UnreadableError
from osmofuse.record import read_record
from pairs import write_pair

PAIR = ("visible.tif", "infrared.tif")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    write_pair(tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(*arguments):
    given = ["compare", *PAIR, "--alpha", "map.png", "-o", "made"]
    return CliRunner().invoke(cli.commands, [*given, *arguments])


def test_a_ranking_goes_into_the_record(folder):
    assert run("--methods", "direct,average", "--metrics", "fmi").exit_code == 0
    digest = read_record("made/comparison.json").output["sha256_of_pixels"]
    answers = [{"pair": ["direct", "average"], "better": "average"}]
    given = {"format": 1, "kind": "osmofuse ranking", "sha256_of_pixels": digest, "by": "A. Judge",
             "answers": answers}  # fmt: skip
    Path("ranking.json").write_text(json.dumps(given), encoding="utf-8")
    command = ["compare", "--rank", "ranking.json", "-o", "made"]
    done = CliRunner().invoke(cli.commands, command)
    assert done.exit_code == 0, done.output
    assert done.stdout.splitlines() == [
        "Points, as judged by A. Judge:", "  average 1", "  direct  0",
        "Kept in made/comparison.json",
    ]  # fmt: skip
    assert read_record("made/comparison.json").ranking[0]["answers"] == answers
    told = json.loads(CliRunner().invoke(cli.commands, [*command, "--json"]).stdout)
    assert told["points"] == {"average": 1.0, "direct": 0.0}
    assert told["judges"] == ["A. Judge"]
    fused = CliRunner().invoke(cli.commands, [*command, "visible.tif", "infrared.tif"])
    assert fused.exit_code == 2
    assert "--rank fuses nothing" in fused.output
    nowhere = CliRunner().invoke(cli.commands, [*command[:-1], "nowhere"])
    assert isinstance(nowhere.exception, UnreadableError)


@pytest.mark.parametrize("command", [("compare", "--methods", "direct"), ("sweep", "--eta", "0.1")])
def test_the_hint_that_alpha_is_missing_is_not_printed_with_a_recipe_that_has_one(folder, command):
    files = [*PAIR, "-o", "made"]
    without = CliRunner().invoke(cli.commands, [*command, *files])
    assert "alpha is 0.5 everywhere, since none was given" in without.stderr
    done = CliRunner().invoke(cli.commands, [*command, *files, "--overwrite", "--recipe", "text"])
    assert done.exit_code == 0, done.output
    assert "everywhere, since none was given" not in done.stderr
