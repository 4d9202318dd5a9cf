"""``osmofuse clone``: copy an object from one picture into another."""

from __future__ import annotations

from typing import Any

import click

from osmofuse.cli import options
from osmofuse.cli.options import GroupedCommand
from osmofuse.cli.run import do_picture_job, job_options
from osmofuse.cli.types import FILE, Number, PlaceType
from osmofuse.jobs import CloneJob
from osmofuse.tasks.clone import MODELS


@click.command("clone", cls=GroupedCommand)
@click.argument("into", type=FILE, required=False, metavar="INTO")
@click.argument("object", type=FILE, required=False, metavar="OBJECT")
@options.page
@options.file(
    "Map that is white on the object, of the size of OBJECT; a rough one is enough.  [default: the "
    "transparency of OBJECT]",
    "--mask",
)
@click.option(
    "--at",
    type=PlaceType(),
    metavar="X,Y",
    help="Place the upper left corner of OBJECT here in INTO: column, row.  [default: centred]",
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
    help="With cut: adapt the brightness to that of the place by this much, 0 to 1.",
)
@options.output("Write the picture here.")
@job_options
@click.pass_context
def command(ctx: click.Context, /, **given: Any) -> None:
    """Copy an object from the picture OBJECT into the picture INTO.

    All pixels around the object are kept. The record next to the output, PATH.json, describes how
    it was made.

    \b
    osmofuse clone wall.tif flower.tif --mask flower-mask.png --at 120,80 -o out.tif
    osmofuse clone beach.jpg star.png --scale 0.5 --rotate 30 -o out.jpg
    """  # noqa: D301 (a real backspace keeps the lines of the examples apart)
    do_picture_job(ctx, given, CloneJob, "Copying the object", "Copied the object.")
