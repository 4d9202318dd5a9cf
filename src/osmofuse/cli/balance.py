"""``osmofuse balance``: level the pictures of a mosaic and blend them."""

from __future__ import annotations

from typing import Any

import click

from osmofuse.cli import options
from osmofuse.cli.options import GroupedCommand
from osmofuse.cli.places import PlacesType, places_of
from osmofuse.cli.run import do_picture_job, job_options
from osmofuse.cli.types import FILE
from osmofuse.jobs import BalanceJob


def _from_zero(ctx: click.Context, param: click.Parameter, number: int | None) -> int | None:
    if number is not None and number < 1:
        raise click.BadParameter(f"{number}; pictures count from 1.", ctx, param)
    return None if number is None else number - 1


@click.command("balance", cls=GroupedCommand)
@click.argument("images", type=FILE, nargs=-1, metavar="PICTURE…")
@options.page
@click.option(
    "--places",
    type=PlacesType(),
    metavar="'X,Y X,Y …'|FILE",
    help="Column and row of the upper left pixel of each PICTURE, in order; or a file with a line "
    "X,Y or NAME,X,Y for each.  [default: all show the same frame]",
)
@options.file("Divide all pictures by this one, of an evenly lit white surface.", "--flat")
@click.option(
    "--reference",
    type=int,
    callback=_from_zero,
    metavar="N",
    help="Keep the level of the N-th PICTURE, counted from 1.  [default: the mean level]",
)
@options.output("Write the mosaic here.")
@job_options
@click.pass_context
def command(ctx: click.Context, /, **given: Any) -> None:
    """Level the PICTUREs of a mosaic, and blend them without seams.

    Panels that touch, such as those of an infrared reflectogram, and shots that overlap lose their
    differences of gain, fall-off and black level; colours are levelled too. The pictures have
    one depth and number of bands. Pixels without data do not count. Places are X,Y, column
    and row, as viewers show them; they may be negative.

    \b
    osmofuse balance left.tif right.tif --places '0,0 480,0' -o mosaic.tif
    osmofuse balance panel-*.tif --places places.csv --flat white.tif -o mosaic.tif
    osmofuse balance first.tif second.tif third.tif -o blend.tif
    """  # noqa: D301 (a real backspace keeps the lines of the examples apart)
    if given["images"] and (given["reference"] or 0) >= len(given["images"]):
        raise click.UsageError(f"--reference: there are {len(given['images'])} pictures.", ctx)
    if given["places"] is not None:
        given["places"] = places_of(given["places"], given["images"])
    do_picture_job(ctx, given, BalanceJob, "Balancing", "Wrote the mosaic.")
