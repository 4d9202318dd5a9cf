"""``osmofuse score``: metrics of a fused picture, with what each number means."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click
from rich import box
from rich.console import Console
from rich.table import Table

from osmofuse.cli import options
from osmofuse.cli.alpha import AlphaType
from osmofuse.cli.doing import do_job, end
from osmofuse.cli.options import FILE
from osmofuse.cli.repeating import from_record, repeated_job, repetition_lines
from osmofuse.cli.told import file_lines
from osmofuse.cli.voice import is_quiet, note, say
from osmofuse.jobs import FileJob, ScoreJob, ScoreResult
from osmofuse.metrics import Description, Score, describe
from osmofuse.record import Record, plain

_PLAIN_WIDTH = 120  # of a table that goes into a file


@click.command("score")
@click.argument("fused", type=FILE, required=False, metavar="FUSED")
@click.argument("foreground", type=FILE, required=False, metavar="FOREGROUND")
@click.argument("background", type=FILE, required=False, metavar="BACKGROUND")
@options.output("Also write the scores, as a record.", required=False)
@click.option(
    "--alpha",
    type=AlphaType(),
    help="What it was fused with: a number, or a picture of a map. Without it, metrics that need "
    "it have no value.",
)
@options.invert
@options.truth
@options.page
@options.metrics("paper")
@click.option(
    "--bits",
    type=click.Choice(["8", "16", "none"]),
    default="8",
    show_default=True,
    help="Round all pictures to so many bits first, as published numbers are; or take them as "
    "they are.",
)
@options.report
@options.overwrite
@from_record
@options.max_memory
@options.dry_run
@options.as_json
@click.option("--list", "listed", is_flag=True, help="Only tell what each metric is.")
@click.pass_context
def command(ctx: click.Context, /, listed: bool, **given: Any) -> None:
    """Score FUSED, which was made from FOREGROUND and BACKGROUND.

    The pictures are of one size. A source of one band goes with every channel. Where a metric
    has no value, its row says why.

    \b
    osmofuse score fused.tif visible.tif infrared.tif --alpha map.png
    osmofuse score fused.tif visible.tif infrared.tif --metrics vifb --json
    osmofuse score --list

    It ends with 0, also if values are missing; 2 for wrong usage, 3 for a file that cannot be
    read, 4 for pictures that do not fit together.
    """  # noqa: D301 (a real backspace keeps the lines of the examples apart)
    if listed:
        known = describe()
        _print([plain(asdict(one)) for one in known] if given["as_json"] else _list_table(known))
        return
    job, old = _job(ctx, given)
    result: ScoreResult | None = do_job(job, "Scoring", given, old=old)
    if result is None:
        return
    for words in result.notes:
        note(f"Note: {words}")
    if given["as_json"]:
        _print({name: plain(asdict(one)) for name, one in result.scores.items()})
    else:
        _print(_score_table(result.scores))
        lines = [*file_lines(result.files), *repetition_lines(result)]
        if lines:
            say("\n".join(lines))
    end(ctx, result, given)


def _job(ctx: click.Context, given: Mapping[str, Any]) -> tuple[FileJob[Any], Record | None]:
    """Return the job that arguments and options describe, or a record, which is returned too."""
    inputs = {name: given[name] for name in ("fused", "foreground", "background", "truth")}
    if given["record"] is not None:
        alpha = given["alpha"] if isinstance(given["alpha"], Path) else None
        return repeated_job(ctx, given, ScoreJob, inputs=inputs | {"alpha": alpha})
    options.check_arguments(ctx, given, "fused", "foreground", "background")
    options.check_inversion(ctx, given)
    bits = None if given["bits"] == "none" else int(given["bits"])
    parts = {name: given[name] for name in ("alpha", "invert", "metrics", "page", *options.COMMON)}
    return ScoreJob(**inputs, **parts, bits=bits), None


def _print(result: Any) -> None:
    """Print data as JSON, or a table as wide as the terminal."""
    if not isinstance(result, Table):
        click.echo(json.dumps(result, ensure_ascii=False))
        return
    if is_quiet():
        return
    console = Console()
    if not console.is_terminal:
        console = Console(width=_PLAIN_WIDTH)
    console.print(result)


def _score_table(scores: Mapping[str, Score]) -> Table:
    table = Table(box=box.SIMPLE_HEAD)
    for head in ("metric", "value", "better", "range"):
        table.add_column(head, justify="right" if head == "value" else "left", no_wrap=True)
    if any(one.reason for one in scores.values()):
        table.add_column("why there is no value")
    for name, one in scores.items():
        value = "–" if one.value is None else _number(one.value)
        reason = () if one.reason is None else (one.reason,)
        table.add_row(name, value, one.better or "–", _interval(one.range), *reason)
    return table


def _list_table(known: list[Description]) -> Table:
    table = Table(box=box.SIMPLE_HEAD)
    for head in ("metric", "definition", "range", "better", "channels", "source", "check"):
        table.add_column(head, no_wrap=head in ("metric", "better"))
    for one in known:
        words = (one.channels, one.source, one.check)
        table.add_row(one.name, one.definition, _interval(one.range), one.better or "–", *words)
    return table


def _interval(range_: tuple[float, float]) -> str:
    return " to ".join(_number(end) for end in range_)


def _number(value: float) -> str:
    return f"{value:.5g}".replace("inf", "∞")
