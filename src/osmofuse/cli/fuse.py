"""``osmofuse fuse``: fuse two picture files into a third."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from osmofuse.cli import options
from osmofuse.cli.doing import do_job, tell
from osmofuse.cli.endings import summary, warning
from osmofuse.cli.options import FILE
from osmofuse.cli.recipes import RecipeName
from osmofuse.cli.repeating import from_record, repeated_job
from osmofuse.cli.settings import SettingOption, chosen_settings, option_names
from osmofuse.jobs import FuseJob, FuseResult, job_with_recipe
from osmofuse.jobs.files import sized
from osmofuse.methods import method_names
from osmofuse.picture import DEPTHS
from osmofuse.tasks import Recipe, recipe

_CHOICES = (
    "page", "alpha", "invert", "soften", "method", "levels", "working_space", "align", "depth",
)  # fmt: skip
_OUTPUTS = ("structure", "alpha_output", "iiif")


class _Command(click.Command):
    """The command with an option for each setting, in the help under its method."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        taken = [name.strip("-") for one in self.params for name in one.opts]
        self.settings = option_names(taken)
        self.params += [SettingOption(name, all_) for name, all_ in self.settings.items()]

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        sections: dict[str, list[tuple[str, str]]] = {"Options": []}
        for one in self.get_params(ctx):
            method = one.method if isinstance(one, SettingOption) else None
            title = f"Settings of the method {method!r}" if method else "Options"
            line = one.get_help_record(ctx) if isinstance(one, click.Option) else None
            if line is not None:
                sections.setdefault(title, []).append(line)
        for title, lines in sections.items():
            with formatter.section(title):
                formatter.write_dl(lines)


@click.command("fuse", cls=_Command)
@click.argument("foreground", type=FILE, required=False, metavar="FOREGROUND")
@click.argument("background", type=FILE, nargs=-1, metavar="BACKGROUND [MORE]...")
@options.output("The fused picture to write.")
@click.option(
    "--recipe",
    type=RecipeName(),
    metavar="NAME|FILE",
    help="Take what is not said here from a recipe; osmofuse recipes lists them.",
)
@options.page
@options.alphas
@options.invert
@options.soften
@options.method(method_names(), "How to fuse.", "variational")
@options.levels
@options.working_space
@options.align
@click.option("--depth", type=options.OneOf(DEPTHS), help="Of the output; by default FOREGROUND's.")
@click.option("--structure", type=FILE, help="Also write the structure that was found.")
@click.option(
    "--alpha-out", "alpha_output", type=FILE, help="Also write the map of alpha that was used."
)
@options.report
@click.option(
    "--iiif",
    metavar="URL",
    help="With --report: also a IIIF manifest, for the folder at this address.",
)
@options.overwrite
@from_record
@options.max_memory
@options.dry_run
@options.as_json
@click.pass_context
def command(ctx: click.Context, /, **given: Any) -> None:
    """Fuse the structure of BACKGROUND into the colours of FOREGROUND.

    Both are PNG, TIFF, JPEG or WebP files of one size and show the same thing, e.g. a page in
    visible light and in infrared. The output has the foreground's depth, colour profile and
    metadata. Beside it a record, OUTPUT.json, says how it was made.

    \b
    osmofuse fuse visible.tif infrared.tif -o fused.tif
    osmofuse fuse visible.tif infrared.tif --recipe text -o fused.tif
    osmofuse fuse visible.tif infrared.tif --alpha map.png --reach 10 -o fused.tif
    osmofuse fuse --from fused.tif.json -o again.tif

    It ends with 0; with 5 if the result is written but is not what was asked for, since the method
    did not converge or a record could not be repeated exactly; and with nothing written 2 for wrong
    usage, 3 for a file that cannot be read, 4 for pictures that do not fit together, 6 if it would
    need too much memory, 7 if it cannot write, 130 if interrupted.
    """  # noqa: D301 (a real backspace keeps the lines of the examples apart)
    given["alpha"] = given["alpha"][0] if len(given["alpha"]) == 1 else given["alpha"]
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
    hints = options.hints() if old is None and chosen is None else ()
    failed = [] if result.status.is_success else [warning(result.status)]
    tell(ctx, result, given, _words(result), hints=hints, warnings=failed)


def _job(ctx: click.Context, given: dict[str, Any], chosen: Recipe | None) -> FuseJob:
    """Return the job that arguments and options describe, and a recipe where they say nothing."""
    options.check_arguments(ctx, given, "foreground", "background")
    options.check_inversion(ctx, given)
    assert isinstance(ctx.command, _Command), "this is its command"
    parts = {name: given[name] for name in _CHOICES if chosen is None or options.is_given(name)}
    method = parts["method"] if "method" in parts or chosen is None else chosen.method
    parts |= {"foreground": given["foreground"], "backgrounds": given["background"]}
    parts |= {name: given[name] for name in (*_OUTPUTS, *options.COMMON)}
    parts["settings"] = chosen_settings(method, dict(_given(ctx)), ctx.command.settings)
    return job_with_recipe(chosen, **parts) if chosen else FuseJob(**sized(parts))


def _inputs(given: dict[str, Any]) -> dict[str, Any]:
    """Return the files that may have moved when a record is repeated."""
    alpha = given["alpha"] if isinstance(given["alpha"], Path) else None
    files = {"foreground": given["foreground"], "backgrounds": given["background"]}
    return files | {"alpha": alpha}


def _given(ctx: click.Context) -> Iterator[tuple[str, str]]:
    """Yield name and text of each setting that was given."""
    for one in ctx.command.params:
        if isinstance(one, SettingOption) and ctx.params[str(one.name)] is not None:
            yield one.option_name, ctx.params[str(one.name)]


def _words(result: FuseResult) -> Iterator[str]:
    """Yield what is said of a fusion."""
    assert result.record is not None, "nothing here cancels a job"
    yield summary(result.fusion, result.record.result["clipped"])
