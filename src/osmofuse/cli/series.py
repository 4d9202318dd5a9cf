"""Options and output of the commands that fuse one pair of files many times, into a folder."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import click

from osmofuse.cli import options
from osmofuse.cli.options import Function, decorated
from osmofuse.cli.output import print_json, print_text, table_width, unfinished
from osmofuse.cli.run import do_job, job_options, moved_maps, print_result, repeated_job
from osmofuse.cli.types import FILE
from osmofuse.jobs import FileJob, SeriesResult, job_with_recipe, keep_ranking
from osmofuse.jobs.series import SeriesJob
from osmofuse.report import tally
from osmofuse.report.terminal_table import fitted
from osmofuse.tasks import Recipe, recipe

_PREPARING = (
    "page", "alpha", "invert", "soften", "levels", "working_space", "align", "depth",
)  # fmt: skip


def series_options(function: Function) -> Function:
    """Add the arguments and options of the pair and its preparation to a command."""
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
    """Add the options of output and printing to a command."""
    ranking = options.file(
        "Fuse nothing; add a judge's answers, saved by the report's page, to the record in the "
        "folder, and print all points.",
        "--rank",
    )
    folder = options.output("Write into this folder.")
    return decorated(function, [folder, options.depth, ranking, job_options])


def run_series(
    ctx: click.Context,
    kind: type[SeriesJob],
    title: str,
    given: Mapping[str, Any],
    own: Callable[[Mapping[str, Any], Recipe | None], dict[str, Any]],
) -> None:
    """Run a new series and print its result, repeat one, or record a judge's answers.

    `own` takes the options and the recipe or None, and returns the parts that only this kind
    has.
    """
    if given["rank"] is not None:
        _rank(ctx, given)
        return
    old, chosen = None, recipe(given["recipe"]) if given["recipe"] else None
    if given["record"] is not None:
        inputs = {name: given[name] for name in ("foreground", "truth")}
        inputs["backgrounds"] = () if given["background"] is None else (given["background"],)
        inputs["alpha"] = moved_maps(given["alpha"])
        job, old = repeated_job(ctx, given, kind, inputs=inputs)
    else:
        job = _series_job(ctx, given, kind, chosen, own(given, chosen))
    result: SeriesResult | None = do_job(job, title, given, old=old)
    if result is None:
        return
    failed = [unfinished(one.name, one.fusion.status) for one in result.unfinished if one.fusion]
    hints = options.hints() if old is None and given["recipe"] is None else ()
    table = "" if result.cells is None else fitted(result.cells, table_width())
    print_result(ctx, result, given, [table, ""], hints=hints, warnings=failed)


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
        print_json(data)
        return
    width = max(map(len, points), default=0)
    lines = [f"  {name:<{width}} {count:g}" for name, count in points.items()]
    print_text("\n".join([f"Points, as judged by {', '.join(judges)}:", *lines, f"Kept in {path}"]))
