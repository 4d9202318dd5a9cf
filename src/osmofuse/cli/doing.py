"""Running a job from the command line: check, run, print the result."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import click

from osmofuse.cli.endings import NOT_AS_ASKED
from osmofuse.cli.needs import tell_need
from osmofuse.cli.progress import progress_line
from osmofuse.cli.repeating import repetition_lines
from osmofuse.cli.told import file_data, file_lines
from osmofuse.cli.voice import note, say
from osmofuse.jobs import FileJob, Result, compare_with_record
from osmofuse.jobs.job import R_co
from osmofuse.record import Record, output_path


def do_job(
    job: FileJob[R_co], title: str, given: Mapping[str, Any], *, old: Record | None = None
) -> R_co | None:
    """Do a job, or with ``--dry-run`` only say what it would need.

    Parameters
    ----------
    job : FileJob
        What to do.
    title : str
        What the progress line says.
    given : mapping
        Options of the command: ``dry_run``, ``as_json``, ``record``.
    old : Record, optional
        What ``--from`` repeats.

    Returns
    -------
    Result or None
        None after a dry run.
    """
    needed = job.check()
    if given["dry_run"]:
        tell_need(job, given["output"], needed, as_json=given["as_json"])
        return None
    with progress_line(title, needed.seconds) as watch:
        result = job.run(watch, need=needed)
    if old is None or result.record is None:
        return result
    earlier = output_path(Path(given["record"]))
    return replace(result, repetition=compare_with_record(old, result, earlier))


def tell(
    ctx: click.Context,
    result: Result,
    given: Mapping[str, Any],
    words: Iterable[str],
    *,
    data: Mapping[str, Any] | None = None,
    hints: Iterable[str] = (),
    warnings: Iterable[str] = (),
) -> None:
    """Print the result of a job; the command ends with 5 if it is not what was asked for.

    Parameters
    ----------
    ctx, given
        The command, and what it was given.
    result : Result
        What came of it.
    words : iterable of str
        What is said of it first.
    data : mapping, optional
        What ``--json`` prints beside what it prints of every job.
    hints : iterable of str
        What may make the next result better.
    warnings : iterable of str
        What is not as it was asked for.
    """
    for line in (*result.notes, *hints):
        note(f"Note: {line}")
    if given["as_json"]:
        click.echo(json.dumps(_data(result) | dict(data or {}), ensure_ascii=False))
    elif lines := [*words, *file_lines(result.files), *repetition_lines(result)]:
        say("\n".join(lines))
    end(ctx, result, given, warnings)


def end(
    ctx: click.Context, result: Result, given: Mapping[str, Any], warnings: Iterable[str] = ()
) -> None:
    """Print what is not as it was asked for, and end with 5 if anything is not."""
    failures = [*warnings]
    if result.repetition is not None and not result.repetition.identical:
        failures.append(f"{given['record']} is not repeated exactly; see above")
    for line in failures:
        click.echo(f"osmofuse: {line}", err=True)
    if failures:
        ctx.exit(NOT_AS_ASKED)


def _data(result: Result) -> dict[str, Any]:
    """Return what ``--json`` prints of every job."""
    told: dict[str, Any] = {
        "status": str(result.status),
        "files": file_data(result.files),
        "notes": list(result.notes),
        "record": None if result.record is None else result.record.as_json(),
    }
    return told | ({} if result.repetition is None else {"repeat": asdict(result.repetition)})
