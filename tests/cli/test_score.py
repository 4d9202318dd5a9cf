from __future__ import annotations

import json

import numpy as np
import pytest
from click.testing import CliRunner

import osmofuse
from osmofuse import cli
from osmofuse.metrics.catalogue import SETS
from pairs import osmofuse_in, write_pair

FILES = ("fused.tif", "visible.tif", "infrared.tif")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    write_pair(tmp_path)
    visible = osmofuse.read(tmp_path / "visible.tif")
    osmofuse.write(visible.pixels[::-1], tmp_path / "fused.tif")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(*arguments):
    return CliRunner().invoke(cli.commands, ["score", *arguments])


def test_a_table_has_a_row_for_each_metric(folder):
    done = run(*FILES, "--alpha", "map.png")
    assert done.exit_code == 0
    expected = osmofuse.score(*map(osmofuse.read, (*FILES, "map.png")))
    for name in SETS["paper"]:
        (line,) = [line for line in done.stdout.splitlines() if line.strip().startswith(name)]
        assert f"{expected[name].value:.5g}" in line
        assert expected[name].better in line


def test_without_alpha_it_says_so_and_invents_none(folder):
    found = json.loads(run(*FILES, "--json").stdout)
    assert found["structure"]["value"] is None
    assert found["structure"]["reason"] == "no alpha was given"
    (line,) = [line for line in run(*FILES).stdout.splitlines() if "structure" in line]
    assert line.split()[1] == "–"
    assert "no alpha was given" in line


@pytest.mark.parametrize("metrics", ["vifb", "fmi", "qabf, entropy"])
def test_json_is_what_score_returns(folder, metrics):
    found = json.loads(run(*FILES, "--alpha", "0.3", "--metrics", metrics, "--json").stdout)
    names = SETS.get(metrics, metrics.split(", "))
    expected = osmofuse.score(*map(osmofuse.read, FILES), 0.3, metrics=names)
    assert {name: one["value"] for name, one in found.items()} == {
        name: one.value for name, one in expected.items()
    }
    assert {one["name"] for one in found.values()} == set(names)


def test_json_has_no_infinite_numbers(folder):
    done = run("visible.tif", "visible.tif", "visible.tif", "--metrics", "vifb_psnr", "--json")
    found = json.loads(done.stdout, parse_constant=pytest.fail)
    assert found["vifb_psnr"]["value"] == "inf"
    assert found["vifb_psnr"]["range"] == ["-inf", "inf"]
    assert "∞" in run("visible.tif", "visible.tif", "visible.tif", "--metrics", "vifb_psnr").stdout


@pytest.mark.parametrize("bits", ["8", "16", "none"])
def test_the_bits_are_passed_on(folder, bits):
    options = ("--metrics", "vifb_variance", "--bits", bits, "--json")
    value = json.loads(run(*FILES, *options).stdout)["vifb_variance"]["value"]
    number = None if bits == "none" else int(bits)
    pictures = map(osmofuse.read, FILES)
    assert (
        value
        == osmofuse.score(*pictures, metrics="vifb_variance", bits=number)["vifb_variance"].value
    )


def test_a_truth_brings_its_metrics(folder):
    found = json.loads(run(*FILES, "--truth", "visible.tif", "--json").stdout)
    assert found["psnr"]["value"] > 0


def test_wrong_usage(folder):
    assert run().exit_code == 2
    assert "Missing argument 'BACKGROUND'" in run("fused.tif", "visible.tif").output
    assert run(*FILES, "--bits", "12").exit_code == 2


def test_errors_end_with_their_codes(folder):
    osmofuse.write(np.zeros((3, 4), np.uint8), folder / "small.png")
    done = osmofuse_in(folder, "score", "fused.tif", "small.png", "infrared.tif")
    assert (done.returncode, done.stdout) == (4, "")
    done = osmofuse_in(folder, "score", "gone.tif", "visible.tif", "infrared.tif")
    assert done.returncode == 3
    done = osmofuse_in(folder, "score", *FILES, "--metrics", "beauty")
    assert done.returncode == 2
    assert "'beauty' is unknown" in done.stderr
