"""Every wrong record, recipe, ranking and list of points: refused by name, never a traceback."""

from __future__ import annotations

import random
from collections import Counter

import pytest

import damaged_documents as damaged
from pairs import osmofuse_in, write_pair

pytestmark = pytest.mark.soak

REFUSALS = {"UnreadableError", "SettingError", "InputError", "LimitError", "MismatchError"}
PAIR = ("visible.tif", "infrared.tif")
COMMANDS = {
    "f1.tif.json": ("fuse", *PAIR, "--alpha", "map.png", "--soften", "2", "-o", "f1.tif"),
    "f2.tif.json": ("fuse", *PAIR, "--alpha", "auto", "--depth", "uint8", "-o", "f2.tif"),
    "f3.tif.json": ("fuse", *PAIR, "--recipe", "text", "--align", "affine", "-o", "f3.tif"),
    "f4.tif.json": ("fuse", *PAIR, "--method", "spectral-tv", "-o", "f4.tif"),
    "f5.tif.json": ("fuse", *PAIR, "--method", "linear-osmosis", "-o", "f5.tif"),
    "a.tif.json": ("align", "visible.tif", "infrared.tif", "--deformation", "-o", "a.tif"),
    "m.png.json": ("matte", "visible.tif", "map.png", "--edge", "2", "-o", "m.png"),
    "c/comparison.json": ("compare", *PAIR, "--methods", "direct,variational", "-o", "c"),
    "s/sweep.json": ("sweep", *PAIR, "--eta", "0.1", "--set", "start=foreground", "-o", "s"),
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("made")
    write_pair(folder, (300, 240))
    return folder


@pytest.mark.parametrize("name", COMMANDS)
def test_records_of_every_command(folder, name):
    done = osmofuse_in(folder, *COMMANDS[name])
    assert done.returncode in (0, 5), done.stderr
    path, found = folder / name.replace(".json", ".bad.json"), Counter()
    for _, text in damaged.damaged_records(folder / name):
        found[damaged.outcome("record", path, text)] += 1
    print(name, found)  # noqa: T201
    assert set(found) <= REFUSALS | {"sound"}
    assert found["UnreadableError"] > 500


@pytest.mark.parametrize(
    ("kind", "cases", "name"),
    [
        ("recipe", damaged.damaged_recipes, "mine.toml"),
        ("ranking", damaged.damaged_rankings, "ranking.json"),
        ("points", damaged.damaged_points, "points.csv"),
    ],
)
def test_other_documents(tmp_path, kind, cases, name):
    found = Counter(damaged.outcome(kind, tmp_path / name, text) for _, text in cases())
    print(kind, found)  # noqa: T201
    assert set(found) <= REFUSALS | {"sound"}


def test_the_command_refuses_them(folder):
    done = osmofuse_in(folder, *COMMANDS["f1.tif.json"], "--overwrite")
    assert done.returncode == 0, done.stderr
    cases = list(damaged.damaged_records(folder / "f1.tif.json"))
    path = folder / "told.json"
    for what, text in random.Random(3).sample(cases, 150):
        path.write_text(text, encoding="utf-8")
        done = osmofuse_in(folder, "fuse", "--from", path, "-o", "again.tif", "--overwrite")
        assert done.returncode in (0, 2, 3, 5), (what, done.stderr)
        assert "Traceback" not in done.stderr, what
