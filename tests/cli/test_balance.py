from __future__ import annotations

import json

import numpy as np
import pytest
from click.testing import CliRunner

import osmofuse
from osmofuse import cli, gallery
from osmofuse.pixels import quantise

PLACES = "0,0 24,0"  # column, row


@pytest.fixture
def shots(tmp_path, monkeypatch):
    """Have two overlapping shots as files in the current folder."""
    truth = 0.6 * gallery.shots((40, 60), seed=3).truth
    for name, part in {"a.tif": truth[:, :36], "b.tif": 1.5 * truth[:, 24:]}.items():
        osmofuse.write(quantise(part, np.uint16)[0], tmp_path / name)
    monkeypatch.chdir(tmp_path)
    return truth


def balance(*arguments):
    return CliRunner().invoke(cli.commands, ["balance", *arguments])


def outcome(done):
    """Return the exit code, also that of an error, and all words."""
    code = getattr(done.exception, "exit_code", done.exit_code)
    return code, " ".join(f"{done.output} {done.exception}".split())


def test_it_writes_the_mosaic_with_its_record(shots):
    done = balance("a.tif", "b.tif", "--places", PLACES, "--reference", "1", "-o", "m.tif")
    assert done.exit_code == 0, done.output
    assert "Wrote the mosaic." in done.stdout
    assert "2 pictures levelled, whose gains were from 1 to 1.5" in done.stderr
    np.testing.assert_allclose(osmofuse.read("m.tif").samples(), shots, atol=2e-3)


def test_a_record_is_repeated_also_with_moved_pictures(shots, tmp_path):
    balance("a.tif", "b.tif", "--places", PLACES, "-o", "m.tif")
    (tmp_path / "b.tif").rename(tmp_path / "c.tif")
    missing = balance("--from", "m.tif.json", "-o", "n.tif")
    assert outcome(missing)[0] == 3
    assert "IMAGE --from m.tif.json" in outcome(missing)[1]
    done = balance("a.tif", "c.tif", "--from", "m.tif.json", "-o", "n.tif")
    assert done.exit_code == 0, done.output
    assert "bit for bit" in done.stdout
    fewer = balance("a.tif", "--from", "m.tif.json", "-o", "o.tif")
    assert outcome(fewer)[0] == 2
    assert "has 2 images, but 1 given now" in outcome(fewer)[1]


def test_json_and_dry_run(shots, tmp_path):
    done = balance("a.tif", "b.tif", "--places", PLACES, "-o", "m.tif", "--json")
    data = json.loads(done.stdout)
    assert data["record"]["method"]["settings"]["places"] == [[0, 0], [0, 24]]
    need = balance("a.tif", "b.tif", "--places", PLACES, "-o", "n.tif", "--json", "--dry-run")
    assert json.loads(need.stdout)["need"]["bytes"] > 10**8
    assert not (tmp_path / "n.tif").exists()


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        ((), 2, "Missing argument"),
        (("a.tif", "c.tif"), 4, "c.tif: 35 × 40 pixels, but the first picture has 36 × 40"),
        (("a.tif", "b.tif", "--places", "0,0"), 2, "places: 1 for 2 pictures"),
        (("a.tif", "b.tif", "--places", "0,0 99,0"), 4, "b.tif: neither overlaps nor touches"),
        (("a.tif", "b.tif", "--places", PLACES, "--reference", "3"), 2, "there are 2 pictures"),
        (("a.tif", "b.tif", "--places", PLACES, "--reference", "0"), 2, "count from 1"),
        (("a.tif", "b.tif", "--places", PLACES, "--flat", "a.tif"), 0, "Wrote"),
    ],
)
def test_wrong_usage_is_named_and_writes_nothing(shots, tmp_path, arguments, code, words):
    osmofuse.write(np.zeros((40, 35, 3), np.uint16), tmp_path / "c.tif")
    done = balance(*arguments, "-o", "m.tif")
    assert outcome(done)[0] == code, done.output
    assert words in outcome(done)[1]
    assert (tmp_path / "m.tif").exists() == (code == 0)
