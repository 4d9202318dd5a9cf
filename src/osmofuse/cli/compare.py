"""``osmofuse compare``: several methods on one pair, with their scores, times and sheets."""

from __future__ import annotations

from typing import Any

import click

from osmofuse.cli import options
from osmofuse.cli.box import BoxType
from osmofuse.cli.options import NamesType
from osmofuse.cli.series import ending_options, rank, series_job, series_options, tell_series
from osmofuse.jobs import CompareJob
from osmofuse.methods import method_names


@click.command("compare")
@series_options
@click.option(
    "--methods",
    type=NamesType(method_names()),
    metavar="NAME,NAME…",
    help=f"Which to compare, of {', '.join(method_names())}.  [default: all of osmofuse's own]",
)
@click.option(
    "--paper",
    is_flag=True,
    help="The methods, settings and maps of the paper's Table I, its values beside ours; --alpha "
    "is the map as it was drawn.",
)
@options.truth
@options.metrics("paper")
@click.option("--zoom", type=BoxType(), help="The part that the second sheet shows.")
@ending_options
@click.pass_context
def command(ctx: click.Context, /, **given: Any) -> None:
    """Fuse FOREGROUND and BACKGROUND by several methods, and score what they made.

    Into the folder go each method's picture, a contact sheet with times, a sheet with a part of
    each picture and its chromaticity error, the table in Markdown and LaTeX, and the record.

    \b
    osmofuse compare visible.tif infrared.tif --alpha map.png -o compared
    osmofuse compare visible.tif infrared.tif --methods poisson,variational -o compared
    osmofuse compare face.png other.png --alpha drawn.png --paper -o table-one
    osmofuse compare --rank ranking.json -o compared

    It ends with 0, and otherwise as `osmofuse fuse` does; with 5 if any method did not converge.
    """  # noqa: D301 (a real backspace keeps the lines of the examples apart)
    if given["rank"] is not None:
        rank(ctx, given)
        return
    chosen = {name: given[name] for name in ("methods", "paper", "zoom")}
    job, old = series_job(ctx, given, CompareJob, chosen)
    tell_series(ctx, job, "Comparing", given, old)
