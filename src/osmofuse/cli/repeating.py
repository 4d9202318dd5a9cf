"""The job that a command describes, by its options or by a record (``--from``)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any

import click

from osmofuse.cli import options
from osmofuse.cli.options import Function
from osmofuse.cli.types import FILE
from osmofuse.errors import SettingError
from osmofuse.jobs import FileJob, Result, job_of_record
from osmofuse.jobs.job import required_fields
from osmofuse.record import Record, read_record

from_record = click.option(
    "--from",
    "record",
    type=FILE,
    metavar="RECORD",
    help="Repeat the work that this record describes.",
)
# Options of all commands that say how much is allowed, and what is said.
_ALWAYS = ("output", "overwrite", "max_memory", "report", "record", "as_json", "dry_run", "quiet")


def job_options(function: Function) -> Function:
    """Give a command the options of all jobs: --report, --overwrite, --from, --json and so on."""
    return options.decorated(
        function,
        [
            from_record,
            options.report,
            options.overwrite,
            options.as_json,
            options.dry_run,
            options.max_memory,
        ],
    )


def job_of(
    ctx: click.Context,
    given: Mapping[str, Any],
    kind: type[FileJob[Any]],
    *,
    outputs: tuple[str, ...] = (),
) -> tuple[FileJob[Any], Record | None]:
    """Return the job that a command describes; with --from also the record that it repeats.

    Parameters
    ----------
    ctx, given
        The command, and what it was given: arguments and options named like fields of the job.
    kind : type
        The job that the command does.
    outputs : tuple of str
        Fields of outputs beside ``output``.

    Raises
    ------
    click.UsageError
        An argument is missing; or something is given that --from has from the record.
    SettingError
        The record is that of another job.
    """
    parts = {one.name: given[one.name] for one in fields(kind) if one.name in given}
    if given["record"] is not None:
        return repeated_job(ctx, given, kind, inputs=parts, outputs=outputs)
    options.check_arguments(ctx, given, *(name for name in required_fields(kind) if name in given))
    return kind(**parts), None


def repeated_job(
    ctx: click.Context,
    given: Mapping[str, Any],
    kind: type[FileJob[Any]],
    *,
    inputs: Mapping[str, Any],
    outputs: tuple[str, ...] = (),
) -> tuple[FileJob[Any], Record]:
    """Return the job of the record that ``--from`` names, and the record.

    Parameters
    ----------
    ctx, given
        The command, and what it was given.
    kind : type
        The job that the command does.
    inputs : mapping
        Files that may have moved, by the fields of the job; None or empty if they are not given.
    outputs : tuple of str
        Fields of further outputs.

    Raises
    ------
    click.UsageError
        Something else is given, too.
    SettingError
        The record is that of another job.
    """
    old = read_record(given["record"])
    if old.job != kind.kind:
        raise SettingError(
            f"{given['record']}: the record of 'osmofuse {old.job}'; repeat it with osmofuse "
            f"{old.job} --from {given['record']}"
        )
    there = {kind.field_of(one.role) for one in old.inputs}
    moved = {name: path for name, path in inputs.items() if path and name in there}
    kept = {*_ALWAYS, *outputs, *moved}
    asked = [
        one.opts[-1]
        for one in ctx.command.params
        if isinstance(one, click.Option) and one.name not in kept and _is_given(one)
    ]
    if asked:
        raise click.UsageError(
            f"--from repeats a record as it is; leave out {', '.join(asked)}.", ctx
        )
    parts = {name: given[name] for name in (*outputs, "overwrite", "max_memory", "report")}
    return job_of_record(given["record"], given["output"], **parts, **moved), old


def moved_maps(alpha: Any) -> Any:
    """Return what --alpha gives in place of maps that have moved; None if it names no file."""
    maps = alpha if isinstance(alpha, list | tuple) else [alpha]
    return alpha if any(isinstance(one, Path) for one in maps) else None


def _is_given(one: click.Option) -> bool:
    return options.is_given(str(one.name))


def repetition_lines(result: Result) -> Iterator[str]:
    """Yield what is said of a repetition; nothing of what is none."""
    found = result.repetition
    if found is None:
        return
    scored = result.record is not None and "scores" in result.record.result
    same = "those of the record, bit for bit" if found.identical else "NOT the record’s"
    yield f"The {'scores' if scored else 'pixels'} are {same}."
    for line in found.differences:
        yield f"  {line}"
