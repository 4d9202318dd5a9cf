"""``osmofuse clone``: copy an object from one picture into another."""

from __future__ import annotations

from typing import Any

import click

from osmofuse.cli import options
from osmofuse.cli.options import GroupedCommand
from osmofuse.cli.run import do_job, job_of, job_options, print_result, unsolved
from osmofuse.cli.types import FILE, Number, PlaceType
from osmofuse.jobs.clone import CloneJob
from osmofuse.tasks.clone import MODELS


@click.command("clone", cls=GroupedCommand)
@click.argument("into", type=FILE, required=False, metavar="INTO")
@click.argument("object", type=FILE, required=False, metavar="OBJECT")
@options.page
@options.file("White on the object, of the size of OBJECT; a rough outline will do.", "--mask")
@click.option(
    "--at",
    type=PlaceType(),
    metavar="X,Y",
    help="Lay the upper left corner of OBJECT here in INTO: column, row.  [default: centred]",
)
@click.option("--scale", type=Number(), default=1.0, show_default=True, help="Magnify the object.")
@click.option(
    "--rotate",
    type=Number(),
    default=0.0,
    show_default=True,
    metavar="DEGREES",
    help="Turn the object clockwise.",
)
@options.one_of(
    "--model",
    MODELS,
    "Copy the object with its ground (osmosis, seamless) or without (cut); auto chooses.",
    "auto",
)
@click.option(
    "--relight",
    type=Number(),
    default=1.0,
    show_default=True,
    help="With cut: take on the brightness of the place this much, 0 to 1.",
)
@options.output("Write the picture here.")
@job_options
@click.pass_context
def command(ctx: click.Context, /, **given: Any) -> None:
    """Copy the object that MASK outlines in OBJECT into the picture INTO.

    Without --mask, the transparency of OBJECT is the mask. Everything around the object keeps its
    pixels. The record next to the picture, PATH.json, describes how it was made.

    \b
    osmofuse clone wall.tif flower.tif --mask flower-mask.png --at 120,80 -o out.tif
    osmofuse clone beach.jpg star.png --scale 0.5 --rotate 30 -o out.jpg
    """  # noqa: D301 (a real backspace keeps the lines of the examples apart)
    job, old = job_of(ctx, given, CloneJob)
    result = do_job(job, "Copying the object", given, old=old)
    if result is not None:
        print_result(ctx, result, given, ["Copied the object."], warnings=unsolved(result))
