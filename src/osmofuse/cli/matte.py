"""``osmofuse matte``: find an alpha map from a picture and a rough trimap."""

from __future__ import annotations

from typing import Any

import click

from osmofuse.cli import options
from osmofuse.cli.options import GroupedCommand
from osmofuse.cli.run import do_job, job_of, job_options, print_result
from osmofuse.cli.types import FILE, Number
from osmofuse.jobs import MatteJob, MatteResult
from osmofuse.maps.matting import DEFAULT, MATTE_SIZE, MATTING_METHODS


@click.command("matte", cls=GroupedCommand)
@click.argument("image", type=FILE, required=False, metavar="IMAGE")
@click.argument("trimap", type=FILE, required=False, metavar="TRIMAP")
@options.page
@click.option(
    "--edge",
    type=Number(),
    metavar="PIXELS",
    help="Treat TRIMAP as a mask, and find its edge within this distance.",
)
@options.one_of(
    "--method",
    MATTING_METHODS,
    f"Find the map by this method: {', '.join(MATTING_METHODS)}. All but combined and knn need "
    "the extra prepare.",
    DEFAULT,
)
@click.option(
    "--max-pixels",
    type=int,
    default=MATTE_SIZE,
    show_default=True,
    metavar="COUNT",
    help="Work on a reduced copy of larger pictures, and note it.",
)
@options.output("Write the map here, in grey.")
@options.file(
    "Also write the kept part in its own colours, transparent elsewhere.",
    "--foreground-out",
    "foreground_output",
)
@options.file("Also write the picture with the map as an overlay.", "--preview")
@job_options
@click.pass_context
def command(ctx: click.Context, /, **given: Any) -> None:
    """Find the alpha map of what TRIMAP roughly outlines in IMAGE.

    TRIMAP is white where the map is sure to be 1, black where it is sure to be 0, and grey where
    it is to be found. Or it holds scribbles, green where the map is 1 and red where it is 0. It
    has the size of IMAGE. The record next to the map, PATH.json, describes how it was made.
    The map is for `osmofuse fuse --alpha`.

    \b
    osmofuse matte visible.tif trimap.png -o alpha.png
    osmofuse matte visible.tif mask.png --edge 10 -o alpha.tif --preview look.png
    """  # noqa: D301 (a real backspace keeps the lines of the examples apart)
    job, old = job_of(ctx, given, MatteJob, outputs=("foreground_output", "preview"))
    result: MatteResult | None = do_job(job, "Finding the map", given, old=old)
    if result is None:
        return
    found = result.matte
    data = {"unknown": result.unknown, "mean": float(found.alpha.mean())}
    words = [f"Found the map in {result.unknown:.1%} of the picture."]
    failed = [] if result.status.is_success else [f"the map did not converge ({result.status})"]
    print_result(ctx, result, given, words, data=data, warnings=failed)
