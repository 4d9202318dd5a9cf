"""``osmofuse compare``: several methods on one pair, with their scores, times and sheets."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from osmofuse.cli import options
from osmofuse.cli.box import BoxType
from osmofuse.cli.options import NamesType
from osmofuse.cli.progress import progress_line
from osmofuse.cli.series import series_job, series_options, tell
from osmofuse.jobs import compare_files
from osmofuse.methods import METHODS


@click.command("compare")
@series_options
@click.option(
    "--methods",
    type=NamesType(),
    metavar="NAME,NAME…",
    help=f"Which to compare, of {', '.join(METHODS)}.  [default: all]",
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
@options.overwrite
@options.as_json
def command(as_json: bool, output: Path, **given: Any) -> None:
    """Fuse FOREGROUND and BACKGROUND by several methods, and score what they made.

    Into the folder go each method's picture, a contact sheet with times, a sheet with a part of
    each picture and its chromaticity error, and the table in Markdown and LaTeX.

    \b
    osmofuse compare visible.tif infrared.tif --alpha map.png -o compared
    osmofuse compare visible.tif infrared.tif --methods poisson,variational -o compared
    osmofuse compare face.png other.png --alpha drawn.png --paper -o table-one

    It ends with 0, and otherwise as `osmofuse fuse` does.
    """  # noqa: D301 (a real backspace keeps the lines of the examples apart)
    job = series_job(output, given)
    chosen = ("methods", "paper", "truth", "metrics", "zoom")
    with progress_line("Comparing") as watch:
        made = compare_files(job, **{name: given[name] for name in chosen}, watch=watch)
    tell(made, "comparison.json", as_json=as_json)
