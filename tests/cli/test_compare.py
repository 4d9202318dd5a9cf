from __future__ import annotations

import json
from dataclasses import replace

import pytest
from click.testing import CliRunner

from osmofuse import DirectMatting, cli
from osmofuse.progress import Status
from pairs import osmofuse_in, write_pair

PAIR = ("visible.tif", "infrared.tif")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    write_pair(tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(*arguments):
    given = ["compare", *PAIR, "--alpha", "map.png", "-o", "made"]
    return CliRunner().invoke(cli.commands, [*given, *arguments])


def test_it_prints_the_table_and_says_where_things_are(folder):
    done = run("--methods", "direct, average", "--metrics", "fmi,entropy", "--zoom", "1,2,9,8")
    assert done.exit_code == 0, done.output
    assert done.stdout.startswith("method ")
    assert "entropy" in done.stdout
    for name in ("sheet.png", "zoom.png", "table.tex", "average.tif"):
        assert name in done.stdout
        assert (folder / "made" / name).is_file()


def test_json_has_the_numbers(folder):
    told = json.loads(run("--methods", "direct", "--json").stdout)
    assert told["record"]["result"]["results"][0]["scores"]["structure"] is not None
    assert told["files"]["comparison.json"] == "made/comparison.json"


def test_a_report_shows_all_results(folder):
    done = run("--methods", "direct,average", "--report", "look", "--metrics", "fmi")
    assert done.exit_code == 0, done.output
    assert "look/index.html" in done.stdout
    text = (folder / "look" / "index.html").read_text("utf-8")
    assert "Which is better?" in text
    assert "osmofuse compare --from made/comparison.json -o made-again" in text
    assert {"direct.png", "average.png"} <= {p.name for p in (folder / "look/pictures").iterdir()}


def test_what_did_not_converge_is_5(folder, monkeypatch):
    def stopped(self, sources, watch=None):
        return replace(direct(self, sources, watch=watch), status=Status.max_iter)

    direct = DirectMatting.__call__
    monkeypatch.setattr(DirectMatting, "__call__", stopped)
    done = run("--methods", "average,direct")
    assert done.exit_code == 5
    assert "direct did not converge (max_iter)" in done.stderr
    assert "average did not" not in done.stderr
    assert (folder / "made" / "direct.tif").is_file()


def test_a_dry_run_says_what_it_needs_and_writes_nothing(folder):
    done = run("--methods", "direct,average", "--dry-run")
    assert done.exit_code == 0
    assert done.stdout.startswith("made: would need about ")
    assert not (folder / "made").exists()
    limited = run("--methods", "direct,average", "--max-memory", "1M")
    assert limited.exception.exit_code == 6
    assert "comparing 2 methods needs about" in str(limited.exception)


def test_both_pictures_are_wanted(folder):
    done = CliRunner().invoke(cli.commands, ["compare", "visible.tif", "-o", "made"])
    assert done.exit_code == 2
    assert "Missing argument 'BACKGROUND'" in done.output


@pytest.mark.parametrize(
    "wrong", [["--methods", "magic"], ["--metrics", "magic"], ["--zoom", "900,900,2,2"]]
)
def test_a_refusal_leaves_no_folder(folder, wrong):
    done = run(*wrong, "--report", "look")
    assert done.exception.exit_code == 2
    assert not (folder / "made").exists()
    assert not (folder / "look").exists()


def test_names_are_asked_about(folder):
    twice = run("--methods", "direct,average,direct")
    assert twice.exit_code == 2
    assert "'direct' is named twice; name each once." in twice.output
    for option, typed, meant in (
        ("--methods", "poison", "poisson"),
        ("--metrics", "strucure", "structure"),
    ):
        assert f"did you mean '{meant}'?" in str(run(option, typed).exception)


def test_the_papers_table_takes_no_other_methods(folder):
    done = osmofuse_in(folder, "compare", *PAIR, "--paper", "--methods", "direct", "-o", "made")
    assert done.returncode == 2
    assert "methods: the paper's Table I has its own" in done.stderr


def test_a_folder_that_cannot_be_made(folder):
    (folder / "made").write_text("a file")
    done = osmofuse_in(folder, "compare", *PAIR, "-o", "made")
    assert done.returncode == 7
    assert "made" in done.stderr


def test_numbers_with_a_comma_are_asked_about(folder):
    done = run("--soften", "0,5")
    assert done.exit_code == 2
    assert "did you mean 0.5?" in done.output


@pytest.mark.parametrize("zoom", ["1,2,3", "a,b,c,d", "-1,0,4,4", "0,0,0,4"])
def test_a_part_is_four_whole_numbers(folder, zoom):
    done = run(f"--zoom={zoom}")
    assert done.exit_code == 2
    assert zoom in done.output
