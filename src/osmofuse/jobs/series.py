"""Many fusions of one pair of files: their pictures, sheets and tables in a folder."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, cast

from osmofuse.errors import OutputError, SettingError
from osmofuse.io import Staging, check_target, describe, encode
from osmofuse.io.formats import SUFFIXES
from osmofuse.io.staging import naming
from osmofuse.jobs.job import Job
from osmofuse.jobs.need import check_fit, size_of
from osmofuse.jobs.prepare import Prepared, notes_of, prepare
from osmofuse.jobs.reading import read_files
from osmofuse.jobs.run import marked, picture_of
from osmofuse.methods import METHODS, Fusion
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
from osmofuse.report.canvas import Canvas
from osmofuse.report.table import Published
from osmofuse.tasks import Comparison, Trial, compare, sweep
from osmofuse.tasks.table_one import PUBLISHED, table_one
from osmofuse.typing import Array

SHEET, ZOOM = "sheet.png", "zoom.png"


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
        Do what the paper's Table I shows instead, with its values beside ours; methods, truth
        and metrics are its own.
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
    MissingExtraError
        matplotlib, which draws sheets, is not installed.
    """
    if paper:
        _check_paper(methods=methods, truth=truth, metrics=None if metrics == "paper" else metrics)
    chosen = list(PUBLISHED if paper else METHODS if methods is None else methods)
    pictures = _picture_names(job, chosen)
    texts: dict[str, str] = dict.fromkeys(("table.md", "table.tex", "comparison.json"), "")
    _check_files(job, truth, [*pictures.values(), *texts, SHEET, ZOOM])
    _check_zoom(job, zoom)
    prepared, right = prepare(job), _truth(truth)
    sources = prepared.sources
    pair = sources.foreground, cast(Array, sources.background)
    alpha = cast(Array, sources.alpha)
    published: Published = PUBLISHED if paper else {}
    if paper:
        found = table_one(*pair, alpha, valid=sources.valid, watch=watch)
    else:
        found = compare(
            *pair,
            alpha,
            methods=chosen,
            valid=sources.valid,
            truth=right,
            metrics=metrics,
            watch=watch,
        )
    table = markdown_table(found, published=published)
    texts |= {
        "table.md": table + "\n",
        "table.tex": latex_table(found, published=published) + "\n",
        "comparison.json": _json(job, [_told(one.name, one.fusion, one.scores) for one in found]),
    }
    sheets = {SHEET: lambda: contact_sheet(found, *pair)}
    if pair[0].ndim == 3 and pair[0].shape[2] == 3:
        sheets[ZOOM] = lambda: zoom_sheet(found, pair[0], alpha, box=zoom)
    results = {pictures[one.name]: one.fusion for one in found if one.fusion is not None}
    files = _write(job, prepared, results, sheets, texts)
    return Series(found, table, files, notes_of(job, prepared))


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
    UnreadableError, InputError, MismatchError, SettingError, OutputError, MissingExtraError
        As for `compare_files`.
    """
    _check_files(job, truth, ["table.md", "sweep.json", SHEET])
    prepared, right = prepare(job), _truth(truth)
    s = prepared.sources
    found = sweep(
        s.foreground,
        cast(Array, s.background),
        cast(Array, s.alpha),
        valid=s.valid,
        truth=right,
        metrics=metrics,
        watch=watch,
        **choices,
    )
    table = study_table(found)
    told = [{"settings": plain(one.settings)} | _told("", one.fusion, one.scores) for one in found]
    texts = {"table.md": table + "\n", "sweep.json": _json(job, told)}
    files = _write(job, prepared, {}, {SHEET: lambda: study_sheet(found)}, texts)
    return Series(found, table, files, notes_of(job, prepared))


def _check_paper(**given: object) -> None:
    """Refuse what the paper's Table I says itself."""
    if clash := [name for name, value in given.items() if value is not None]:
        raise SettingError(f"{', '.join(clash)}: the paper's Table I has its own; leave it out")


def _check_files(job: Job, truth: Path | None, names: Iterable[str]) -> None:
    """Refuse files that cannot or must not be written, before the work begins."""
    Canvas()  # on which sheets are drawn; it needs an extra
    folder = job.output.parent
    if not folder.is_dir():
        raise OutputError(f"{folder}: there is no such folder; make it first")
    inputs = [*job.inputs.values(), *([] if truth is None else [truth])]
    for name in names:
        check_target(folder / name, overwrite=job.overwrite, inputs=inputs)
    paths = job.inputs | ({} if truth is None else {"truth": truth})
    check_fit(paths, {role: describe(path) for role, path in paths.items()})


def _check_zoom(job: Job, zoom: Box | None) -> None:
    file = describe(job.foreground)
    if zoom is not None and (zoom[0].start >= file.rows or zoom[1].start >= file.cols):
        raise SettingError(
            f"zoom: begins at {zoom[1].start},{zoom[0].start}, outside {job.foreground} of "
            f"{size_of(file)}; give X,Y,WIDTH,HEIGHT within it"
        )


def _picture_names(job: Job, methods: Iterable[str]) -> dict[str, str]:
    """Return the names of the methods' pictures, in the format that the foreground really has."""
    stored, suffix = describe(job.foreground).format, job.foreground.suffix.lower()
    suffixes = [known for known, kind in SUFFIXES.items() if kind.name == stored]
    if suffix not in suffixes:
        suffix = suffixes[0]
    return {name: re.sub(r"[^\w.-]+", "-", name) + suffix for name in methods}


def _truth(path: Path | None) -> Picture | None:
    if path is None:
        return None
    return read_files({"truth": path}, {"truth": describe(path)})["truth"]


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
    files = {name: job.output.parent / name for name in (*results, *texts, *sheets)}
    with Staging(files.values()) as staging:
        for name, fusion in results.items():
            encode(_picture(job, prepared, fusion), files[name])
        for name, text in texts.items():
            with naming(files[name]):
                staging.partial(files[name]).write_text(text, encoding="utf-8", newline="\n")
        for name, draw in sheets.items():
            encode(Picture(draw()), files[name])
        staging.commit()
    return files


def _picture(job: Job, prepared: Prepared, fusion: Fusion) -> Picture:
    """Return a result as a file has it, marked as a composite."""
    picture, _ = picture_of(job, prepared, fusion.image)
    method = {"name": type(fusion.method).__name__, "settings": asdict(cast(Any, fusion.method))}
    return marked(picture, job, plain({"method": method}))
