"""Whether many fusions of one pair can be done, and what they need, before they begin."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from osmofuse.errors import InputError, SettingError
from osmofuse.io import Description, check_target
from osmofuse.io.formats import SUFFIXES
from osmofuse.jobs.job import Job
from osmofuse.jobs.need import Need, check_fit, check_limit, need_of_series, size_of
from osmofuse.jobs.reading import describe_files, pages_of
from osmofuse.methods import METHODS
from osmofuse.metrics.score import metric_names
from osmofuse.report import Box, check_report
from osmofuse.report.canvas import Canvas
from osmofuse.report.study import check_sheet
from osmofuse.tasks.fuse import method_of
from osmofuse.tasks.sweep import combinations
from osmofuse.tasks.table_one import PUBLISHED

SHEET, ZOOM = "sheet.png", "zoom.png"
TABLE, LATEX, CSV = "table.md", "table.tex", "table.csv"
SHOWN = ("foreground", "background", "alpha")  # by a report, beside the results
RECORDS = {"compare": "comparison.json", "sweep": "sweep.json"}


def check_comparison(
    job: Job,
    *,
    methods: Iterable[str] | None = None,
    paper: bool = False,
    truth: Path | None = None,
    metrics: str | Sequence[str] = "paper",
    zoom: Box | None = None,
    report: Path | None = None,
) -> Need:
    """Return what `compare_files` will need, once it is known that it can be done.

    Raises
    ------
    SettingError, UnreadableError, MismatchError, OutputError, MissingExtraError
        It cannot.
    LimitError
        It needs more memory than it may have.
    """
    if paper:
        _check_paper(methods=methods, truth=truth, metrics=None if metrics == "paper" else metrics)
    chosen = method_names(methods, paper=paper)
    if not chosen:
        raise SettingError("methods: empty; name at least one, or leave it out to compare all")
    fusers = [method_of(name, {}) for name in chosen]
    scored = bool(metric_names(metrics)) or truth is not None
    pictures = picture_names(job, chosen).values()
    names = [*pictures, TABLE, LATEX, CSV, RECORDS["compare"], SHEET, ZOOM]
    _check_files(job, truth, names, report, chosen)
    _check_zoom(job, zoom)
    needed = need_of_series(job, fusers, scored=scored)
    check_limit(needed, job.max_memory, f"{job.foreground}: comparing {len(chosen)} methods")
    return needed


def check_sweep(
    job: Job,
    choices: Mapping[str, Any],
    *,
    truth: Path | None = None,
    metrics: str | Sequence[str] = (),
    report: Path | None = None,
) -> Need:
    """Return what `sweep_files` will need, once it is known that it can be done.

    Raises
    ------
    SettingError, UnreadableError, MismatchError, OutputError, MissingExtraError
        It cannot.
    LimitError
        It needs more memory than it may have, or one sheet cannot show it all.
    """
    scored = bool(metric_names(metrics)) or truth is not None
    trials = combinations(choices)
    tried = [changes for changes, _ in trials]
    _check_files(job, truth, [TABLE, CSV, RECORDS["sweep"], SHEET], report)
    file = _foreground(job)
    check_sheet(tried, (file.rows, file.cols))
    needed = need_of_series(job, [method for _, method in trials], scored=scored)
    check_limit(needed, job.max_memory, f"{job.foreground}: fusing it with {len(tried)} settings")
    return needed


def method_names(methods: Iterable[str] | None, *, paper: bool) -> list[str]:
    """Return which methods are compared."""
    return list(PUBLISHED if paper else METHODS if methods is None else methods)


def _check_paper(**given: object) -> None:
    """Refuse what the paper's Table I says itself."""
    if clash := [name for name, value in given.items() if value is not None]:
        raise SettingError(f"{', '.join(clash)}: the paper's Table I has its own; leave it out")


def _check_files(
    job: Job,
    truth: Path | None,
    names: Iterable[str],
    report: Path | None,
    results: Iterable[str] = (),
) -> None:
    """Refuse files that cannot or must not be written, before the work begins."""
    Canvas()  # on which sheets are drawn; it needs an extra
    inputs = [*job.inputs.values(), *([] if truth is None else [truth])]
    outputs = [job.output.parent / name for name in names]
    for path in outputs:
        check_target(path, overwrite=job.overwrite, inputs=inputs, folders=True)
    if report is not None:
        shown = [*SHOWN, *([] if truth is None else ["truth"]), *results]
        check_report(
            report, overwrite=job.overwrite, pictures=shown, inputs=inputs, outputs=outputs
        )
    files = describe_files(job.inputs, job.page)
    if truth is not None:
        files |= describe_files({"truth": truth}, truth_page(job))
    paths = {role: file.path for role, file in files.items()}
    check_fit(paths, files, aligned=job.align is not None)
    colours = files["foreground"].colours
    if colours not in (1, 3):
        raise InputError(
            f"{job.foreground}: {colours} bands of colour, but sheets show grey or RGB pictures "
            "only; save one or three of them as a file, or use osmofuse fuse"
        )


def truth_page(job: Job) -> tuple[int, ...]:
    """Return the page of the right answer: that of all pictures, if one was given for all."""
    return job.page if len(job.page) == 1 else ()


def _foreground(job: Job) -> Description:
    page = pages_of(job.inputs, job.page)["foreground"]
    return describe_files({"foreground": job.foreground}, (page,))["foreground"]


def _check_zoom(job: Job, zoom: Box | None) -> None:
    file = _foreground(job)
    if zoom is not None and (zoom[0].stop > file.rows or zoom[1].stop > file.cols):
        raise SettingError(
            f"zoom: ends at {zoom[1].stop},{zoom[0].stop}, outside {job.foreground} of "
            f"{size_of(file)}; give X,Y,WIDTH,HEIGHT within it"
        )


def picture_names(job: Job, methods: Iterable[str]) -> dict[str, str]:
    """Return the names of the methods' pictures, in the format that the foreground really has."""
    stored, suffix = _foreground(job).format, job.foreground.suffix.lower()
    # What is only read, such as JPEG 2000, is written as TIFF.
    suffixes = [known for known, kind in SUFFIXES.items() if kind.name == stored] or [".tif"]
    if suffix not in suffixes:
        suffix = suffixes[0]
    return {name: re.sub(r"[^\w.-]+", "-", name) + suffix for name in methods}
