"""``osmofuse align``: lay one picture file over another."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from osmofuse.cli import options
from osmofuse.cli.needs import tell_need
from osmofuse.cli.options import FILE
from osmofuse.cli.progress import progress_line
from osmofuse.cli.told import file_data, file_lines
from osmofuse.cli.voice import note, say
from osmofuse.errors import MismatchError
from osmofuse.jobs import Registered, Registration, check_registration, register
from osmofuse.jobs.outputs import check_page
from osmofuse.jobs.preparation_report import ALIGNED
from osmofuse.preparation.registration.chain import METHODS
from osmofuse.preparation.registration.transform import KINDS


@click.command("align")
@click.argument("moving", type=FILE, metavar="MOVING")
@click.argument("fixed", type=FILE, metavar="FIXED")
@options.output("The aligned picture to write.")
@options.page
@options.method(METHODS, "How to find the transform.", "auto")
@click.option(
    "--transform",
    type=options.OneOf(KINDS),
    default="homography",
    show_default=True,
    help="What the transform may do.",
)
@click.option(
    "--deformation", is_flag=True, help="Also bend the picture smoothly, as warped parchment needs."
)
@click.option(
    "--points",
    type=FILE,
    help="Control points, a CSV file with the header moving_x,moving_y,fixed_x,fixed_y: a start, "
    "or with --method points all there is.",
)
@click.option("--valid-out", type=FILE, help="Also write where the result shows something.")
@options.preview("Also write a checkerboard of both pictures; to a .webp file, one that flickers.")
@options.report
@options.overwrite
@options.max_memory
@options.dry_run
@options.as_json
def command(
    valid_out: Path | None, as_json: bool, dry_run: bool, folder: Path | None, **given: Any
) -> None:
    """Write the picture MOVING as it lies over FIXED, e.g. infrared over visible.

    The output has the size and resolution of FIXED, and the depth, colour profile and metadata
    of MOVING. Where MOVING shows nothing it is empty (TIFF files say so). Beside it a record,
    OUTPUT.json, has the transform.

    \b
    osmofuse align infrared.tif visible.tif -o aligned.tif --preview board.png
    osmofuse align infrared.tif visible.tif -o aligned.tif --points points.csv

    It ends with 0; and with nothing written 2 for wrong usage, 3 for a file that cannot be read,
    4 if no transform can be trusted, 6 if it would need too much memory, 7 if it cannot write,
    130 if interrupted.
    """  # noqa: D301 (a real backspace keeps the lines of the examples apart)
    job = Registration(valid_output=valid_out, **given)
    if dry_run:
        needed = check_registration(job)
        check_page(job, folder, ALIGNED)
        tell_need(job.output, needed, as_json=as_json)
        return
    with progress_line("Aligning"):
        result = register(job, report=folder)
    for words in result.notes:
        note(f"Note: {words}")
    if as_json:
        click.echo(json.dumps(_data(result), ensure_ascii=False))
    if result.record is None:
        raise MismatchError(
            f"{job.moving}: refused to align it to {job.fixed}: {result.alignment.reason}. "
            "If they do show the same thing, mark some control points and use --points"
        )
    if not as_json:
        say("\n".join(_words(result)))


def _data(result: Registered) -> dict[str, Any]:
    found = result.alignment
    return {
        "status": str(found.status),
        "reason": found.reason,
        "files": file_data(result.files),
        "notes": list(result.notes),
        "record": None if result.record is None else result.record.as_json(),
    }


def _words(result: Registered) -> Iterator[str]:
    found = result.alignment
    figures = found.quality
    yield (
        f"Aligned in {found.seconds:.1f} s by {found.origin}: {figures['agreement']:.0%} of "
        f"{figures['tiles']:.0f} places fit, uncertain by {figures['uncertainty']:.2f} pixels at "
        f"the corners; {figures['overlap']:.0%} of the smaller picture overlaps."
    )
    if "points_residual" in figures:
        off = figures["points_residual"]
        yield f"{figures['points']:.0f} control points fit to {off:.2f} pixels."
    yield from file_lines(result.files)
