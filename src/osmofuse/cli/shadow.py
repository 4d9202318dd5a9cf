"""``osmofuse shadow``: remove a shadow or a spot of light."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from osmofuse.cli import options
from osmofuse.cli.options import GroupedCommand
from osmofuse.cli.run import do_picture_job, job_options
from osmofuse.cli.settings import USUAL
from osmofuse.cli.types import FILE, Number
from osmofuse.jobs import ShadowJob
from osmofuse.tasks.remove_shadow import EXTENTS, LEVELS, MODELS, REMOVED


def _boundary(_ctx: click.Context, _param: click.Parameter, value: Path | None) -> Path | None:
    """Return the map's file; None for "auto"."""
    return None if value is not None and str(value) == "auto" else value


@click.command("shadow", cls=GroupedCommand)
@click.argument("image", type=FILE, required=False, metavar="PICTURE")
@options.page
@click.option(
    "--boundary",
    type=FILE,
    callback=_boundary,
    metavar="FILE|auto",
    help="Map that is black on the edge of the shadow and white elsewhere; auto finds the shadow, "
    "or refuses.  [default: auto]",
)
@click.option("--mask", is_flag=True, help="The map is a rough mask, black in the shadow.")
@click.option(
    "--width",
    type=Number(),
    metavar="PIXELS",
    help="Width of the band around the edge of a mask or a shadow that was found.  [default: "
    "measured]",
)
@options.one_of(
    "--model", MODELS, f"Diffuse on the edge by this model: {', '.join(MODELS)}.", "linear"
)
@options.one_of(
    "--extent",
    EXTENTS,
    "Solve for the whole picture (global), or change only the shadow (local).",
    "global",
)
@click.option(
    "--texture/--no-texture",
    default=None,
    help="Keep the texture on the edge; the published models do not.  [default: texture]",
)
@options.one_of(
    "--level",
    LEVELS,
    "Global extent: keep the brightness of the lit part, the exposure, or the mean.  [default: "
    "exposure]",
)
@options.one_of("--remove", REMOVED, "Remove what is darker (shadow) or brighter (light).", "auto")
@click.option(
    "--offset",
    type=Number(),
    default=0.01,
    show_default=True,
    metavar=USUAL["offset"][0],
    help=USUAL["offset"][1],
)
@options.recipe
@options.output("Write the picture without shadow here.")
@job_options
@click.pass_context
def command(ctx: click.Context, /, **given: Any) -> None:
    """Remove a shadow, or a spot of light, from PICTURE.

    Without a map the shadow is found; if that is not certain, nothing is written and the exit code
    is 2. The map of --boundary has the size of PICTURE, is black on a band that covers the edge of
    the shadow, and encloses it. The record next to the output, PATH.json, describes how it was
    made.

    \b
    osmofuse shadow photo.tif --boundary edge.png -o plain.tif
    osmofuse shadow photo.tif --boundary rough.png --mask -o plain.tif
    osmofuse shadow photo.tif --recipe shadow -o plain.tif
    """  # noqa: D301 (a real backspace keeps the lines of the examples apart)
    do_picture_job(ctx, given, ShadowJob, "Removing the shadow", "Removed the shadow.")
