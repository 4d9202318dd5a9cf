"""Running jobs from the command line: dry runs, and records that are repeated."""

from __future__ import annotations

import json
from types import SimpleNamespace

import numpy as np
import pytest

import osmofuse
from osmofuse.cli.run import do_job
from osmofuse.errors import SettingError, UnreadableError
from osmofuse.jobs import Need, Result
from osmofuse.progress import Status
from pairs import a_record, contents, osmofuse_in

PAIR = ["visible.tif", "infrared.tif"]


FAST = ["--method", "direct"]


def test_a_dry_run_says_what_it_needs_and_writes_nothing(invoke, folder):
    before = contents(folder)
    words = invoke(*PAIR, "-o", "f.tif", "--dry-run")
    assert words.exit_code == 0
    assert "would need about" in words.stdout
    data = json.loads(invoke(*PAIR, "-o", "f.tif", "--dry-run", "--json").stdout)
    assert data["need"]["bytes"] > 10**8
    assert data["need"]["seconds"] > 0
    assert contents(folder) == before


@pytest.mark.usefixtures("warmed")
def test_a_record_is_repeated_bit_for_bit_and_that_is_said(folder):
    osmofuse_in(folder, "fuse", *PAIR, "--alpha", "map.png", "-o", "f.tif")
    done = osmofuse_in(folder, "fuse", "--from", "f.tif.json", "-o", "again.tif")
    assert done.returncode == 0, done.stderr
    assert "The pixels are those of the record, bit for bit." in done.stdout
    pixels = [osmofuse.read(folder / name).pixels for name in ("f.tif", "again.tif")]
    assert np.array_equal(*pixels)


def test_what_differs_from_a_record_is_said_and_ends_with_5(invoke, folder):
    invoke(*PAIR, *FAST, "-o", "f.tif")
    pixels = osmofuse.read(folder / "infrared.tif").pixels
    osmofuse.write(pixels[::-1], folder / "infrared.tif", overwrite=True)
    result = invoke("--from", "f.tif.json", "-o", "again.tif")
    assert result.exit_code == 5
    assert "The pixels are NOT the record’s." in result.stdout
    assert "background: infrared.tif is not the file of the record" in result.stdout
    assert "levels of 65535" in result.stdout
    assert "f.tif.json is not repeated exactly" in result.stderr
    assert (folder / "again.tif").exists()
    ended = invoke("--from", "f.tif.json", "-o", "third.tif", "--json")
    repeat = json.loads(ended.stdout)["repeat"]
    assert (ended.exit_code, repeat["identical"]) == (5, False)
    assert len(repeat["differences"]) == 2
    apart = osmofuse.read(folder / "third.tif").pixels.astype(float)
    apart -= osmofuse.read(folder / "f.tif").pixels
    assert repeat["largest"] == np.abs(apart).max()
    assert repeat["rms"] == pytest.approx(np.sqrt(np.mean(apart**2)))


def test_inputs_of_a_record_may_have_moved(invoke, folder):
    invoke(*PAIR, *FAST, "--alpha", "map.png", "-o", "f.tif")
    for name, moved in (("visible.tif", "moved.tif"), ("map.png", "painted.png")):
        (folder / name).rename(folder / moved)
    arguments = ["moved.tif", "--alpha", "painted.png", "--from", "f.tif.json", "-o", "g.tif"]
    assert "bit for bit" in invoke(*arguments).stdout
    result = invoke("moved.tif", "--from", "f.tif.json", "-o", "h.tif")
    assert isinstance(result.exception, UnreadableError)
    assert "map.png: no such file, the alpha of f.tif.json" in str(result.exception)
    assert "--alpha FILE" in str(result.exception)


def test_a_record_that_was_moved_finds_inputs_here_and_beside_it(invoke, folder):
    (folder / "out").mkdir()
    (folder / "away").mkdir()
    invoke(*PAIR, *FAST, "-o", "out/f.tif")
    (folder / "out" / "f.tif.json").rename(folder / "away" / "f.tif.json")
    (folder / "visible.tif").rename(folder / "away" / "visible.tif")
    result = invoke("--from", "away/f.tif.json", "-o", "g.tif")
    assert "bit for bit" in result.stdout, result.output


def test_a_picture_given_for_its_record_names_it(invoke, folder):
    invoke(*PAIR, *FAST, "-o", "f.tif")
    result = invoke("--from", "f.tif", "-o", "g.tif")
    assert str(result.exception) == "f.tif: a TIFF picture, not a record; its record is f.tif.json"


@pytest.mark.parametrize(
    "extra", [["--eta", "1"], ["--alpha", "0.5"], ["--method", "direct"], ["--levels", "as-is"]]
)
def test_a_record_is_repeated_as_it_is(invoke, folder, extra):
    invoke(*PAIR, *FAST, "-o", "f.tif")
    result = invoke("--from", "f.tif.json", "-o", "again.tif", *extra)
    assert result.exit_code == 2
    assert f"leave out {extra[0]}" in result.stderr


def test_unknown_settings_in_a_record_are_named(invoke, folder):
    invoke(*PAIR, *FAST, "-o", "f.tif")
    parts = json.loads((folder / "f.tif.json").read_text(encoding="utf-8"))
    parts["method"]["settings"]["zeal"] = 1
    (folder / "f.tif.json").write_text(json.dumps(parts))
    result = invoke("--from", "f.tif.json", "-o", "again.tif")
    assert isinstance(result.exception, SettingError)
    assert "zeal: no setting of 'direct'" in str(result.exception)


def test_a_repetition_without_a_result_is_not_compared():
    refused = Result(status=Status.refused)
    job = SimpleNamespace(check=lambda: Need(1, 1.0), run=lambda watch, need: refused)
    given = {"dry_run": False, "record": "old.json"}
    assert do_job(job, "Aligning", given, old=a_record()) is refused
