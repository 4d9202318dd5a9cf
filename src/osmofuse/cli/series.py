"""Options and output of the commands that fuse one pair of files many times, into a folder."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from functools import reduce
from pathlib import Path
from typing import Any

import click

from osmofuse.cli import options
from osmofuse.cli.doing import do_job, tell
from osmofuse.cli.endings import unfinished
from osmofuse.cli.options import FILE, Function
from osmofuse.cli.repeating import from_record, repeated_job
from osmofuse.cli.voice import say
from osmofuse.jobs import FileJob, SeriesResult, keep_ranking
from osmofuse.jobs.files import sized
from osmofuse.jobs.series import SeriesJob
from osmofuse.record import Record
from osmofuse.report import tally

_PREPARING = ("page", "alpha", "invert", "soften", "levels", "working_space", "align", "metrics")


def series_options(function: Function) -> Function:
    """Give a command the arguments and options that say which pair is fused, and where to."""
    parts: list[Callable[[Any], Any]] = [
        click.argument("foreground", type=FILE, required=False, metavar="FOREGROUND"),
        click.argument("background", type=FILE, required=False, metavar="BACKGROUND"),
        options.output("A folder for what is written."),
        options.page,
        options.alpha,
        options.invert,
        options.soften,
        options.levels,
        options.working_space,
        options.align,
    ]
    return _decorated(function, parts)


def ending_options(function: Function) -> Function:
    """Give a command the options that say what else is written, and what is said."""
    ranking = click.option(
        "--rank",
        type=FILE,
        help="Fuse nothing, but put the answers that the report's blind comparison gave as a file "
        "into the record in the folder, and print all judges' points.",
    )
    parts: list[Callable[[Any], Any]] = [
        options.report,
        ranking,
        options.overwrite,
        from_record,
        options.max_memory,
        options.dry_run,
        options.as_json,
    ]
    return _decorated(function, parts)


def _decorated(function: Function, parts: list[Callable[[Any], Any]]) -> Function:
    # The last decorator of a list stands next to the function.
    result: Function = reduce(lambda made, part: part(made), reversed(parts), function)
    return result


def series_job(
    ctx: click.Context,
    given: Mapping[str, Any],
    kind: type[SeriesJob],
    choices: Mapping[str, Any],
) -> tuple[FileJob[Any], Record | None]:
    """Return the job that options describe, or a record, which is returned too.

    Parameters
    ----------
    ctx, given
        The command, and what it was given.
    kind : type
        What job it is.
    choices : mapping
        Parts that only this kind has.
    """
    inputs = {name: given[name] for name in ("foreground", "truth")}
    inputs["backgrounds"] = () if given["background"] is None else (given["background"],)
    if given["record"] is not None:
        alpha = given["alpha"] if isinstance(given["alpha"], Path) else None
        return repeated_job(ctx, given, kind, inputs=inputs | {"alpha": alpha})
    options.check_arguments(ctx, given, "foreground", "background")
    options.check_inversion(ctx, given)
    parts = {name: given[name] for name in (*_PREPARING, *options.COMMON)} | inputs
    parts |= {name: value for name, value in choices.items() if name != "settings"}
    sized_parts = sized(parts)
    sized_parts.pop("settings", None)
    return kind(**sized_parts, settings=choices.get("settings", {})), None


def tell_series(
    ctx: click.Context, job: FileJob[Any], title: str, given: Mapping[str, Any], old: Record | None
) -> None:
    """Do a series, and print what came of it."""
    result: SeriesResult | None = do_job(job, title, given, old=old)
    if result is None:
        return
    failed = [unfinished(one.name, one.fusion.status) for one in result.unfinished if one.fusion]
    hints = options.hints() if old is None else ()
    tell(ctx, result, given, [result.table, ""], hints=hints, warnings=failed)


def rank(ctx: click.Context, given: Mapping[str, Any]) -> None:
    """Put a judge's answers into the record of a folder, and print the points."""
    if given["foreground"] is not None or given["report"] is not None or given["dry_run"]:
        raise click.UsageError(
            "--rank fuses nothing; leave out the pictures, --report and --dry-run.", ctx
        )
    path, record = keep_ranking(given["output"], given["rank"])
    points, judges = tally(record), [str(one["by"]) or "somebody" for one in record.ranking]
    if given["as_json"]:
        told = {"record": str(path), "judges": judges, "points": points}
        click.echo(json.dumps(told, ensure_ascii=False))
        return
    width = max(map(len, points), default=0)
    lines = [f"  {name:<{width}} {count:g}" for name, count in points.items()]
    say("\n".join([f"Points, as judged by {', '.join(judges)}:", *lines, f"Kept in {path}"]))
