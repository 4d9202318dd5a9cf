"""Scores of files: those of the pictures in them, with the map that a job would have used."""

from __future__ import annotations

import json

import numpy as np
import pytest

import osmofuse
from osmofuse.errors import InputError, MismatchError, OutputError, SettingError, UnreadableError
from osmofuse.jobs import ScoreJob, repeat
from osmofuse.record import read_record


@pytest.fixture
def paths(pair):
    return pair["visible"], pair["visible"], pair["infrared"]


def test_files_are_scored_as_their_pictures(paths, pair):
    result = ScoreJob(*paths, alpha=pair["map"], truth=pair["visible"], bits=16).run()
    pictures = [osmofuse.read(path) for path in (*paths, pair["map"])]
    assert result.scores == osmofuse.score(*pictures, truth=pictures[0], bits=16)
    assert result.notes == ()
    assert result.files == {}


def test_a_page_takes_longer(paths, tmp_path):
    plain, reported = (ScoreJob(*paths, report=page).check() for page in (None, tmp_path / "page"))
    assert reported.seconds > plain.seconds


@pytest.fixture
def ink():
    return np.repeat(np.array([[0, 255]], np.uint8), 16, axis=1).repeat(40, axis=0)


def test_scores_with_a_map_of_ink_are_repeated_from_their_record(paths, ink, tmp_path):
    osmofuse.write(osmofuse.Picture(ink), tmp_path / "ink.png")
    job = ScoreJob(*paths, tmp_path / "s.json", ink=tmp_path / "ink.png", metrics="ink")
    first = job.run()
    assert first.scores == osmofuse.score(*map(osmofuse.read, paths), ink=ink, metrics="ink")
    assert repeat(tmp_path / "s.json", tmp_path / "again.json").scores == first.scores


def test_a_map_of_ink_stored_with_losses_is_noted(paths, ink, tmp_path):
    osmofuse.write(osmofuse.Picture(ink), tmp_path / "ink.jpg")
    (note,) = ScoreJob(*paths, ink=tmp_path / "ink.jpg", metrics="ink").run().notes
    assert "ink.jpg: stored with losses" in note


def test_a_map_is_understood_as_a_fusion_understands_it(paths, pair, tmp_path):
    mask = np.zeros((40, 32), np.uint8)
    mask[:, 16:] = 255
    layer = np.dstack([np.full((40, 32, 3), 255, np.uint8), mask])
    osmofuse.write(osmofuse.Picture(layer, transparency=True), tmp_path / "layer.png")
    result = ScoreJob(*paths, alpha=tmp_path / "layer.png").run()
    assert result.scores == osmofuse.score(*map(osmofuse.read, paths), mask)
    assert "the map is in the transparency" in result.notes[0]
    with pytest.raises(InputError, match=r"visible\.tif: a coloured picture"):
        ScoreJob(*paths, alpha=pair["visible"]).run()


@pytest.mark.parametrize("alpha", ["map", 0.25])
def test_a_map_may_be_inverted(paths, pair, alpha):
    given = pair["map"] if alpha == "map" else alpha
    values = osmofuse.read(given).pixels / 255 if alpha == "map" else alpha
    result = ScoreJob(*paths, alpha=given, invert=True).run()
    assert result.scores == osmofuse.score(*map(osmofuse.read, paths), 1 - values)


def test_the_scores_may_be_written_with_a_page(paths, pair, tmp_path):
    job = ScoreJob(
        *paths, tmp_path / "s.json", alpha=pair["map"], metrics=["fmi", "structure"],
        report=tmp_path / "page",
    )  # fmt: skip
    result = job.run()
    record = read_record(tmp_path / "s.json")
    assert record.job == "score"
    assert {name: one["value"] for name, one in record.result["scores"].items()} == {
        name: one.value for name, one in result.scores.items()
    }
    text = (tmp_path / "page" / "index.html").read_text(encoding="utf-8")
    assert "The scores of visible.tif" in text
    assert json.loads((tmp_path / "s.json").read_text())["output"] == {}


def test_what_cannot_be_is_refused_before_the_work(paths, tmp_path):
    with pytest.raises(OutputError, match=r"s\.csv: scores are written as JSON; name it s\.json"):
        ScoreJob(*paths, tmp_path / "s.csv").check()
    (tmp_path / "s.json").write_text("mine")
    with pytest.raises(OutputError, match="exists already"):
        ScoreJob(*paths, tmp_path / "s.json").check()
    small = osmofuse.write(np.zeros((40, 31), np.uint8), tmp_path / "small.png")
    with pytest.raises(MismatchError, match=r"small\.png: 31 × 40"):
        ScoreJob(small, *paths[1:]).check()
    with pytest.raises(SettingError, match="'fmmi' is unknown"):
        ScoreJob(*paths, metrics=("fmmi",))


def test_a_file_that_is_not_there(paths, tmp_path):
    with pytest.raises(UnreadableError, match="gone"):
        ScoreJob(tmp_path / "gone.tif", *paths[1:]).run()


def test_a_picture_that_cannot_be_scored_is_named(paths, tmp_path):
    wrong = osmofuse.read(paths[0]).samples()
    wrong[0, 0] = np.nan
    file = osmofuse.write(wrong, tmp_path / "wrong.tif")
    with pytest.raises(InputError, match=r"wrong\.tif: \d samples? (is|are) NaN"):
        ScoreJob(file, *paths[1:]).run()
