"""A sample of wrong records, recipes, rankings and points; `make soak PART=documents` tries all."""

from __future__ import annotations

import json
import random
from collections import Counter

import pytest

import damaged_documents as damaged
from pairs import osmofuse_in, write_pair

REFUSALS = {"UnreadableError", "SettingError", "InputError", "LimitError", "MismatchError"}


@pytest.fixture(scope="module")
def record(tmp_path_factory):
    folder = tmp_path_factory.mktemp("fused")
    write_pair(folder)
    arguments = ["visible.tif", "infrared.tif", "--recipe", "text", "--reach", "2", "-o", "f.tif"]
    done = osmofuse_in(folder, "fuse", *arguments, "--alpha", "map.png")
    assert done.returncode == 0, done.stderr
    return folder / "f.tif.json"


def test_wrong_records_are_refused_by_field(record):
    cases = random.Random(1).sample(list(damaged.damaged_records(record)), 300)
    path = record.with_name("bad.json")
    found = Counter(damaged.outcome("record", path, text) for _, text in cases)
    assert set(found) <= REFUSALS | {"sound"}
    assert found["UnreadableError"] > 100


@pytest.mark.parametrize(
    ("kind", "cases", "name"),
    [
        ("recipe", damaged.damaged_recipes, "mine.toml"),
        ("ranking", damaged.damaged_rankings, "ranking.json"),
        ("points", damaged.damaged_points, "points.csv"),
    ],
)
def test_other_wrong_documents_are_refused(tmp_path, kind, cases, name):
    pytest.importorskip("cv2")
    chosen = random.Random(2).sample(list(cases()), 200)
    found = Counter(damaged.outcome(kind, tmp_path / name, text) for _, text in chosen)
    assert set(found) <= REFUSALS | {"sound"}
    assert found.total() - found["sound"] > 60


@pytest.mark.parametrize(
    ("text", "code", "words"),
    [
        ('"steps": [1e999]', 3, "1e999 is beyond"),
        ('"steps": [0.0]', 3, "plan.steps[0]: 0.0; must be a number above 0"),
        ('"steps": [' + ",".join(["1.0"] * 10**5) + "]", 3, "plan.steps: 100000 entries"),
        ('"steps": ' + "[" * 5000 + "]" * 5000, 3, "nested deeper than 64"),
    ],
    ids=["too large", "zero", "many", "deep"],
)
def test_the_command_says_what_is_wrong_with_a_record(record, text, code, words):
    parts = json.loads(record.read_text(encoding="utf-8"))
    parts["plan"] = {"steps": "here"}
    path = record.with_name("told.json")
    path.write_text(json.dumps(parts).replace('"steps": "here"', text + ', "cycles": [1]'))
    done = osmofuse_in(record.parent, "fuse", "--from", path, "-o", "again.tif")
    assert done.returncode == code, done.stderr
    assert words in done.stderr
    assert "Traceback" not in done.stderr
