"""Blind ranking of results: order of the comparisons, and the judges' answers."""

from __future__ import annotations

import hashlib
import json
import os
import random
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from typing import Any

from osmofuse.checks import choice, mapping, sequence, text
from osmofuse.documents import is_format, json_of, read_document, text_of
from osmofuse.errors import LimitError, MismatchError, SettingError, UnreadableError
from osmofuse.record import Record

FORMAT = 1  # version of the file of answers
KIND = "osmofuse ranking"  # marks the file of answers
MOST_RANKED = 8  # results, which are 28 pairs
MOST_ANSWERS = 1000  # limit on files; 8 results need 28


def blind_pairs(names: Sequence[str], record: Record | None) -> list[tuple[int, int]]:
    """Return all pairs of at most eight results in an order that reveals nothing about them.

    A pair is the index of the left and of the right result. Order and sides come from the hash
    of the record and of the names: the same report gives the same order to every judge.
    """
    if len(names) > MOST_RANKED:
        raise LimitError(
            f"results: {len(names)} would be {len(names) * (len(names) - 1) // 2} comparisons; "
            f"rank at most {MOST_RANKED}"
        )
    known = json.dumps([list(names), record.as_json() if record else None], sort_keys=True)
    chance = random.Random(hashlib.sha256(known.encode()).digest())
    pairs = [chance.choice([(a, b), (b, a)]) for a, b in combinations(range(len(names)), 2)]
    chance.shuffle(pairs)
    return pairs


def read_ranking(path: str | os.PathLike[str]) -> dict[str, Any]:
    """Read the file of answers that a report's page saves.

    Returns
    -------
    dict
        ``by``: who judged; ``sha256_of_pixels`` of the record's output; ``answers``: a list of
        ``pair`` and ``better``, which is None where no difference was seen; ``points`` by name: one
        for each time a result was better, half where there was no difference.
    """
    path = Path(path)
    content = read_document(path)
    try:
        found = json_of(text_of(content))
    except ValueError as error:
        raise UnreadableError(f"{path}: a damaged ranking, or none ({error})") from error
    known = isinstance(found, dict) and found.get("kind") == KIND
    if not known or not is_format(found.get("format"), FORMAT):
        raise UnreadableError(f"{path}: not a ranking of format {FORMAT} from a report of osmofuse")
    try:
        return _ranking(found)
    except SettingError as error:
        raise UnreadableError(f"{path}: a damaged ranking ({error})") from error


def with_ranking(record: Record, path: str | os.PathLike[str]) -> Record:
    """Return a record that keeps a judge's ranking, for `osmofuse.record.write_record`.

    Parameters
    ----------
    record : Record
        Record of the pictures in the judged report.
    path : path
        The file that the report's page gave.

    Returns
    -------
    Record
        With the result of `read_ranking` appended to its `ranking`; it replaces earlier answers of
        the same judge.

    Raises
    ------
    MismatchError
        The ranking belongs to another report.
    """
    ranking = read_ranking(path)
    if ranking["sha256_of_pixels"] != record.output.get("sha256_of_pixels"):
        raise MismatchError(f"{path}: a ranking of other pictures than the record's")
    others = [one for one in record.ranking if not _is_again(one, ranking)]
    return replace(record, ranking=(*others, ranking))


def tally(record: Record) -> dict[str, float]:
    """Return the points that all judges together gave each result, the best first."""
    points: dict[str, float] = {}
    for one in record.ranking:
        for name, count in one["points"].items():
            points[name] = points.get(name, 0.0) + count
    return _best_first(points)


def _is_again(old: Mapping[str, Any], new: Mapping[str, Any]) -> bool:
    """Return True if both are by the same judge; an unnamed one is identified by the answers."""
    return old["by"] == new["by"] and (bool(new["by"]) or old["answers"] == new["answers"])


def _ranking(found: Mapping[str, Any]) -> dict[str, Any]:
    """Return the checked answers of a judge, with points counted again."""
    digest = found.get("sha256_of_pixels")
    given = sequence("answers", found.get("answers"), most=MOST_ANSWERS)
    answers = [_answer(f"answers[{k}]", one) for k, one in enumerate(given)]
    return {
        "by": text("by", found.get("by") or "", most=200),
        "sha256_of_pixels": None if digest is None else text("sha256_of_pixels", digest),
        "answers": answers,
        "points": _points(answers),
    }


def _answer(name: str, given: Any) -> dict[str, Any]:
    one = mapping(name, given)
    pair = [
        text(f"{name}.pair[{k}]", word, most=200)
        for k, word in enumerate(sequence(f"{name}.pair", one.get("pair"), least=2, most=2))
    ]
    choice(f"{name}.better", one.get("better"), (*pair, None))
    return {"pair": pair, "better": one.get("better")}


def _points(answers: list[dict[str, Any]]) -> dict[str, float]:
    names = sorted({name for one in answers for name in one["pair"]})
    points = dict.fromkeys(names, 0.0)
    for one in answers:
        for name in one["pair"]:
            points[name] += 0.5 if one["better"] is None else float(one["better"] == name)
    return _best_first(points)


def _best_first(points: Mapping[str, float]) -> dict[str, float]:
    return dict(sorted(points.items(), key=lambda item: (-item[1], item[0])))
