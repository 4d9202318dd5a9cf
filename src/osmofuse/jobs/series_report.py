"""The report of many fusions of one pair, and what judges of it answered."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from osmofuse.errors import UnreadableError
from osmofuse.io import Staging
from osmofuse.jobs.again import again
from osmofuse.jobs.job import Job
from osmofuse.jobs.series_check import RECORDS
from osmofuse.picture import Picture
from osmofuse.record import Record, read_record, write_record
from osmofuse.report import read_ranking, with_ranking, write_results
from osmofuse.typing import FloatArray

if TYPE_CHECKING:
    from osmofuse.jobs.series import Series

_ENDINGS = {"compare": "by several methods", "sweep": "with several settings"}


def report_series(
    made: Series,
    folder: str | os.PathLike[str],
    *,
    overwrite: bool = False,
    staging: Staging | None = None,
) -> Path:
    """Write the report of a series, see `osmofuse.report.write_results`.

    Parameters
    ----------
    made : Series
        Of `compare_files` or `sweep_files`.
    folder : path
        Where the page goes.
    overwrite : bool
        Replace a report that is there. Never an input or output of the work.
    staging : Staging, optional
        Files together with which these get their names, once it is committed.

    Returns
    -------
    Path
        The page.

    Raises
    ------
    OutputError
        A report is there already, or cannot be written.
    """
    job, ready = made.job, made.opened.ready
    pictures: dict[str, Picture | FloatArray] = {
        "foreground": ready.foreground,
        "background": ready.backgrounds[0],
        "alpha": ready.sources.alpha,
    }
    if made.truth is not None:
        pictures["truth"] = made.truth
    inputs = [*job.inputs.values(), *made.files.values()]
    if made.options["truth"] is not None:
        inputs.append(made.options["truth"])
    return write_results(
        folder,
        pictures=pictures,
        results={c.name: made.picture(c.fusion) for c in made.found if c.fusion is not None},
        comparisons=made.found,
        record=made.record,
        command=_again(made),
        title=f"{_names(job)}, fused {_ENDINGS[made.command]}",
        inputs=inputs,
        overwrite=overwrite,
        staging=staging,
    )


def _names(job: Job) -> str:
    return " and ".join(path.name for path in (job.foreground, *job.backgrounds))


def _again(made: Series) -> str:
    job = made.job
    return again(
        made.command,
        [job.foreground, *job.backgrounds],
        made.folder,
        page=job.page,
        alpha=job.alpha,
        soften=job.soften or None,
        levels=None if job.levels == "as-is" else job.levels,
        working_space=None if job.working_space == "encoded" else job.working_space,
        align=None if job.align is None else job.align["transform"],
        **made.options,
    )


def keep_ranking(folder: Path, ranking: Path) -> tuple[Path, Record]:
    """Put a judge's answers into the record of a series.

    Parameters
    ----------
    folder : Path
        Of the series.
    ranking : Path
        What the page of its report gave the judge.

    Returns
    -------
    tuple of Path and Record
        Where the record is, and what it says now.

    Raises
    ------
    UnreadableError
        There is no record, or no ranking, or one is damaged.
    MismatchError
        The ranking is of other pictures.
    OutputError
        The record cannot be written.
    """
    paths = [folder / name for name in RECORDS.values() if (folder / name).is_file()]
    if not paths:
        names = " or ".join(RECORDS.values())
        raise UnreadableError(
            f"{folder}: holds no {names}; name the folder that compare or sweep wrote"
        )
    records = [(path, read_record(path)) for path in paths]
    digest = read_ranking(ranking)["sha256_of_pixels"]
    own = [item for item in records if item[1].output.get("sha256_of_pixels") == digest]
    path, record = (own or records)[0]
    record = with_ranking(record, ranking)
    return write_record(record, path), record
