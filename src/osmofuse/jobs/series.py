"""Many fusions of one pair of files: their pictures, sheets, tables and record in a folder."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, cast

from osmofuse.io import Staging, encode
from osmofuse.io.refusal import naming
from osmofuse.io.staging import made_folder
from osmofuse.jobs.job import Job
from osmofuse.jobs.opening import Opened, open_files
from osmofuse.jobs.reading import describe_files, read_files
from osmofuse.jobs.run import marked
from osmofuse.jobs.series_check import (
    CSV,
    LATEX,
    RECORDS,
    SHEET,
    TABLE,
    ZOOM,
    check_comparison,
    check_sweep,
    method_names,
    picture_names,
    truth_page,
)
from osmofuse.jobs.series_record import series_record, told, with_pictures
from osmofuse.jobs.series_report import report_series
from osmofuse.methods import Fusion
from osmofuse.methods.contract import WatchFunction
from osmofuse.picture import Picture
from osmofuse.record import Record, plain, sha256_of_pixels, stage_record
from osmofuse.report import (
    Box,
    contact_sheet,
    csv_table,
    latex_table,
    markdown_table,
    study_sheet,
    study_table,
    zoom_sheet,
)
from osmofuse.report.document import report_folder
from osmofuse.report.study import trial_names
from osmofuse.report.table import Published
from osmofuse.tasks import Comparison, compare, sweep
from osmofuse.tasks.table_one import PUBLISHED, table_one
from osmofuse.typing import Array


@dataclass(frozen=True, eq=False)
class Series:
    """What came of it.

    Attributes
    ----------
    command : {"compare", "sweep"}
        What was done.
    job : Job
        Which files, and how they were made ready.
    options : mapping
        What else was asked for, by the names of the command's options.
    opened : Opened
        What was fused.
    found : list of Comparison
        Each fusion, with its scores; of a sweep, named by its settings.
    table : str
        The numbers, in Markdown.
    record : Record
        What was done, and what came of each.
    files : dict of str to Path
        What was written, by name.
    notes : tuple of str
        What a person should know of the files.
    truth : Picture or None
        The right answer, where there was one.
    """

    command: str
    job: Job
    options: Mapping[str, Any]
    opened: Opened
    found: Sequence[Comparison]
    table: str
    record: Record
    files: dict[str, Path] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    truth: Picture | None = None

    @property
    def folder(self) -> Path:
        """Where it was written."""
        return self.job.output.parent

    @property
    def unfinished(self) -> list[Comparison]:
        """What did not end as it should: its picture is as far as it came."""
        return [c for c in self.found if c.fusion and not c.fusion.status.is_success]

    def picture(self, fusion: Fusion) -> Picture:
        """Return a result as a file has it."""
        return fusion.picture(self.job.depth)[0]


def compare_files(
    job: Job,
    *,
    methods: Iterable[str] | None = None,
    paper: bool = False,
    truth: Path | None = None,
    metrics: str | Sequence[str] = "paper",
    zoom: Box | None = None,
    report: Path | None = None,
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
    report : path, optional
        Folder of a report, which is written together with the other files.

    Raises
    ------
    UnreadableError, InputError, MismatchError, SettingError
        As for a job.
    OutputError
        A file exists, or cannot be written, or the report. Then none of them is.
    MissingExtraError
        matplotlib, which draws sheets, is not installed.
    """
    methods = None if methods is None else list(methods)
    check_comparison(
        job, methods=methods, paper=paper, truth=truth, metrics=metrics, zoom=zoom, report=report
    )
    chosen = method_names(methods, paper=paper)
    pictures = picture_names(job, chosen)
    opened, right = open_files(job), _truth(truth, truth_page(job))
    ready = opened.ready
    pair, alpha = (ready.foreground.filled(), ready.backgrounds[0]), ready.sources.alpha
    published: Published = PUBLISHED if paper else {}
    if paper:
        found = table_one(ready, watch=watch)
    else:
        found = compare(ready, methods=chosen, truth=right, metrics=metrics, watch=watch)
    table = markdown_table(found, published=published)
    texts = {TABLE: table + "\n", LATEX: latex_table(found, published=published) + "\n"}
    texts[CSV] = csv_table(found)
    sheets = {SHEET: lambda: contact_sheet(found, *pair)}
    if ready.sources.channels == 3:
        sheets[ZOOM] = lambda: zoom_sheet(found, pair[0], alpha, box=zoom)
    results = {pictures[one.name]: one.fusion for one in found if one.fusion is not None}
    options = {
        "methods": None if paper else tuple(chosen),
        "paper": paper,
        "truth": truth,
        "metrics": metrics,
        "zoom": _as_typed(zoom),
    }
    record = series_record("compare", job, opened, truth, options, [told(one) for one in found])
    notes = opened.notes(job)
    made = Series("compare", job, options, opened, found, table, record, {}, notes, right)
    return _write(made, results, sheets, texts, report)


