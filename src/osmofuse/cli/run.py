"""Running a job from the command line: from options or a record (``--from``) to its output."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, fields, replace
from pathlib import Path
from typing import Any

import click

from osmofuse.cli import options
from osmofuse.cli.options import Function
from osmofuse.cli.output import (
    NOT_AS_ASKED,
    file_data,
    file_lines,
    print_json,
    print_note,
    print_text,
    progress_line,
)
from osmofuse.cli.types import FILE
from osmofuse.errors import SettingError
from osmofuse.jobs import (
    FileJob,
    Need,
    PictureJob,
    Result,
    compare_with_record,
    job_of_record,
    job_with_recipe,
)
from osmofuse.jobs.job import R_co, required_fields
from osmofuse.jobs.need import in_bytes, memory_of_machine
from osmofuse.record import Record, output_path, read_record
from osmofuse.tasks import recipe

from_record = click.option(
    "--from",
    "record",
    type=FILE,
    metavar="RECORD",
    help="Repeat the work that this record describes.",
)
# Options that may be combined with --from in every command.
_ALWAYS = ("output", "overwrite", "max_memory", "report", "record", "as_json", "dry_run", "quiet")


def job_options(function: Function) -> Function:
    """Add the options of all jobs to a command: --report, --overwrite, --from, --json and so on."""
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
    """Return the job of a command, and with --from the record that it repeats.

    Arguments and options in `given` have the names of the job's fields; `outputs` are the fields of
    further outputs.
    """
    parts = {one.name: given[one.name] for one in fields(kind) if one.name in given}
    if given["record"] is not None:
        return repeated_job(ctx, given, kind, inputs=parts, outputs=outputs)
    options.check_arguments(ctx, given, *(name for name in required_fields(kind) if name in given))
    if given.get("recipe") is not None:
        parts = options.given_or_recipe(given, [name for name in parts if name != "recipe"])
        return job_with_recipe(recipe(given["recipe"]), kind, **parts), None
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

    `inputs` are new paths of moved files by field of the job, None or empty if not given. Any
    other option but those of outputs raises a UsageError.
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
        if isinstance(one, click.Option)
        and one.name not in kept
        and options.is_given(str(one.name))
    ]
    if asked:
        raise click.UsageError(
            f"--from repeats a record as it is; leave out {', '.join(asked)}.", ctx
        )
    parts = {name: given[name] for name in (*outputs, "overwrite", "max_memory", "report")}
    return job_of_record(given["record"], given["output"], **parts, **moved), old


def moved_maps(alpha: Any) -> Any:
    """Return the new paths of moved maps: the value of --alpha if it names files, else None."""
    maps = alpha if isinstance(alpha, list | tuple) else [alpha]
    return alpha if any(isinstance(one, Path) for one in maps) else None


def repetition_lines(result: Result) -> Iterator[str]:
    """Yield the lines on a repetition; nothing if the job was not repeated."""
    found = result.repetition
    if found is None:
        return
    scored = result.record is not None and "scores" in result.record.result
    same = "those of the record, bit for bit" if found.identical else "NOT the record’s"
    yield f"The {'scores' if scored else 'pixels'} are {same}."
    for line in found.differences:
        yield f"  {line}"


def print_need(job: FileJob[Any], output: Path | None, needed: Need, *, as_json: bool) -> None:
    """Print the memory and time that a job would need."""
    there = memory_of_machine()
    if as_json:
        files = {role: str(file.path) for role, file in needed.files.items()}
        need = {"bytes": needed.bytes, "seconds": needed.seconds, "files": files}
        click.echo(json.dumps({"need": need, "machine": {"bytes": there}}))
        return
    fits = "" if there is None else f" of the {in_bytes(there)} that this machine has"
    work = job.work if output is None else f"{output}:"
    print_text(
        f"{work} would need about {in_bytes(needed.bytes)} of memory{fits}, and "
        f"{needed.seconds:.0f} s; nothing was written."
    )


def do_job(
    job: FileJob[R_co], title: str, given: Mapping[str, Any], *, old: Record | None = None
) -> R_co | None:
    """Run a job and return its result; with ``--dry-run`` print its need and return None.

    `old` is the record that ``--from`` repeats.
    """
    needed = job.check()
    if given["dry_run"]:
        print_need(job, given["output"], needed, as_json=given["as_json"])
        return None
    with progress_line(title, needed.seconds) as watch:
        result = job.run(watch, need=needed)
    if old is None or result.record is None:
        return result
    earlier = output_path(Path(given["record"]))
    return replace(result, repetition=compare_with_record(old, result, earlier))


def print_result(
    ctx: click.Context,
    result: Result,
    given: Mapping[str, Any],
    words: Iterable[str],
    *,
    data: Mapping[str, Any] | None = None,
    hints: Iterable[str] = (),
    warnings: Iterable[str] = (),
) -> None:
    """Print the result of a job; exit with 5 if there are warnings.

    `words` are printed before the list of files; `data` are entries of ``--json`` in addition to
    those of every job; `hints` are advice for a better result.
    """
    for line in (*result.notes, *hints):
        print_note(f"Note: {line}")
    if given["as_json"]:
        print_json(_data(result) | dict(data or {}))
    elif lines := [*words, *file_lines(result.files), *repetition_lines(result)]:
        print_text("\n".join(lines))
    exit_with_warnings(ctx, result, given, warnings)


def do_picture_job(
    ctx: click.Context, given: Mapping[str, Any], kind: type[PictureJob], title: str, words: str
) -> None:
    """Run a job that makes one picture, and print its result; exit with 5 if it did not converge.

    `title` names the work while it runs; `words` are printed when it is done.
    """
    job, old = job_of(ctx, given, kind)
    result = do_job(job, title, given, old=old)
    if result is None:
        return
    failed = [] if result.status.is_success else [f"the solver did not converge ({result.status})"]
    print_result(ctx, result, given, [words], warnings=failed)


def exit_with_warnings(
    ctx: click.Context, result: Result, given: Mapping[str, Any], warnings: Iterable[str] = ()
) -> None:
    """Print warnings, also on an inexact repetition; exit with 5 if there are any."""
    failures = [*warnings]
    if result.repetition is not None and not result.repetition.identical:
        failures.append(f"{given['record']} is not repeated exactly; see above")
    for line in failures:
        click.echo(f"osmofuse: {line}", err=True)
    if failures:
        ctx.exit(NOT_AS_ASKED)


def _data(result: Result) -> dict[str, Any]:
    """Return the entries of ``--json`` for every job."""
    data: dict[str, Any] = {
        "status": str(result.status),
        "files": file_data(result.files),
        "notes": list(result.notes),
        "record": None if result.record is None else result.record.as_json(),
    }
    return data | ({} if result.repetition is None else {"repeat": asdict(result.repetition)})
