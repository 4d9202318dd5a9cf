"""``osmofuse sweep``: one pair with many settings, and a sheet of what they do."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import click

from osmofuse.cli.alpha import AlphaType
from osmofuse.cli.progress import progress_line
from osmofuse.jobs import Job
from osmofuse.jobs.job import LEVELS
from osmofuse.jobs.series import SHEET, sweep_files

_FILE = click.Path(path_type=Path)
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
    "--eta", type=_Numbers(), default="0,0.1,0.5", show_default=True, help="η: smoothing."
)
@click.option("--mu", type=_Numbers(), default="10,100", show_default=True, help="μ: structure.")
@click.option(
    "--gamma", type=_Numbers(), default="0,1", show_default=True, help="γ: the foreground's hold."
)
@click.option(
    "--start",
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
@click.option("--truth", type=_FILE, help="The right answer, where there is one.")
@click.option("--metrics", default="", metavar="SET|NAME,NAME…", help="What to score.")
@click.option("--overwrite", is_flag=True, help="Replace files that exist. Never an input.")
@click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")
def command(as_json: bool, output: Path, **given: Any) -> None:
    """Fuse FOREGROUND and BACKGROUND with every combination of some settings.

    Into the folder go a sheet of all pictures, which reads like the paper's figure of its
    weights, and a table.

    \b
    osmofuse sweep visible.tif infrared.tif --alpha map.png -o study
    osmofuse sweep visible.tif infrared.tif --eta 0.05,0.1,0.2 --mu 100 --start foreground -o study

    It ends with 0, and otherwise as `osmofuse fuse` does.
    """  # noqa: D301 (a real backspace keeps the lines of the examples apart)
    output.mkdir(parents=True, exist_ok=True)
    inputs = ("foreground", "background", "alpha", "soften", "levels", "overwrite")
    job = Job(output=output / SHEET, **{name: given[name] for name in inputs})
    choices = {name: given[name] for name in ("eta", "mu", "gamma", "reach")}
    choices["start"] = [one.strip() for one in given["start"].split(",")]
    metrics = [one.strip() for one in given["metrics"].split(",") if one.strip()]
    with progress_line("Sweeping") as watch:
        made = sweep_files(
            job,
            choices,
            truth=given["truth"],
            metrics=metrics[0] if len(metrics) == 1 else metrics,
            watch=watch,
        )
    for note in made.notes:
        click.echo(f"Note: {note}", err=True)
    if as_json:
        click.echo(made.files["sweep.json"].read_text(encoding="utf-8"), nl=False)
        return
    click.echo(made.table)
    click.echo("")
    for name, path in made.files.items():
        click.echo(f"  {name:<10} {path}")
