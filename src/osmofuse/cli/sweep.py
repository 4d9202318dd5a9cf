"""``osmofuse sweep``: one pair with many settings, and a sheet of what they do."""

from __future__ import annotations

import math
from typing import Any

import click

from osmofuse.cli import options
from osmofuse.cli.options import NamesType
from osmofuse.cli.series import ending_options, rank, series_job, series_options, tell_series
from osmofuse.jobs import SweepJob
from osmofuse.tasks.sweep import STUDY

_STARTS = ("foreground", "composite", "means")


class _Numbers(click.ParamType):  # type: ignore[type-arg]
    """Numbers with commas between; perhaps the word "rule", which is None."""

    name = "number,number…"

    def __init__(self, *, rule: bool = False) -> None:
        self.rule = rule

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[float | None, ...]:
        parts = [part.strip() for part in str(value).split(",")]
        try:
            return tuple(None if self.rule and p == "rule" else _number(p) for p in parts)
        except ValueError:
            self.fail(f"{value!r} is no list of numbers like 0.1,0.5", param, ctx)


def _number(text: str) -> float:
    value = float(text)
    if math.isnan(value):
        raise ValueError(text)
    return value


@click.command("sweep")
@series_options
@click.option(
    "--eta", type=_Numbers(), default="0,0.1,0.5", show_default=True, help="η: smoothing."
)
@click.option("--mu", type=_Numbers(), default="10,100", show_default=True, help="μ: structure.")
@click.option(
    "--gamma", type=_Numbers(), default="0,1", show_default=True, help="γ: the foreground's hold."
)
@click.option(
    "--start",
    type=NamesType(_STARTS),
    default=",".join(_STARTS),
    show_default=True,
    metavar="NAME,NAME…",
    help="Where the picture starts.",
)
@click.option(
    "--reach",
    type=_Numbers(rule=True),
    default="10",
    show_default=True,
    help='How far all go, in pixels; "rule" lets the paper\'s rule end each.',
)
@options.truth
@options.metrics("")
@ending_options
@click.pass_context
def command(ctx: click.Context, /, **given: Any) -> None:
    """Fuse FOREGROUND and BACKGROUND with every combination of some settings.

    Into the folder go a sheet of all pictures, which reads like the paper's figure of its
    weights, a table, and the record.

    \b
    osmofuse sweep visible.tif infrared.tif --alpha map.png -o study
    osmofuse sweep visible.tif infrared.tif --eta 0.05,0.1,0.2 --mu 100 --start foreground -o study

    It ends with 0, and otherwise as `osmofuse fuse` does; with 5 if any fusion did not converge.
    """  # noqa: D301 (a real backspace keeps the lines of the examples apart)
    if given["rank"] is not None:
        rank(ctx, given)
        return
    settings = {name: given[name] for name in STUDY}
    job, old = series_job(ctx, given, SweepJob, {"settings": settings})
    tell_series(ctx, job, "Sweeping", given, old)
