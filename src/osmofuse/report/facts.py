"""Scores and record of a fusion as HTML: what a reader wants to know before all the rest."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from html import escape
from typing import Any

from osmofuse.metrics.catalogue import METRICS
from osmofuse.metrics.score import Score
from osmofuse.record import Record
from osmofuse.report.table import shown_number

__all__ = ["facts_of", "facts_table", "scores_table"]

_BETTER = {"high": "higher", "low": "lower"}


def scores_table(scores: Mapping[str, Score]) -> str:
    """Return a table of scores, with what each measures."""
    rows = "".join(_score_row(name, score) for name, score in scores.items())
    return (
        '<table class="scores"><thead><tr><th scope="col">Score</th>'
        '<th scope="col" class="number">Value</th><th scope="col">Better</th>'
        f'<th scope="col">What it measures</th></tr></thead><tbody>{rows}</tbody></table>'
    )


def _score_row(name: str, score: Score) -> str:
    metric = METRICS.get(name)
    words = f"{metric.definition} ({metric.source})" if metric else ""
    if score.reason:
        words = f"not to be had: {score.reason}"
    return (
        f'<tr><th scope="row">{escape(name.replace("_", " "))}</th>'
        f'<td class="number">{shown_number(score.value, name)}</td>'
        f"<td>{_BETTER[score.better]}</td><td>{escape(words[:1].upper() + words[1:])}</td></tr>"
    )


def facts_of(record: Record) -> dict[str, str]:
    """Return what a record says, in words, by what it is about."""
    return dict(_facts(record))


def facts_table(record: Record) -> str:
    """Return the facts of a record as a list of definitions."""
    rows = (f"<dt>{escape(k)}</dt><dd>{escape(v)}</dd>" for k, v in facts_of(record).items())
    return f'<dl class="facts">{"".join(rows)}</dl>'


def _facts(record: Record) -> Iterator[tuple[str, str]]:
    for one in record.inputs:
        notes = "".join(f"; {note}" for note in one.notes)
        levels = f"; levels {one.levels}" if one.levels not in (None, "as-is") else ""
        yield one.role.capitalize(), f"{one.path}{levels}{notes} (SHA-256 {one.sha256[:16]}…)"
    yield from _alpha(record.alpha)
    settings = record.method["settings"]
    yield "Method", str(record.method["name"])
    yield "Settings", ", ".join(f"{name} {_said(value)}" for name, value in settings.items())
    yield "Working space", record.working_space
    yield from _result(record.result)
    yield "Made with", ", ".join(f"{name} {value}" for name, value in record.versions.items())
    yield "Pixels", f"SHA-256 {record.output.get('sha256_of_pixels')}"


def _alpha(alpha: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    if alpha.get("value") == "auto":
        yield (
            "Alpha",
            str(alpha.get("made", "made from the two pictures")).removeprefix("alpha was "),
        )
    elif alpha.get("value") is not None:
        yield "Alpha", f"{alpha['value']:g} everywhere"
    if alpha.get("soften"):
        yield "Alpha softened", f"by {alpha['soften']:g} pixels"


def _result(result: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    parts = [str(result.get("status", "")).replace("_", " ")]
    if result.get("reach") is not None:
        parts.append(f"reach {result['reach']:.1f} pixels")
    if result.get("seconds") is not None:
        parts.append(f"{result['seconds']:.2f} s")
    yield "Ended", ", ".join(parts)
    if result.get("clipped") is not None:
        yield "Clipped", f"{result['clipped']} samples"


def _said(value: Any) -> str:
    if isinstance(value, float):
        return "∞" if math.isinf(value) else f"{value:g}"
    return "by the rule" if value is None else str(value)
