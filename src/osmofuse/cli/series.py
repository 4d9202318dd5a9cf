"""What the commands have in common that fuse one pair of files many times, into a folder."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import reduce
from pathlib import Path
from typing import Any

import click

from osmofuse.cli import options
from osmofuse.cli.options import FILE, Function
from osmofuse.io.staging import naming
from osmofuse.jobs import Job
from osmofuse.jobs.series import SHEET, Series

_INPUTS = ("foreground", "background", "alpha", "soften", "levels", "overwrite")


def series_options(function: Function) -> Function:
    """Give a command the arguments and options that say which pair is fused, and where to."""
    parts: list[Callable[[Any], Any]] = [
        click.argument("foreground", type=FILE, metavar="FOREGROUND"),
        click.argument("background", type=FILE, metavar="BACKGROUND"),
        click.option(
            "-o", "--output", type=FILE, required=True, help="A folder for what is written."
        ),
        options.alpha,
        options.soften,
        options.levels,
    ]
    # The last decorator of a list stands next to the function.
    result: Function = reduce(lambda made, part: part(made), reversed(parts), function)
    return result


def series_job(output: Path, given: Mapping[str, Any]) -> Job:
    """Return the job that the options of `series_options` describe; its folder is made."""
    job = Job(output=output / SHEET, **{name: given[name] for name in _INPUTS})
    with naming(output):
        output.mkdir(parents=True, exist_ok=True)
    return job


def tell(made: Series, data: str, *, as_json: bool) -> None:
    """Print what came of a series: the file `data` as it is, or the table and all files."""
    for note in (*made.notes, *options.hints()):
        click.echo(f"Note: {note}", err=True)
    if as_json:
        click.echo(made.files[data].read_text(encoding="utf-8"), nl=False)
        return
    click.echo(made.table)
    click.echo("")
    width = max(map(len, made.files))
    for name, path in made.files.items():
        click.echo(f"  {name:<{width}} {path}")
