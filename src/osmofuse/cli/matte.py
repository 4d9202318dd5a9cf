"""``osmofuse matte``: find an alpha map from a picture and a rough trimap."""

from __future__ import annotations

import json
from typing import Any

import click

from osmofuse.cli import options
from osmofuse.cli.numbers import Number
from osmofuse.cli.options import FILE
from osmofuse.jobs import MatteJob, MatteResult, run_matte
from osmofuse.preparation.matting import DEFAULT, LARGEST, METHODS


@click.command("matte")
@click.argument("image", type=FILE, metavar="IMAGE")
@click.argument("trimap", type=FILE, metavar="TRIMAP")
@click.option("-o", "--output", type=FILE, required=True, help="The map to write, in grey.")
@click.option(
    "--method",
    type=click.Choice(METHODS),
    default=DEFAULT,
    show_default=True,
    help="How to find it; all but combined and knn need the extra prepare.",
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
@click.option("--preview", type=FILE, help="Also write the picture with the map laid over it.")
@click.option(
    "--max-pixels",
    type=int,
    default=LARGEST,
    show_default=True,
    help="Larger pictures are matted on a reduced copy; a note says so.",
)
@options.overwrite
@options.as_json
def command(as_json: bool, **given: Any) -> None:
    """Find the alpha map of what TRIMAP roughly outlines in IMAGE.

    TRIMAP is white where the map is sure to be 1, black where it is sure to be 0, and grey where
    it is to be found. Or it holds scribbles, green where the map is 1 and red where it is 0. It
    has the size of IMAGE.

    \b
    osmofuse matte visible.tif trimap.png -o alpha.png
    osmofuse matte visible.tif mask.png --band 10 -o alpha.tif --preview look.png

    The map is for `osmofuse fuse --alpha`.
    """  # noqa: D301 (a real backspace keeps the lines of the examples apart)
    result = run_matte(MatteJob(**given))
    for note in result.notes:
        click.echo(f"Note: {note}", err=True)
    if as_json:
        click.echo(json.dumps(_data(result), ensure_ascii=False))
        return
    click.echo(f"Found the map in {result.unknown:.1%} of the picture.")
    for role, path in result.files.items():
        click.echo(f"  {role:<10} {path}")


def _data(result: MatteResult) -> dict[str, Any]:
    """Return what `--json` prints."""
    return {
        "files": {role: str(path) for role, path in result.files.items()},
        "notes": list(result.notes),
        "unknown": result.unknown,
        "mean": float(result.alpha.mean()),
    }
