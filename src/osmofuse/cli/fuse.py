"""``osmofuse fuse``: fuse two picture files into a third."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import click

from osmofuse.cli import options
from osmofuse.cli.options import GroupedCommand
from osmofuse.cli.output import summary, warning
from osmofuse.cli.run import do_job, job_options, moved_maps, print_result, repeated_job
from osmofuse.cli.settings import chosen_settings, setting_options
from osmofuse.cli.types import FILE
from osmofuse.jobs import FuseJob, FuseResult, job_with_recipe
from osmofuse.tasks import Recipe, recipe

_CHOICES = (
    "page", "alpha", "invert", "soften", "method", "levels", "working_space", "align", "depth",
)  # fmt: skip
_OUTPUTS = ("structure", "alpha_output", "iiif")  # fields of further outputs


@click.command("fuse", cls=GroupedCommand)
@click.argument("foreground", type=FILE, required=False, metavar="FOREGROUND")
@click.argument("background", type=FILE, nargs=-1, metavar="BACKGROUND [MORE]...")
@options.page
@options.align
@options.levels
@options.working_space
@options.alphas
@options.invert
@options.soften
@options.recipe
@setting_options
@options.output("Write the fused picture here.")
@options.depth
@options.file("Also write the structure found.", "--structure")
@options.file("Also write the map used.", "--alpha-out", "alpha_output")
@click.option("--iiif", metavar="URL", help="With --report: a IIIF manifest for this address.")
@job_options
@click.pass_context
def command(ctx: click.Context, /, **given: Any) -> None:
    """Fuse the structure of BACKGROUND into the colours of FOREGROUND.

    Both show the same thing, e.g. a page in visible light and in infrared. The output has the
    foreground's depth, colour profile and metadata; the record next to it, PATH.json, describes how
    it was made.

    \b
    osmofuse fuse visible.tif infrared.tif -o fused.tif
    osmofuse fuse visible.tif infrared.tif --recipe text -o fused.tif
    osmofuse fuse visible.tif infrared.tif --alpha map.png --reach 10 -o fused.tif
    osmofuse fuse --from fused.tif.json -o again.tif
    """  # noqa: D301 (a real backspace keeps the lines of the examples apart)
    given["alpha"] = given["alpha"][0] if len(given["alpha"]) == 1 else given["alpha"] or None
    if given["iiif"] is not None and given["report"] is None:
        raise click.UsageError("--iiif needs --report DIR, the folder for its pictures.", ctx)
    old, chosen = None, recipe(given["recipe"]) if given["recipe"] else None
    if given["record"] is not None:
        job, old = repeated_job(ctx, given, FuseJob, inputs=_inputs(given), outputs=_OUTPUTS)
    else:
        job = _job(ctx, given, chosen)
    result: FuseResult | None = do_job(job, "Fusing", given, old=old)
    if result is None:
        return
    needs_map = given["method"] != "variational"
    hints = options.hints() if old is None and chosen is None and needs_map else ()
    failed = [] if result.status.is_success else [warning(result.status)]
    print_result(ctx, result, given, _words(result), hints=hints, warnings=failed)


def _job(ctx: click.Context, given: dict[str, Any], chosen: Recipe | None) -> FuseJob:
    """Return the job of arguments and options; a recipe gives what they do not."""
    options.check_arguments(ctx, given, "foreground", "background")
    options.check_inversion(ctx, given)
    parts = options.given_or_recipe(given, _CHOICES)
    if chosen is not None:
        chosen.check_command("fuse")
    method = chosen.method if chosen is not None and "method" not in parts else given["method"]
    parts |= {"foreground": given["foreground"], "backgrounds": given["background"]}
    parts |= {name: given[name] for name in (*_OUTPUTS, *options.COMMON)}
    parts["settings"] = chosen_settings(method, given)
    return job_with_recipe(chosen, **parts) if chosen else FuseJob(**parts)


def _inputs(given: dict[str, Any]) -> dict[str, Any]:
    """Return the new paths of files, for repeating a record."""
    files = {"foreground": given["foreground"], "backgrounds": given["background"]}
    return files | {"alpha": moved_maps(given["alpha"])}


def _words(result: FuseResult) -> Iterator[str]:
    """Yield the summary of a fusion."""
    assert result.record is not None, "nothing here cancels a job"
    yield summary(result.fusion, result.record.result["clipped"])
