from __future__ import annotations

import json

import numpy as np
import pytest
from click.testing import CliRunner

import osmofuse
from osmofuse import cli, gallery


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
