"""``osmofuse score``: metrics of a fused picture, with their ranges."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

import click
from rich import box
from rich.table import Table

from osmofuse.cli import options
from osmofuse.cli.metrics import interval, metric_number
from osmofuse.cli.options import GroupedCommand
from osmofuse.cli.output import file_lines, print_json, print_note, print_table, print_text
from osmofuse.cli.run import (
    do_job,
    exit_with_warnings,
    job_options,
    moved_maps,
    repeated_job,
    repetition_lines,
)
from osmofuse.cli.types import FILE, AlphaType
from osmofuse.jobs import FileJob, ScoreJob, ScoreResult
from osmofuse.metrics import Score
from osmofuse.record import Record, plain


@click.command("score", cls=GroupedCommand)
@click.argument("fused", type=FILE, required=False, metavar="FUSED")
@click.argument("foreground", type=FILE, required=False, metavar="FOREGROUND")
@click.argument("background", type=FILE, required=False, metavar="BACKGROUND")
@options.page
@options.truth
@options.ink
@click.option(
    "--alpha",
    type=AlphaType(),
    metavar="NUMBER|FILE",
    help="Number or map that FUSED was made with; some metrics need it.",
)
@options.invert
@options.metrics("paper")
@click.option(
    "--bits",
    type=click.Choice(["8", "16", "none"]),
    default="8",
    show_default=True,
    metavar="8|16|none",
    help="Round all pictures to this many bits first, as for published values.",
)
@options.output("Also write the scores here, as a record.", required=False)
@job_options
@click.pass_context
def command(ctx: click.Context, /, **given: Any) -> None:
    """Score FUSED, which was made from FOREGROUND and BACKGROUND.

    The pictures are of one size. A source of one band goes with every channel. If a metric
    has no value, its row gives the reason.

    \b
    osmofuse score fused.tif visible.tif infrared.tif --alpha map.png
    osmofuse score fused.tif visible.tif infrared.tif --metrics vifb --json
    osmofuse score fused.tif visible.tif infrared.tif --metrics all -o scores.json
    """  # noqa: D301 (a real backspace keeps the lines of the examples apart)
    job, old = _job(ctx, given)
    result: ScoreResult | None = do_job(job, "Scoring", given, old=old)
    if result is None:
        return
    for words in result.notes:
        print_note(f"Note: {words}")
    if given["as_json"]:
        print_json({name: plain(asdict(one)) for name, one in result.scores.items()})
    else:
        print_table(_score_table(result.scores))
        lines = [*file_lines(result.files), *repetition_lines(result)]
        if lines:
            print_text("\n".join(lines))
    exit_with_warnings(ctx, result, given)


def _job(ctx: click.Context, given: Mapping[str, Any]) -> tuple[FileJob[Any], Record | None]:
    """Return the job of the arguments and options, or of a record, and the record."""
    inputs = {name: given[name] for name in ("fused", "foreground", "background", "truth", "ink")}
    if given["record"] is not None:
        inputs["alpha"] = moved_maps(given["alpha"])
        return repeated_job(ctx, given, ScoreJob, inputs=inputs)
    options.check_arguments(ctx, given, "fused", "foreground", "background")
    options.check_inversion(ctx, given)
    bits = None if given["bits"] == "none" else int(given["bits"])
    parts = {name: given[name] for name in ("alpha", "invert", "metrics", "page", *options.COMMON)}
    return ScoreJob(**inputs, **parts, bits=bits), None


def _score_table(scores: Mapping[str, Score]) -> Table:
    table = Table(box=box.SIMPLE_HEAD)
    for head in ("metric", "value", "better", "range"):
        table.add_column(head, justify="right" if head == "value" else "left", no_wrap=True)
    if any(one.reason for one in scores.values()):
        table.add_column("why there is no value")
    for name, one in scores.items():
        value = "–" if one.value is None else metric_number(one.value)
        reason = () if one.reason is None else (one.reason,)
        table.add_row(name, value, one.better or "–", interval(one.range), *reason)
    return table
