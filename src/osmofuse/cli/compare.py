"""``osmofuse compare``: several methods on one pair, with their scores, times and sheets."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from osmofuse.cli.alpha import AlphaType
from osmofuse.cli.box import BoxType
from osmofuse.cli.progress import progress_line
from osmofuse.jobs import Job
from osmofuse.jobs.job import LEVELS
from osmofuse.jobs.series import SHEET, compare_files
from osmofuse.methods import METHODS
from osmofuse.metrics.catalogue import SETS

_FILE = click.Path(path_type=Path)


@click.command("compare")
@click.argument("foreground", type=_FILE, metavar="FOREGROUND")
@click.argument("background", type=_FILE, metavar="BACKGROUND")
@click.option("-o", "--output", type=_FILE, required=True, help="A folder for what is written.")
@click.option(
    "--alpha",
    type=AlphaType(auto=True),
    default="0.5",
    show_default=True,
    help="As for `osmofuse fuse`.",
)
@click.option("--soften", type=float, default=0.0, metavar="SIGMA", help="Blur the map first.")
@click.option(
    "--levels",
    type=click.Choice(LEVELS),
    default="as-is",
    show_default=True,
    help="Adjust the background's range first.",
)
@click.option(
    "--methods",
    metavar="NAME,NAME…",
    help=f"Which to compare, of {', '.join(METHODS)}.  [default: all]",
)
@click.option(
    "--paper",
    is_flag=True,
    help="The methods, settings and maps of the paper's Table I, its values beside ours; --alpha "
    "is the map as it was drawn.",
)
@click.option("--truth", type=_FILE, help="The right answer, where there is one.")
@click.option(
    "--metrics",
    default="paper",
    show_default=True,
    metavar="SET|NAME,NAME…",
    help=f"What to score: one of the sets {', '.join(SETS)}, or names of metrics.",
)
@click.option("--zoom", type=BoxType(), help="The part that the second sheet shows.")
@click.option("--overwrite", is_flag=True, help="Replace files that exist. Never an input.")
@click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")
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
    names, metrics = given["methods"], [one.strip() for one in given["metrics"].split(",")]
    output.mkdir(parents=True, exist_ok=True)
    inputs = ("foreground", "background", "alpha", "soften", "levels", "overwrite")
    job = Job(output=output / SHEET, **{name: given[name] for name in inputs})
    with progress_line("Comparing") as watch:
        made = compare_files(
            job,
            methods=None if names is None else [one.strip() for one in names.split(",")],
            paper=given["paper"],
            truth=given["truth"],
            metrics=metrics[0] if len(metrics) == 1 else metrics,
            zoom=given["zoom"],
            watch=watch,
        )
    for note in made.notes:
        click.echo(f"Note: {note}", err=True)
    if as_json:
        click.echo(made.files["comparison.json"].read_text(encoding="utf-8"), nl=False)
        return
    click.echo(made.table)
    click.echo("")
    for name, path in made.files.items():
        click.echo(f"  {name:<24} {path}")
