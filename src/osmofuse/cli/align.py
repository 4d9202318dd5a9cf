"""``osmofuse align``: align a background to a foreground."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import click

from osmofuse.cli import options
from osmofuse.cli.options import GroupedCommand
from osmofuse.cli.run import do_job, job_of, job_options, print_result
from osmofuse.cli.types import FILE, OneOf
from osmofuse.errors import MismatchError
from osmofuse.jobs import AlignJob, AlignResult
from osmofuse.registration.chain import ALIGN_METHODS
from osmofuse.registration.transform import KINDS


@click.command("align", cls=GroupedCommand)
@click.argument("foreground", type=FILE, required=False, metavar="FOREGROUND")
@click.argument("background", type=FILE, required=False, metavar="BACKGROUND")
@options.page
@click.option(
    "--points",
    type=FILE,
    metavar="FILE",
    help="Begin with these control points, a CSV file with the header background_x,background_y,"
    "foreground_x,foreground_y.",
)
@options.method(
    ALIGN_METHODS, f"Find the transform by this method: {', '.join(ALIGN_METHODS)}.", "auto"
)
@click.option(
    "--transform",
    type=OneOf(KINDS),
    default="homography",
    show_default=True,
    metavar="KIND",
    help=f"Allow this kind of transform: {', '.join(KINDS)}.",
)
@click.option(
    "--deformation", is_flag=True, help="Also bend the picture smoothly, as warped parchment needs."
)
@options.output("Write the aligned background here.")
@click.option(
    "--valid-out",
    "valid_output",
    type=FILE,
    metavar="FILE",
    help="Also write a map, white where BACKGROUND shows something.",
)
@options.preview("Also write a checkerboard of both pictures; a .webp file flickers between them.")
@job_options
@click.pass_context
def command(ctx: click.Context, /, **given: Any) -> None:
    """Lay BACKGROUND over FOREGROUND, e.g. an infrared picture over a visible one.

    The output is the background in the foreground's frame: it has the size and resolution of
    FOREGROUND, and the depth, colour profile and metadata of BACKGROUND. Where BACKGROUND shows
    nothing it has no data, or is transparent. A record beside it, PATH.json, has the transform. If
    no transform can be trusted, nothing is written and the exit code is 4.

    \b
    osmofuse align visible.tif infrared.tif -o aligned.tif --preview board.png
    osmofuse align visible.tif infrared.tif -o aligned.tif --points points.csv
    osmofuse align --from aligned.tif.json -o again.tif
    """  # noqa: D301 (a real backspace keeps the lines of the examples apart)
    job, old = job_of(ctx, given, AlignJob, outputs=("valid_output", "preview"))
    result: AlignResult | None = do_job(job, "Aligning", given, old=old)
    if result is None:
        return
    found = result.alignment
    print_result(ctx, result, given, _words(result), data={"reason": found.reason})
    if result.record is None:
        paths = job.inputs
        raise MismatchError(
            f"{paths['background']}: refused to align it to {paths['foreground']}: {found.reason}. "
            "If they do show the same thing, mark some control points and use --points"
        )


def _words(result: AlignResult) -> Iterator[str]:
    found = result.alignment
    figures = found.quality
    if result.record is None:
        return
    yield (
        f"Aligned in {found.seconds:.1f} s by {found.origin}. Quality: {figures.level}, error "
        f"about {figures.figure:.2f} pixels; {figures['agreement']:.0%} of {figures['tiles']:.0f} "
        f"places fit, {figures['overlap']:.0%} of the smaller picture overlaps."
    )
    if "points_residual" in figures:
        off = figures["points_residual"]
        yield f"{figures['points']:.0f} control points fit to {off:.2f} pixels."