def sweep_files(
    job: Job,
    choices: Mapping[str, Any],
    *,
    truth: Path | None = None,
    metrics: str | Sequence[str] = (),
    report: Path | None = None,
    watch: WatchFunction | None = None,
) -> Series:
    """Fuse the files of a job with many settings, into the folder of its output.

    Parameters
    ----------
    job : Job
        Says which files, and how they are made ready; its output is the sheet.
    choices : mapping of str to sequence
        What to try, as for `osmofuse.sweep`.
    truth, metrics, report, watch
        As for `compare_files`.

    Raises
    ------
    UnreadableError, InputError, MismatchError, SettingError, OutputError, MissingExtraError
        As for `compare_files`.
    """
    check_sweep(job, choices, truth=truth, metrics=metrics, report=report)
    opened, right = open_files(job), _truth(truth, truth_page(job))
    trials = sweep(opened.ready, truth=right, metrics=metrics, watch=watch, **choices)
    table = study_table(trials)
    found = [
        Comparison(name, one.fusion, one.scores)
        for name, one in zip(trial_names(trials), trials, strict=True)
    ]
    results = {one.name: one.fusion for one in found if one.fusion is not None}
    options = {**choices, "truth": truth, "metrics": metrics or None}
    each = [
        {"settings": plain(trial.settings)} | told(one)
        for trial, one in zip(trials, found, strict=True)
    ]
    record = series_record("sweep", job, opened, truth, options, each)
    texts = {TABLE: table + "\n", CSV: csv_table(found, [trial.settings for trial in trials])}
    sheets = {SHEET: lambda: study_sheet(trials)}
    notes = opened.notes(job)
    made = Series("sweep", job, options, opened, found, table, record, {}, notes, right)
    return _write(made, results, sheets, texts, report, stored=False)


def _truth(path: Path | None, page: tuple[int, ...]) -> Picture | None:
    if path is None:
        return None
    return read_files(describe_files({"truth": path}, page))["truth"]


def _as_typed(zoom: Box | None) -> tuple[int, ...] | None:
    """Return a part of a picture as one types it: X, Y, WIDTH, HEIGHT."""
    if zoom is None:
        return None
    rows, cols = zoom
    return cols.start, rows.start, cols.stop - cols.start, rows.stop - rows.start


def _write(
    made: Series,
    results: Mapping[str, Fusion],
    sheets: Mapping[str, Callable[[], Array]],
    texts: Mapping[str, str],
    report: Path | None,
    *,
    stored: bool = True,
) -> Series:
    """Write all files together, or none: results in the foreground's depth, sheets, texts.

    The record gets the hashes of the results, also where they are not stored.
    """
    job, folder, hashes = made.job, made.folder, {}
    names = [*(results if stored else ()), *texts, *sheets, RECORDS[made.command]]
    files = {name: folder / name for name in names}
    with ExitStack() as opened:
        opened.enter_context(made_folder(folder))
        if report is not None:
            opened.enter_context(report_folder(report))
        staging = Staging(files.values(), overwrite=job.overwrite, ending=1)
        opened.enter_context(staging)
        for name, fusion in results.items():
            picture = _picture(job, fusion)
            hashes[name] = sha256_of_pixels(picture.pixels)
            if stored:
                encode(picture, files[name])
        for name, text in texts.items():
            with naming(files[name]):
                staging.partial(files[name]).write_text(text, encoding="utf-8", newline="\n")
        for name, draw in sheets.items():
            encode(Picture(draw()), files[name])
        made = replace(made, record=with_pictures(made.record, hashes), files=files)
        stage_record(made.record, files[RECORDS[made.command]])
        if report is not None:
            files["report"] = report_series(made, report, overwrite=job.overwrite, staging=staging)
        staging.commit()
    return made


def _picture(job: Job, fusion: Fusion) -> Picture:
    """Return a result as a file has it, marked as a composite."""
    picture, _ = fusion.picture(job.depth)
    method = {"name": type(fusion.method).__name__, "settings": asdict(cast(Any, fusion.method))}
    return marked(picture, job, plain({"method": method}))
