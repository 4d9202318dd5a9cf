"""``osmofuse matte``: find an alpha map from a picture and a rough trimap."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click

from osmofuse.cli import options
from osmofuse.cli.endings import NOT_AS_ASKED
from osmofuse.cli.needs import tell_need
from osmofuse.cli.numbers import Number
from osmofuse.cli.options import FILE
from osmofuse.cli.progress import progress_line
from osmofuse.cli.told import file_data, file_lines
from osmofuse.cli.voice import note, say
from osmofuse.jobs import MatteJob, MatteResult, check_matte, run_matte
from osmofuse.preparation.matting import DEFAULT, LARGEST, METHODS


@click.command("matte")
@click.argument("image", type=FILE, metavar="IMAGE")
@click.argument("trimap", type=FILE, metavar="TRIMAP")
@options.output("The map to write, in grey.")
@options.page
@options.method(
    METHODS, "How to find it; all but combined and knn need the extra prepare.", DEFAULT
)
@click.option(
    "--band",
    type=Number(),
    metavar="PIXELS",
    help="TRIMAP is a mask: find its edge anew, within so many pixels.",
)
@click.option(
    "--foreground-out",
    "foreground_output",
    type=FILE,
    help="Also write the colours of what the map keeps, with the map as their transparency.",
)
@options.preview("Also write the picture with the map laid over it.")
@click.option(
    "--max-pixels",
    type=int,
    default=LARGEST,
    show_default=True,
    help="Larger pictures are matted on a reduced copy; a note says so.",
)
@options.report
@options.overwrite
@options.max_memory
@options.dry_run
@options.as_json
@click.pass_context
def command(
    ctx: click.Context, /, as_json: bool, dry_run: bool, folder: Path | None, **given: Any
) -> None:
    """Find the alpha map of what TRIMAP roughly outlines in IMAGE.

    TRIMAP is white where the map is sure to be 1, black where it is sure to be 0, and grey where
    it is to be found. Or it holds scribbles, green where the map is 1 and red where it is 0. It
    has the size of IMAGE. Beside the map a record, OUTPUT.json, says how it was made.

    \b
    osmofuse matte visible.tif trimap.png -o alpha.png
    osmofuse matte visible.tif mask.png --band 10 -o alpha.tif --preview look.png

    The map is for `osmofuse fuse --alpha`. It ends with 0, and otherwise as `osmofuse fuse` does.
    """  # noqa: D301 (a real backspace keeps the lines of the examples apart)
    job = MatteJob(**given)
    needed = check_matte(job, report=folder)
    if dry_run:
        tell_need(job.output, needed, as_json=as_json)
        return
    with progress_line("Finding the map"):
        result = run_matte(job, report=folder)
    for words in result.notes:
        note(f"Note: {words}")
    if as_json:
        click.echo(json.dumps(_data(result), ensure_ascii=False))
    else:
        told = f"Found the map in {result.unknown:.1%} of the picture."
        say("\n".join([told, *file_lines(result.files)]))
    if not result.converged:
        ctx.exit(NOT_AS_ASKED)


def _data(result: MatteResult) -> dict[str, Any]:
    """Return what `--json` prints."""
    return {
        "files": file_data(result.files),
        "notes": list(result.notes),
        "unknown": result.unknown,
        "mean": float(result.alpha.mean()),
        "record": result.record.as_json(),
    }
