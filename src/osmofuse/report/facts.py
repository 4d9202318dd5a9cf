"""Scores and records as HTML tables and lists, and the provenance of a page."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from os import PathLike
from typing import TYPE_CHECKING, Any

from osmofuse.errors import SettingError
from osmofuse.metrics.catalogue import metric_named
from osmofuse.metrics.score import Score
from osmofuse.record import Record
from osmofuse.report.table import reasons_of, shown_number

if TYPE_CHECKING:
    from osmofuse.tasks import Comparison

_BETTER = {"high": "higher", "low": "lower", None: "–"}  # better side of a metric


def scores_table(scores: Mapping[str, Score]) -> str:
    """Return a table of scores with their definitions."""
    rows = "".join(_score_row(name, score) for name, score in scores.items())
    return (
        '<table class="scores"><thead><tr><th scope="col">Score</th>'
        '<th scope="col" class="number">Value</th><th scope="col">Better</th>'
        f'<th scope="col">Definition</th></tr></thead><tbody>{rows}</tbody></table>'
    )


def _score_row(name: str, score: Score) -> str:
    words = f"Not available: {score.reason}" if score.reason else _meaning(name)
    return (
        f'<tr><th scope="row">{escape(name.replace("_", " "))}</th>'
        f'<td class="number">{shown_number(score.value, name)}</td>'
        f"<td>{_BETTER[score.better]}</td><td>{escape(words)}</td></tr>"
    )


def _meaning(name: str) -> str:
    try:
        found = metric_named(name)
    except SettingError:  # a user's function
        return ""
    words = f"{found.definition} ({found.source})" if found.source else found.definition
    return words[:1].upper() + words[1:]


def results_table(comparisons: Sequence[Comparison]) -> str:
    """Return a table with a row for each result, and definitions of its columns below.

    The best of each column is marked; missing or doubtful values have a reason below.
    """
    better = {metric: s.better for c in comparisons for metric, s in c.scores.items()}
    best = {
        name: side and _best(comparisons, name, side == "high") for name, side in better.items()
    }
    heads = [
        '<th scope="col" class="number">{}<span class="side">{}</span></th>'.format(
            escape(name.replace("_", " ")), f"{_BETTER[side]} is better" if side else ""
        )
        for name, side in better.items()
    ]
    rows = "".join(_result_row(c, best) for c in comparisons)
    notes = "".join(f"<p>{escape(note)}</p>" for note in reasons_of(comparisons))
    return (
        '<div class="wide"><table class="results"><thead><tr><th scope="col">Result</th>'
        f'{"".join(heads)}<th scope="col" class="number">Seconds</th><th scope="col">Ended</th>'
        f"</tr></thead><tbody>{rows}</tbody></table></div>{notes}"
        f"{definitions({metric.replace('_', ' '): _meaning(metric) for metric in better})}"
    )


def _best(comparisons: Sequence[Comparison], metric: str, high: bool) -> float | None:
    """Return the best value of a column, if there is a choice."""
    found = [c.scores[metric].value for c in comparisons if metric in c.scores]
    values = [value for value in found if value is not None]
    return None if len(values) < 2 else max(values) if high else min(values)


def _result_row(comparison: Comparison, best: Mapping[str, float | None]) -> str:
    cells = []
    for metric, top in best.items():
        score = comparison.scores.get(metric)
        value = None if score is None else score.value
        text = shown_number(value, metric)
        marked = f"<strong>{text}</strong>" if value is not None and value == top else text
        cells.append(f'<td class="number">{marked}</td>')
    fusion = comparison.fusion
    seconds, ended = "–", "made no picture"
    if fusion is not None:
        seconds, ended = f"{fusion.seconds:.2f}", ended_words(fusion.status)
    return (
        f'<tr><th scope="row">{escape(comparison.name)}</th>{"".join(cells)}'
        f'<td class="number">{seconds}</td><td>{escape(ended)}</td></tr>'
    )


def definitions(facts: Mapping[str, str]) -> str:
    """Return facts as a list of definitions."""
    rows = (f"<dt>{escape(k)}</dt><dd>{escape(v)}</dd>" for k, v in facts.items())
    return f'<dl class="facts">{"".join(rows)}</dl>' if facts else ""


def facts_of(record: Record) -> dict[str, str]:
    """Return the facts of a record in words, by subject."""
    return dict(_facts(record))


def _facts(record: Record) -> Iterator[tuple[str, str]]:
    for one in record.inputs:
        notes = "".join(f"; {note}" for note in one.notes)
        levels = f"; levels {one.levels}" if one.levels not in (None, "as-is") else ""
        yield one.role.capitalize(), f"{one.path}{levels}{notes} (SHA-256 {one.sha256[:16]}…)"
    yield from _alpha(record.alpha)
    if record.recipe:
        yield "Recipe", f"{record.recipe['name']} (SHA-256 {record.recipe['sha256'][:16]}…)"
    settings = record.method["settings"]
    yield "Method", str(record.method["name"])
    yield "Settings", ", ".join(f"{k} {_value_text(v, k)}" for k, v in settings.items())
    if found := record.method.get("notes"):
        yield "Found", "; ".join(found)
    if record.alpha is None or record.alpha:  # empty if it is not a fusion
        yield "Working space", record.working_space
    yield from _result(record.result)
    yield "Made with", ", ".join(f"{name} {value}" for name, value in record.versions.items())
    if digest := record.output.get("sha256_of_pixels"):  # scores have none
        yield "Pixels", f"SHA-256 {digest}"


def _alpha(alpha: Mapping[str, Any] | None) -> Iterator[tuple[str, str]]:
    if alpha is None:
        yield "Alpha", "none given: the method found where the background enters"
        return
    value = alpha.get("value")
    values = value if isinstance(value, list | tuple) else [value]
    made = str(alpha.get("made", "made from the two pictures")).removeprefix("alpha was ")
    said = [made if one == "auto" else f"{one:g} everywhere" for one in values if one is not None]
    if said:
        files = len(values) - len(said)
        more = [f"{files} from {'files' if files > 1 else 'a file'}"] if files else []
        yield "Alpha", "; ".join([*said, *more])
    if alpha.get("invert"):
        yield "Alpha inverted", "the map is white where the background enters"
    if alpha.get("soften"):
        yield "Alpha softened", f"by {alpha['soften']:g} pixels"


def _result(result: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    parts = [ended_words(result.get("status", ""))]
    if result.get("reach") is not None:
        parts.append(f"reach {result['reach']:.1f} pixels")
    if result.get("seconds") is not None:
        parts.append(f"{result['seconds']:.2f} s")
    yield "Ended", ", ".join(parts)
    if result.get("clipped") is not None:
        yield "Clipped", f"{result['clipped']} samples"


def ended_words(status: object) -> str:
    """Return a status in words for a page."""
    words = str(status).replace("_", " ")
    return {"energy rate": "converged (energy rate)", "direct": "computed directly"}.get(
        words, words
    )


def _value_text(value: Any, name: str = "") -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return "∞" if math.isinf(value) else f"{value:g}"
    if isinstance(value, list | tuple):
        return ", ".join(_value_text(one, name) for one in value)
    if value is None:
        return "by the paper's rule" if name == "reach" else "none"
    return str(value)


@dataclass(frozen=True)
class Provenance:
    """Origin of what a page shows.

    Parameters
    ----------
    record : Record, optional
        The record; the answers of a ranking belong to it.
    command : str
        Command that repeats the work.
    title : str
        Title of the page; empty: the default of the page.
    inputs : sequence of paths
        Files of the work, which the page must never replace.
    """

    record: Record | None = None
    command: str = ""
    title: str = ""
    inputs: Sequence[str | PathLike[str]] = ()


UNKNOWN = Provenance()  # of pictures without a record
