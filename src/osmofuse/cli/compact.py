"""``osmofuse compact``: reconstruct a picture from its edges."""

from __future__ import annotations

from typing import Any

import click

from osmofuse.cli import options
from osmofuse.cli.options import GroupedCommand
from osmofuse.cli.run import do_picture_job, job_options
from osmofuse.cli.types import FILE, Number
from osmofuse.jobs import CompactJob


@click.command("compact", cls=GroupedCommand)
@click.argument("image", type=FILE, required=False, metavar="PICTURE")
@options.page
@click.option(
    "--share",
    type=Number(),
    default=0.1,
    show_default=True,
    help="Keep at most this share of the pixels, 0.001 to 1.",
)
@click.option(
    "--width",
    type=int,
    default=1,
    show_default=True,
    metavar="PIXELS",
    help="Widen the edges by this much on each side.",
)
@options.output("Write the reconstruction here.")
@job_options
@click.pass_context
def command(ctx: click.Context, /, **given: Any) -> None:
    """Reconstruct PICTURE from its edges alone, to see how much of it they hold.

    \b
    osmofuse compact drawing.png -o again.png
    osmofuse compact map.tif --share 0.05 -o again.tif
    """  # noqa: D301 (a real backspace keeps the lines of the examples apart)
    do_picture_job(ctx, given, CompactJob, "Reconstructing", "Wrote the reconstruction.")
