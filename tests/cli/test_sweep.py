from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

import osmofuse
from osmofuse import cli
from pairs import write_pair


@pytest.fixture
def folder(tmp_path, monkeypatch):
    write_pair(tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(*arguments):
    given = ["sweep", "visible.tif", "infrared.tif", "--alpha", "map.png", "-o", "made"]
    return CliRunner().invoke(cli.commands, [*given, *arguments])


def test_it_tries_every_combination_at_one_reach(folder):
    done = run(
        "--eta",
        "0.1,0.2",
        "--mu",
        "50",
        "--gamma",
        "0,inf",
        "--reach",
        "10",
        "--set",
        "start=means",
        "--json",
    )
    assert done.exit_code == 0, done.output
    found = json.loads(done.stdout)["record"]["result"]["results"]
    tried = [(one["settings"]["eta"], one["settings"]["gamma"]) for one in found]
    assert tried == [(0.1, 0.0), (0.1, "inf"), (0.2, 0.0), (0.2, "inf")]
    assert [one["reach"] for one in found] == pytest.approx([10.0] * 4)
    assert (folder / "made" / "sheet.png").is_file()


def test_the_papers_rule_may_end_each(folder):
    one = ("--eta", "0.1", "--mu", "100", "--gamma", "1", "--set", "start=foreground")
    done = run(*one, "--reach", "none", "--metrics", "chromaticity")
    assert done.exit_code == 0, done.output
    assert "chromaticity" in done.stdout


def test_a_dry_run_says_what_it_needs(folder):
    told = json.loads(run("--dry-run", "--json").stdout)
    assert told["need"]["bytes"] > 10**8
    assert not (folder / "made").exists()


def test_a_million_trials_are_refused_before_any(folder):
    many = ",".join(str(k) for k in range(1000))
    done = run("--eta", many, "--mu", "1," + many.removeprefix("0,"))
    assert isinstance(done.exception, osmofuse.LimitError)
    assert "combinations; try at most 1000" in str(done.exception)
    assert not (folder / "made").exists()


def test_a_reach_without_end_needs_more(folder):
    one = ("--eta", "0.1,0.2", "--dry-run", "--json", "--reach")
    short, long = (json.loads(run(*one, reach).stdout)["need"]["bytes"] for reach in ("5", "5,inf"))
    assert long > short


def test_a_report_names_results_by_their_settings(folder):
    one = ("--mu", "100", "--gamma", "1", "--set", "start=foreground", "--reach", "2")
    done = run("--eta", "0,0.1", *one, "--report", "look")
    assert done.exit_code == 0, done.output
    text = (folder / "look" / "index.html").read_text("utf-8")
    assert "η = 0.1" in text
    assert "osmofuse sweep --from made/sweep.json -o made-again" in text


@pytest.mark.parametrize("eta", ["x", "0.1;0.2"])
def test_numbers_are_wanted(folder, eta):
    done = run("--eta", eta)
    assert done.exit_code == 2
    assert "--eta: " in str(done.exception) + done.output
