from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

from osmofuse import cli
from pairs import osmofuse_in, write_pair

PAIR = ("visible.tif", "infrared.tif")


@pytest.fixture
def folder(tmp_path, monkeypatch, decoded_here):
    write_pair(tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(*arguments):
    given = ["compare", *PAIR, "--alpha", "map.png", "-o", "made"]
    return CliRunner().invoke(cli.commands, [*given, *arguments])


def test_it_prints_the_table_and_says_where_things_are(folder):
    done = run("--methods", "direct, average", "--metrics", "fmi,entropy", "--zoom", "1,2,9,8")
    assert done.exit_code == 0, done.output
    assert done.stdout.startswith("| method")
    assert "entropy" in done.stdout
    for name in ("sheet.png", "zoom.png", "table.tex", "average.tif"):
        assert name in done.stdout
        assert (folder / "made" / name).is_file()


def test_json_has_the_numbers(folder):
    found = json.loads(run("--methods", "direct", "--json").stdout)
    assert found["results"][0]["scores"]["structure"] is not None


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
