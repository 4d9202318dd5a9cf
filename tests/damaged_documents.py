"""Records, recipes, rankings and control points with one field made wrong, and their fate."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from nasty import NASTY, damaged_json
from osmofuse.errors import OsmofuseError
from osmofuse.jobs import job_of_record
from osmofuse.record import read_record, write_record
from osmofuse.registration.control_points import as_points
from osmofuse.registration.transform import fitted
from osmofuse.report import read_ranking, tally
from osmofuse.tasks import recipe

RANKING = {
    "format": 1, "kind": "osmofuse ranking", "sha256_of_pixels": "c" * 64, "by": "A. Judge",
    "answers": [{"pair": ["a", "b"], "better": "a"}, {"pair": ["b", "c"], "better": None}],
}  # fmt: skip
KEPT = {**RANKING, "points": {"a": 1.0, "b": 0.5, "c": 0.5}}  # as a record has it
RECIPE = """format = 1
name = "mine"
title = "Mine"
for = "All."
scene = "manuscript"
[input]
levels = "as-is"
working_space = "linear"
[align]
method = "auto"
transform = "affine"
deformation = false
[alpha]
from = "auto"
soften = "1 %"
[method]
name = "variational"
eta = 0.1
reach = "2 %"
max_iter = 7
start = "means"
[output]
depth = "uint8"
"""
POINTS = (
    "background_x,background_y,foreground_x,foreground_y\n"
    "1,2,3,4\n9,2,8,4\n1,30,3,40\n20,30,30,33\n"
)


def damaged_records(record: Path) -> Iterator[tuple[str, str]]:
    """Yield what was done to the record of a file, and the text."""
    parts = json.loads(record.read_text(encoding="utf-8"))
    yield from damaged_json({**parts, "ranking": [KEPT]})


def damaged_rankings() -> Iterator[tuple[str, str]]:
    """Yield what was done to a ranking, and the text."""
    yield from damaged_json(RANKING)


def damaged_recipes() -> Iterator[tuple[str, str]]:
    """Yield what was done to a recipe, and the text."""
    lines = RECIPE.splitlines()
    more = ["inf", "nan", "1979-05-27", "{}", "'x'", "{a = {b = {}}}", "a.b.c"]
    for k, line in enumerate(lines):
        if "=" not in line:
            continue
        name = line.split(" = ")[0]
        yield f"{name} absent", "\n".join([*lines[:k], *lines[k + 1 :]])
        for value in (*NASTY, *more):
            changed = [*lines[:k], f"{name} = {value}", *lines[k + 1 :]]
            yield f"{name} = {value[:30]}", "\n".join(changed)


def damaged_points() -> Iterator[tuple[str, str]]:
    """Yield what was done to control points, and the text."""
    for place in re.finditer(r"[\w.]+", POINTS):
        for value in (*NASTY, "1e6", "-1e6", "\0", '"', "'", "1,2", "x" * 200_000, "é"):
            yield (
                f"{place[0]} = {value[:30]}",
                POINTS[: place.start()] + value + POINTS[place.end() :],
            )


def outcome(kind: str, path: Path, text: str) -> str:
    """Return "sound", or the kind of error that a document is refused with; no other is caught."""
    path.write_text(text, encoding="utf-8", errors="surrogatepass")
    try:
        _READ[kind](path)
    except OsmofuseError as error:
        return type(error).__name__
    return "sound"


def _read_record(path: Path) -> Any:
    record = read_record(path)
    tally(record)
    assert read_record(write_record(record, path.with_name("written.json"))) == record
    return job_of_record(path, path.with_name("again.tif")).check()


def _read_points(path: Path) -> Any:
    pairs = as_points(path)
    return fitted("homography", pairs[:, :2], pairs[:, 2:])


_READ = {
    "record": _read_record,
    "recipe": recipe,
    "ranking": read_ranking,
    "points": _read_points,
}
