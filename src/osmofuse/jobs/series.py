"""Many fusions of one pair of files: their pictures, sheets and tables in a folder."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, cast

from osmofuse.errors import OutputError
from osmofuse.io import Limits, Staging, check_target, encode, read_isolated
from osmofuse.jobs.job import Job
from osmofuse.jobs.prepare import Prepared, prepare
from osmofuse.methods import Fusion
from osmofuse.methods.contract import WatchFunction
from osmofuse.metrics import Score
from osmofuse.picture import Picture
from osmofuse.record import plain
from osmofuse.report import (
    Box,
    contact_sheet,
    latex_table,
    markdown_table,
    study_sheet,
    study_table,
    zoom_sheet,
)
from osmofuse.report.table import Published
from osmofuse.tasks import Comparison, Trial, compare, sweep
from osmofuse.tasks.table_one import PUBLISHED, table_one
from osmofuse.typing import Array

SHEET = "sheet.png"


@dataclass(frozen=True, eq=False)
class Series:
    """What came of it.

    Attributes
    ----------
    found : list of Comparison, or of Trial
        Each fusion, with its scores.
    table : str
        The numbers, in Markdown.
    files : dict of str to Path
        What was written, by name.
    notes : tuple of str
        What a person should know of the files.
    """

    found: Sequence[Comparison] | Sequence[Trial]
    table: str
    files: dict[str, Path] = field(default_factory=dict)
    notes: tuple[str, ...] = ()


def compare_files(
    job: Job,
    *,
    methods: Iterable[str] | None = None,
    paper: bool = False,
    truth: Path | None = None,
    metrics: str | Sequence[str] = "paper",
    zoom: Box | None = None,
    watch: WatchFunction | None = None,
) -> Series:
    """Fuse the files of a job by several methods, into the folder of its output.

    Parameters
    ----------
    job : Job
        Says which files, and how they are made ready; its output is the contact sheet.
    methods : iterable of str, optional
        Names of methods; all, by default.
    paper : bool
        Do what the paper's Table I shows instead, with its values beside ours.
    truth : path, optional
        The right answer.
    metrics, watch
        As for `osmofuse.compare`.
    zoom : tuple of slice, optional
        The rows and columns that the second sheet shows.

    Raises
    ------
    UnreadableError, InputError, MismatchError, SettingError
        As for a job.
    OutputError
        A file exists, or cannot be written. Then none of them is.
    """
    prepared, right = _prepared(job, truth)
    pair = prepared.sources.foreground, cast(Array, prepared.sources.background)
    alpha = cast(Array, prepared.sources.alpha)
    published: Published = PUBLISHED if paper else {}
    if paper:
        found = table_one(*pair, alpha, watch=watch)
    else:
        found = compare(
            *pair,
            alpha,
            methods=None if methods is None else list(methods),
            truth=right,
            metrics=metrics,
            watch=watch,
        )
    table = markdown_table(found, published=published)
    texts = {
        "table.md": table + "\n",
        "table.tex": latex_table(found, published=published) + "\n",
        "comparison.json": _json(job, [_told(one.name, one.fusion, one.scores) for one in found]),
    }
    sheets = {SHEET: lambda: contact_sheet(found, *pair)}
    if pair[0].ndim == 3 and pair[0].shape[2] == 3:
        sheets["zoom.png"] = lambda: zoom_sheet(found, pair[0], alpha, box=zoom)
    results = {one.name: one.fusion for one in found if one.fusion is not None}
    files = _write(job, prepared, results, sheets, texts)
    return Series(found, table, files, _notes(job, prepared))


def sweep_files(
    job: Job,
    choices: Mapping[str, Any],
    *,
    truth: Path | None = None,
    metrics: str | Sequence[str] = (),
    watch: WatchFunction | None = None,
) -> Series:
    """Fuse the files of a job with many settings, into the folder of its output.

    Parameters
    ----------
    job : Job
        Says which files, and how they are made ready; its output is the sheet.
    choices : mapping of str to sequence
        What to try, as for `osmofuse.sweep`.
    truth, metrics, watch
        As for `compare_files`.

    Raises
    ------
    UnreadableError, InputError, MismatchError, SettingError, OutputError
        As for `compare_files`.
    """
    prepared, right = _prepared(job, truth)
    s = prepared.sources
    found = sweep(
        s.foreground,
        cast(Array, s.background),
        cast(Array, s.alpha),
        truth=right,
        metrics=metrics,
        watch=watch,
        **choices,
    )
    table = study_table(found)
    told = [{"settings": plain(one.settings)} | _told("", one.fusion, one.scores) for one in found]
    texts = {"table.md": table + "\n", "sweep.json": _json(job, told)}
    files = _write(job, prepared, {}, {SHEET: lambda: study_sheet(found)}, texts)
    return Series(found, table, files, _notes(job, prepared))


def _prepared(job: Job, truth: Path | None) -> tuple[Prepared, Picture | None]:
    """Read the files, after a look at the place where the results are to go."""
    if not job.output.parent.is_dir():
        raise OutputError(f"{job.output.parent}: there is no such folder; make it first")
    check_target(job.output, overwrite=job.overwrite, inputs=job.inputs.values())
    right = None if truth is None else read_isolated([truth], Limits())[0]
    return prepare(job), right


def _notes(job: Job, prepared: Prepared) -> tuple[str, ...]:
    return tuple(f"{job.inputs[one.role]}: {n}" for one in prepared.inputs for n in one.notes)


def _told(name: str, fusion: Fusion | None, scores: Mapping[str, Score]) -> dict[str, Any]:
    """Return what is told of a fusion, as JSON knows things."""
    if fusion is None:
        return {"name": name}
    named = {"name": name} if name else {}
    return named | {
        "method": plain(asdict(cast(Any, fusion.method))),
        "status": str(fusion.status),
        "reach": plain(fusion.reach),
        "energy": None if fusion.energy is None else fusion.energy.tolist(),
        "seconds": fusion.seconds,
        "scores": {metric: one.value for metric, one in scores.items()},
    }


def _json(job: Job, told: list[dict[str, Any]]) -> str:
    inputs = {role: str(path) for role, path in job.inputs.items()}
    return json.dumps({"inputs": inputs, "results": told}, indent=2, ensure_ascii=False) + "\n"


def _write(
    job: Job,
    prepared: Prepared,
    results: Mapping[str, Fusion],
    sheets: Mapping[str, Callable[[], Array]],
    texts: Mapping[str, str],
) -> dict[str, Path]:
    """Write all files together, or none: results in the foreground's depth, sheets, texts."""
    folder, suffix = job.output.parent, job.foreground.suffix.lower()
    pictures = {f"{_file_name(name)}{suffix}": fusion for name, fusion in results.items()}
    files = {name: folder / name for name in (*pictures, *texts, *sheets)}
    for path in files.values():
        check_target(path, overwrite=job.overwrite, inputs=job.inputs.values())
    with Staging(files.values()) as staging:
        for name, fusion in pictures.items():
            encode(prepared.foreground.with_samples(fusion.image)[0], files[name])
        for name, text in texts.items():
            staging.partial(files[name]).write_text(text, encoding="utf-8")
        for name, draw in sheets.items():
            encode(Picture(draw()), files[name])
        staging.commit()
    return files


def _file_name(name: str) -> str:
    return re.sub(r"[^\w.-]+", "-", name)
