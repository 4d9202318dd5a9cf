"""``osmofuse compact``: reconstruct a picture from its edges."""

from __future__ import annotations

from typing import Any

import click

from osmofuse.cli import options
from osmofuse.cli.options import GroupedCommand
from osmofuse.cli.run import do_job, job_of, job_options, print_result, unsolved
from osmofuse.cli.types import FILE, Number
from osmofuse.jobs.compact import CompactJob


@click.command("compact", cls=GroupedCommand)
@click.argument("picture", type=FILE, required=False, metavar="PICTURE")
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
    help="Widen edges by this on each side.",
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
    job, old = job_of(ctx, given, CompactJob)
    result = do_job(job, "Reconstructing", given, old=old)
    if result is not None:
        print_result(ctx, result, given, ["Wrote the reconstruction."], warnings=unsolved(result))
