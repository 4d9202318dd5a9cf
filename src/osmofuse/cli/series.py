"""Options and output of the commands that fuse one pair of files many times, into a folder."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

import click

from osmofuse.cli import options
from osmofuse.cli.options import Function, decorated
from osmofuse.cli.output import print_text, table_width, unfinished
from osmofuse.cli.run import do_job, job_options, moved_maps, print_result, repeated_job
from osmofuse.cli.types import FILE
from osmofuse.jobs import FileJob, SeriesResult, job_with_recipe, keep_ranking
from osmofuse.jobs.series import SeriesJob
from osmofuse.record import Record
from osmofuse.report import tally
from osmofuse.report.terminal_table import fitted
from osmofuse.tasks import Recipe, recipe

_PREPARING = (
    "page", "alpha", "invert", "soften", "levels", "working_space", "align", "depth",
)  # fmt: skip


def series_options(function: Function) -> Function:
    """Give a command the arguments and options of the pair and its preparation."""
    return decorated(
        function,
        [
            click.argument("foreground", type=FILE, required=False, metavar="FOREGROUND"),
            click.argument("background", type=FILE, required=False, metavar="BACKGROUND"),
            options.page,
            options.align,
            options.levels,
            options.working_space,
            options.truth,
            options.invert,
            options.soften,
            options.recipe,
        ],
    )


def ending_options(function: Function) -> Function:
    """Give a command the options of output and printing."""
    ranking = click.option(
        "--rank",
        type=FILE,
        metavar="FILE",
        help="Fuse nothing; add a judge's answers, saved by the report's page, to the record in "
        "the folder, and print all points.",
    )
    return decorated(
        function,
        [
            options.output("Write into this folder."),
            options.depth,
            ranking,
            job_options,
        ],
    )


def run_series(
    ctx: click.Context,
    kind: type[SeriesJob],
    title: str,
    given: Mapping[str, Any],
    own: Callable[[Mapping[str, Any], Recipe | None], dict[str, Any]],
) -> None:
    """Run a new series, repeat one, or record a judge's answers.

    Parameters
    ----------
    ctx, given
        Context and options of the command.
    kind : type
        Class of the job.
    title : str
        Words of the progress line.
    own : callable
        Takes the options and the recipe or None; returns the parts that only this kind has.
    """
    if given["rank"] is not None:
        _rank(ctx, given)
        return
    old, chosen = None, recipe(given["recipe"]) if given["recipe"] else None
    if given["record"] is not None:
        job, old = _repeated_series(ctx, given, kind)
    else:
        job = _series_job(ctx, given, kind, chosen, own(given, chosen))
    _run_and_print(ctx, job, title, given, old)


def _series_job(
    ctx: click.Context,
    given: Mapping[str, Any],
    kind: type[SeriesJob],
    chosen: Recipe | None,
    own: Mapping[str, Any],
) -> FileJob[Any]:
    """Return the job of the options; a recipe gives what they do not."""
    options.check_arguments(ctx, given, "foreground", "background")
    options.check_inversion(ctx, given)
    parts = options.given_or_recipe(given, _PREPARING)
    parts |= {name: given[name] for name in ("foreground", "truth", "metrics", *options.COMMON)}
    parts |= {"backgrounds": (given["background"],), **own}
    if chosen is not None:
        return job_with_recipe(chosen, kind=kind, **parts)
    return kind(**parts)


def _repeated_series(
    ctx: click.Context, given: Mapping[str, Any], kind: type[SeriesJob]
) -> tuple[FileJob[Any], Record]:
    """Return the job of the record that ``--from`` names, and the record."""
    inputs = {name: given[name] for name in ("foreground", "truth")}
    inputs["backgrounds"] = () if given["background"] is None else (given["background"],)
    inputs["alpha"] = moved_maps(given["alpha"])
    return repeated_job(ctx, given, kind, inputs=inputs)


def _run_and_print(
    ctx: click.Context, job: FileJob[Any], title: str, given: Mapping[str, Any], old: Record | None
) -> None:
    """Run a series and print the result."""
    result: SeriesResult | None = do_job(job, title, given, old=old)
    if result is None:
        return
    failed = [unfinished(one.name, one.fusion.status) for one in result.unfinished if one.fusion]
    hints = options.hints() if old is None and given["recipe"] is None else ()
    table = "" if result.cells is None else fitted(result.cells, table_width())
    print_result(ctx, result, given, [table, ""], hints=hints, warnings=failed)


def _rank(ctx: click.Context, given: Mapping[str, Any]) -> None:
    """Add a judge's answers to the record in a folder, and print the points."""
    if given["foreground"] is not None or given["report"] is not None or given["dry_run"]:
        raise click.UsageError(
            "--rank fuses nothing; leave out the pictures, --report and --dry-run.", ctx
        )
    path, record = keep_ranking(given["output"], given["rank"])
    points, judges = tally(record), [str(one["by"]) or "somebody" for one in record.ranking]
    if given["as_json"]:
        data = {"record": str(path), "judges": judges, "points": points}
        click.echo(json.dumps(data, ensure_ascii=False))
        return
    width = max(map(len, points), default=0)
    lines = [f"  {name:<{width}} {count:g}" for name, count in points.items()]
    print_text("\n".join([f"Points, as judged by {', '.join(judges)}:", *lines, f"Kept in {path}"]))
