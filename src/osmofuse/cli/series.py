"""Options and output of the commands that fuse one pair of files many times, into a folder."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from functools import reduce
from typing import Any

import click

from osmofuse.cli import options
from osmofuse.cli.endings import NOT_AS_ASKED, unfinished
from osmofuse.cli.options import FILE, Function
from osmofuse.cli.told import file_data, file_lines
from osmofuse.cli.voice import note, say
from osmofuse.jobs import Job, keep_ranking
from osmofuse.jobs.reading import sized
from osmofuse.jobs.series import Series
from osmofuse.jobs.series_check import SHEET
from osmofuse.report import tally

_INPUTS = (
    "foreground", "page", "alpha", "soften", "levels", "working_space", "align",
    "overwrite", "max_memory",
)  # fmt: skip


def series_options(function: Function) -> Function:
    """Give a command the arguments and options that say which pair is fused, and where to."""
    parts: list[Callable[[Any], Any]] = [
        click.argument("foreground", type=FILE, required=False, metavar="FOREGROUND"),
        click.argument("background", type=FILE, required=False, metavar="BACKGROUND"),
        options.output("A folder for what is written."),
        options.page,
        options.alpha,
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
        options.max_memory,
        options.dry_run,
        options.as_json,
    ]
    return _decorated(function, parts)


def _decorated(function: Function, parts: list[Callable[[Any], Any]]) -> Function:
    # The last decorator of a list stands next to the function.
    result: Function = reduce(lambda made, part: part(made), reversed(parts), function)
    return result


def series_job(ctx: click.Context, given: Mapping[str, Any]) -> Job:
    """Return the job that the options of `series_options` describe."""
    options.check_pair(ctx, given)
    parts = {name: given[name] for name in _INPUTS}
    parts |= {"output": given["output"] / SHEET, "backgrounds": (given["background"],)}
    return Job(**sized(parts))


def tell(ctx: click.Context, made: Series, given: Mapping[str, Any]) -> None:
    """Print what came of a series."""
    for words in (*made.notes, *options.hints()):
        note(f"Note: {words}")
    if given["as_json"]:
        told = {
            "files": file_data(made.files),
            "notes": list(made.notes),
            "record": made.record.as_json(),
        }
        click.echo(json.dumps(told, ensure_ascii=False))
    else:
        say("\n".join([made.table, "", *file_lines(made.files)]))
    for one in made.unfinished:
        assert one.fusion is not None, "it ended somehow"
        click.echo(f"osmofuse: {unfinished(one.name, one.fusion.status)}", err=True)
    if made.unfinished:
        ctx.exit(NOT_AS_ASKED)


def rank(ctx: click.Context, given: Mapping[str, Any]) -> None:
    """Put a judge's answers into the record of a folder, and print the points."""
    if given["foreground"] is not None or given["folder"] is not None or given["dry_run"]:
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
