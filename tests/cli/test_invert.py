"""``--invert`` on the commands that take a map: white where the background enters."""

from __future__ import annotations

import json

import numpy as np
import pytest
from click.testing import CliRunner

import osmofuse
from osmofuse import cli
from pairs import write_pair

PAIR = ("visible.tif", "infrared.tif")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Return a folder with a pair, its map, and the map the other way round."""
    write_pair(tmp_path)
    drawn = osmofuse.read(tmp_path / "map.png").pixels
    osmofuse.write(255 - drawn, tmp_path / "other.png")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(*arguments):
    return CliRunner().invoke(cli.commands, [*map(str, arguments)])


@pytest.mark.parametrize(
    ("command", "some"),
    [
        ("compare", ("--methods", "direct")),
        ("sweep", ("--eta", "0.1", "--mu", "100", "--gamma", "1", "--metrics", "structure")),
    ],
)
def test_series_are_those_of_the_map_the_other_way_round(folder, command, some):
    told = {}
    for name, how in (("map.png", ()), ("other.png", ("--invert",))):
        done = run(command, *PAIR, "--alpha", name, *how, *some, "-o", f"made-{name}", "--json",
                   "--report", f"look-{name}")  # fmt: skip
        assert done.exit_code == 0, (done.output, done.exception)
        told[name] = json.loads(done.stdout)["record"]
    results = [one["result"]["results"] for one in told.values()]
    for one, other in zip(*results, strict=True):
        assert one["scores"]["structure"] == pytest.approx(other["scores"]["structure"], abs=1e-6)
    assert told["other.png"]["alpha"]["invert"] is True
    assert "invert" not in told["map.png"]["alpha"]


def test_scores_are_those_of_the_map_the_other_way_round(folder):
    files = ("visible.tif", *PAIR, "--metrics", "structure", "--json")
    plain = json.loads(run("score", *files, "--alpha", "map.png").stdout)
    turned = json.loads(run("score", *files, "--alpha", "other.png", "--invert").stdout)
    assert turned["structure"]["value"] == pytest.approx(plain["structure"]["value"], abs=1e-9)
    number = json.loads(run("score", *files, "--alpha", "0.25", "--invert").stdout)
    assert number == json.loads(run("score", *files, "--alpha", "0.75").stdout)


def test_the_map_that_was_used_is_written(folder):
    done = run("fuse", *PAIR, "--alpha", "other.png", "--invert", "--alpha-out", "used.png",
               "-o", "fused.tif")  # fmt: skip
    assert done.exit_code == 0, done.output
    np.testing.assert_array_equal(osmofuse.read("used.png").pixels, osmofuse.read("map.png").pixels)


@pytest.mark.parametrize("command", ["fuse", "compare", "sweep", "score"])
def test_without_a_map_there_is_nothing_to_invert(folder, command):
    more = ("visible.tif",) if command == "score" else ("-o", "out.tif")
    done = run(command, *PAIR, *more, "--invert")
    assert done.exit_code == 2
    assert "--invert needs a map; give --alpha map.png" in done.stderr


def test_a_repetition_takes_its_record_as_it_is(folder):
    assert run("fuse", *PAIR, "--alpha", "map.png", "-o", "fused.tif").exit_code == 0
    done = run("fuse", "--from", "fused.tif.json", "--invert", "-o", "again.tif")
    assert done.exit_code == 2
    assert "leave out --invert" in done.stderr
