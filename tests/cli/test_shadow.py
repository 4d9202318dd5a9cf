from __future__ import annotations

import json

import numpy as np
import pytest
from click.testing import CliRunner

import osmofuse
from osmofuse import cli, gallery
from osmofuse.record import read_record


@pytest.fixture
def folder(tmp_path, monkeypatch):
    scene = gallery.shadow((100, 130), 1)
    osmofuse.write((scene.foreground * 255).astype(np.uint8), tmp_path / "image.png")
    osmofuse.write((scene.alpha * 255).astype(np.uint8), tmp_path / "edge.png")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def shadow(*arguments):
    return CliRunner().invoke(cli.commands, ["shadow", *arguments])


def test_it_writes_the_picture_and_a_record(folder):
    done = shadow("image.png", "--boundary", "edge.png", "-o", "plain.png")
    assert done.exit_code == 0, done.output
    assert "Removed the shadow." in done.stdout
    before, after = (osmofuse.read(name).pixels for name in ("image.png", "plain.png"))
    assert after.std() < 0.9 * before.std()
    again = shadow("--from", "plain.png.json", "-o", "again.png", "--json")
    assert json.loads(again.stdout)["status"] == "stationary"


def test_auto_refuses_when_unsure(folder):
    osmofuse.write(np.full((60, 80, 3), 128, np.uint8), folder / "grey.png")
    done = shadow("grey.png", "--boundary", "auto", "-o", "plain.png")
    assert isinstance(done.exception, osmofuse.InputError)
    assert "no shadow found for sure" in str(done.exception)
    assert not (folder / "plain.png").exists()


def test_a_boundary_of_another_size_is_refused(folder):
    osmofuse.write(np.zeros((6, 7), np.uint8), folder / "small.png")
    done = shadow("image.png", "--boundary", "small.png", "-o", "plain.png")
    assert isinstance(done.exception, osmofuse.MismatchError)
    assert "small.png" in str(done.exception)


def test_a_recipe_gives_what_is_not_given(folder, monkeypatch):
    monkeypatch.setenv("XDG_CONFIG_HOME", str(folder))
    done = shadow("image.png", "--boundary", "edge.png", "--recipe", "shadow", "-o", "plain.png")
    assert done.exit_code == 0, done.output
    record = read_record(folder / "plain.png.json")
    chosen = osmofuse.recipe("shadow")
    assert record.recipe == chosen.entry
    assert dict(chosen.settings).items() <= record.method["settings"].items()
    own = folder / "own.toml"
    head = 'format = 1\nname = "own"\ntitle = "Mine"\nfor = "Me."\n'
    own.write_text(head + '[shadow]\nmodel = "nonlinear"\noffset = 0.05\n', encoding="utf-8")
    given = ("--boundary", "edge.png", "--recipe", "own.toml", "--offset", "0.02", "-o", "own.png")
    assert shadow("image.png", *given).exit_code == 0
    settings = read_record(folder / "own.png.json").method["settings"]
    assert (settings["model"], settings["offset"]) == ("nonlinear", 0.02)


def test_a_recipe_for_fusions_is_refused_and_so_is_one_with_a_record(folder):
    done = shadow("image.png", "--recipe", "text", "-o", "plain.png")
    assert isinstance(done.exception, osmofuse.SettingError)
    assert "is for fusions" in str(done.exception)
    assert not (folder / "plain.png").exists()
    assert shadow("image.png", "--boundary", "edge.png", "-o", "plain.png").exit_code == 0
    done = shadow("--from", "plain.png.json", "--recipe", "shadow", "-o", "again.png")
    assert done.exit_code == 2
    assert "--recipe" in done.output
