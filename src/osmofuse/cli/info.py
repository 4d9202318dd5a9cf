"""``osmofuse info``: content of picture files, and their use in a fusion."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import click
import numpy as np

from osmofuse.cli import options
from osmofuse.cli.options import GroupedCommand
from osmofuse.cli.output import print_json, print_text
from osmofuse.cli.types import FILE
from osmofuse.errors import InputError, OsmofuseError
from osmofuse.io import Description, describe_isolated
from osmofuse.jobs import FuseJob, Need
from osmofuse.jobs.files import look_at, pages_of, size_of
from osmofuse.jobs.need import in_bytes
from osmofuse.pixels import white_of
from osmofuse.record import plain


@click.command("info", cls=GroupedCommand)
@click.argument("files", type=FILE, nargs=-1, required=True, metavar="FILE...")
@options.page
@options.as_json
@click.pass_context
def command(
    ctx: click.Context, files: tuple[Path, ...], page: tuple[int, ...], as_json: bool
) -> None:
    """Print what picture files contain, and how they would be read.

    With several files it also prints whether they have the same size, which fusing needs. If a
    file cannot be read, it is named on stderr and the exit code is 3.

    \b
    osmofuse info visible.tif infrared.tif
    """  # noqa: D301 (a real backspace keeps the lines of the examples apart)
    found: list[Description] = []
    code = 0
    pages = pages_of((f"{k}. {path}" for k, path in enumerate(files, 1)), page).values()
    for path, number in zip(files, pages, strict=True):
        try:
            found.append(describe_isolated(path, page=number))
        except OsmofuseError as error:
            click.echo(f"osmofuse: {error}", err=True)
            code = code or error.exit_code
    if as_json:
        print_json([_data(file) for file in found])
    else:
        for file in found:
            print_text("\n  ".join(_words(file)))
        if len(found) > 1:
            print_text(_fit(found))
    ctx.exit(code)


def _data(file: Description) -> dict[str, Any]:
    problem = _problem(file)
    needed = None if problem else asdict(_need(file))
    about = {**asdict(file), "path": str(file.path)}
    return {**plain(about), "problem": problem, "need": needed}


def _words(file: Description) -> Iterator[str]:
    bands = f"{file.bands} band{'s' if file.bands > 1 else ''}"
    yield f"{file.path}: {file.format.upper()}, {size_of(file)}, {bands}, {file.depth}"
    if file.format_of_name is not None:
        yield f"its name says {file.format_of_name}; its content decides, and is {file.format}"
    if file.note is not None:
        yield f"note: {file.note}"
    pages = f"{file.pages}, of which this is page {file.page}; --page N reads another"
    pyramid = f"{file.levels} sizes, of which the full one is read"
    known = {
        "colour profile": file.profile or "none",
        "resolution": file.resolution
        and "{:.4g} × {:.4g} pixels per mm".format(*file.resolution[::-1]),
        "orientation": "stored turned; is read upright" if file.orientation > 1 else None,
        "compression": file.compression,
        "transparency": "in the last band; carried; no data where it is 0"
        if file.transparency
        else None,
        "pages": pages if file.pages > 1 else None,
        "pyramid": pyramid if file.levels > 1 else None,
        "geography": f"{file.geo}; carried from the foreground to the output" if file.geo else None,
        "no data": None if file.nodata is None else f"pixels of {file.nodata:g} stay empty",
    }
    yield from (f"{name}: {value}" for name, value in known.items() if value is not None)
    if problem := _problem(file):
        yield f"cannot be fused: {problem}"
        return
    needed = _need(file)
    yield (
        f"as foreground: the output is {file.depth} with {bands}, and carries its profile and "
        f"metadata; takes about {in_bytes(needed.bytes)} of memory and {needed.seconds:.0f} s"
    )
    yield f"as background: {_as_background(file)}"


def _as_background(file: Description) -> str:
    if file.bands == 1:
        return "its structure enters every channel, in the foreground's chromaticity"
    return "its bands enter those of a foreground with as many"


def _problem(file: Description) -> str | None:
    """Return the reason why a file cannot be fused, or None."""
    try:
        white_of(np.dtype(file.depth), "pixels")
    except InputError as error:
        return str(error)
    return None


def _need(file: Description) -> Need:
    job = FuseJob(file.path, (file.path,), file.path, page=(file.page,))
    looked_at = replace(look_at(file.path), description=file)
    return job.need_of(dict.fromkeys(job.inputs, looked_at))


def _fit(found: list[Description]) -> str:
    sizes = {(file.rows, file.cols) for file in found}
    if len(sizes) == 1:
        return "All have the same size, and can be fused if things lie in the same place."
    return "They are not of one size: fuse them with --align homography, or crop them."
