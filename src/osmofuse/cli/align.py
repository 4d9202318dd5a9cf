"""``osmofuse align``: align a background to a foreground."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import click

from osmofuse.cli import options
from osmofuse.cli.options import GroupedCommand
from osmofuse.cli.run import do_job, job_of, job_options, print_result
from osmofuse.cli.types import FILE
from osmofuse.errors import MismatchError
from osmofuse.jobs import AlignJob, AlignResult
from osmofuse.registration.chain import ALIGN_METHODS
from osmofuse.registration.transform import KINDS


@click.command("align", cls=GroupedCommand)
@click.argument("foreground", type=FILE, required=False, metavar="FOREGROUND")
@click.argument("background", type=FILE, required=False, metavar="BACKGROUND")
@options.page
@options.file(
    "Begin with these control points, a CSV file with the header background_x,background_y,"
    "foreground_x,foreground_y.",
    "--points",
)
@options.one_of(
    "--method",
    ALIGN_METHODS,
    f"Find the transform by this method: {', '.join(ALIGN_METHODS)}.",
    "auto",
)
@options.one_of(
    "--transform", KINDS, f"Allow this kind of transform: {', '.join(KINDS)}.", "homography", "KIND"
)
@click.option(
    "--deformation", is_flag=True, help="Also bend the picture smoothly, e.g. for warped parchment."
)
@options.output("Write the aligned background here.")
@options.file("Also write a map, white where the output has data.", "--valid-out", "valid_output")
@options.file(
    "Also write a checkerboard of both pictures; a .webp file flickers between them.", "--preview"
)
@job_options
@click.pass_context
def command(ctx: click.Context, /, **given: Any) -> None:
    """Align BACKGROUND to FOREGROUND, e.g. an infrared picture to a visible one.

    The output is the background in the foreground's frame: it has the size and resolution of
    FOREGROUND, and the depth, colour profile and metadata of BACKGROUND. Pixels outside BACKGROUND
    have no data, or are transparent. The record next to it, PATH.json, holds the transform. If no
    transform is reliable, nothing is written and the exit code is 4.

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
        fix = "mark some control points and use --points"
        if "points" in paths:
            fix = "take the control points as they are, with --method points"
        raise MismatchError(
            f"{paths['background']}: refused to align it to {paths['foreground']}: {found.reason}. "
            f"If they do show the same thing, {fix}"
        )


def _words(result: AlignResult) -> Iterator[str]:
    found = result.alignment
    figures = found.quality
    if result.record is None:
        return
    yield (
        f"Aligned in {found.seconds:.1f} s by {found.origin}. Quality: {figures.level}, "
        f"{figures.error}; {figures['agreement']:.0%} of {figures['tiles']:.0f} "
        f"places fit, {figures['overlap']:.0%} of the smaller picture overlaps."
    )
    if "points_residual" in figures:
        off = figures["points_residual"]
        yield f"{figures['points']:.0f} control points fit to {off:.2f} pixels."
