"""``osmofuse fuse``: fuse two picture files into a third."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from osmofuse.cli import options
from osmofuse.cli.endings import NOT_AS_ASKED, summary, warning
from osmofuse.cli.needs import tell_need
from osmofuse.cli.options import FILE
from osmofuse.cli.progress import progress_line
from osmofuse.cli.recipes import RecipeName
from osmofuse.cli.settings import SettingOption, chosen_settings, option_names
from osmofuse.cli.told import file_data, file_lines
from osmofuse.cli.voice import note, say
from osmofuse.jobs import (
    Job,
    Repetition,
    Result,
    check,
    compare_with_record,
    job_of_record,
    job_with_recipe,
    run,
)
from osmofuse.jobs.outputs import check_page
from osmofuse.jobs.reading import sized
from osmofuse.jobs.report import PICTURES
from osmofuse.methods import METHODS
from osmofuse.picture import DEPTHS
from osmofuse.record import Record, output_path, read_record
from osmofuse.tasks import Recipe, recipe

_CHOICES = ("page", "alpha", "soften", "method", "levels", "working_space", "align", "depth")


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
@options.soften
@options.method(list(METHODS), "How to fuse.", "variational")
@options.levels
@options.working_space
@options.align
@click.option("--depth", type=options.OneOf(DEPTHS), help="Of the output; by default FOREGROUND's.")
@click.option("--structure", type=FILE, help="Also write the structure that was found.")
@click.option("--alpha-out", type=FILE, help="Also write the map of alpha that was used.")
@options.report
@click.option(
    "--iiif",
    metavar="URL",
    help="With --report: also a IIIF manifest, for the folder at this address.",
)
@options.overwrite
@click.option("--from", "record", type=FILE, help="Repeat what this record says, exactly.")
@options.max_memory
@options.dry_run
@options.as_json
@click.pass_context
def command(ctx: click.Context, /, as_json: bool, dry_run: bool, **given: Any) -> None:
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
    old = read_record(given["record"]) if given["record"] else None
    chosen = recipe(given["recipe"]) if given["recipe"] else None
    job = _repeated_job(ctx, given, old) if old else _job(ctx, given, chosen)
    if given["iiif"] is not None and given["folder"] is None:
        raise click.UsageError("--iiif needs --report DIR, the folder for its pictures.", ctx)
    needed = check(job, report=given["folder"] is not None)
    check_page(job, given["folder"], PICTURES, iiif=given["iiif"])
    if dry_run:
        tell_need(job.output, needed, as_json=as_json)
        return
    with progress_line("Fusing", needed.seconds) as watch:
        result = run(job, watch=watch, report=given["folder"], iiif=given["iiif"])
    record = result.record
    assert record is not None, "nothing here cancels a job"
    repeated = compare_with_record(old, result, output_path(given["record"])) if old else None
    for words in (*result.notes, *(options.hints() if old is None and chosen is None else ())):
        note(f"Note: {words}")
    if as_json:
        click.echo(json.dumps(_data(result, record, repeated), ensure_ascii=False))
    else:
        say("\n".join(_words(result, record, repeated)))
    if not result.fusion.status.is_success:
        click.echo(f"osmofuse: {warning(result.fusion.status)}", err=True)
        ctx.exit(NOT_AS_ASKED)
    if repeated and not repeated.identical:
        click.echo(f"osmofuse: {given['record']} is not repeated exactly; see above", err=True)
        ctx.exit(NOT_AS_ASKED)


def _job(ctx: click.Context, given: dict[str, Any], chosen: Recipe | None) -> Job:
    """Return the job that arguments and options describe, and a recipe where they say nothing."""
    options.check_pair(ctx, given)
    assert isinstance(ctx.command, _Command), "this is its command"
    parts = {name: given[name] for name in _CHOICES if chosen is None or options.is_given(name)}
    method = parts["method"] if "method" in parts or chosen is None else chosen.method
    parts |= {"foreground": given["foreground"], "backgrounds": given["background"]}
    parts |= _outputs(given)
    parts["settings"] = chosen_settings(method, dict(_given(ctx)), ctx.command.settings)
    return job_with_recipe(chosen, **parts) if chosen else Job(**sized(parts))


def _repeated_job(ctx: click.Context, given: dict[str, Any], old: Record) -> Job:
    """Return the job of a record; inputs that have moved may be given anew."""
    moved = {"foreground": given["foreground"], "backgrounds": given["background"]}
    moved = {name: value for name, value in moved.items() if value}
    if isinstance(given["alpha"], Path) and old.input("alpha"):
        moved["alpha"] = given["alpha"]
    fixed = (*_CHOICES, "recipe")
    asked = [name for name in fixed if options.is_given(name) and name not in moved]
    if clash := [*asked, *(name for name, _ in _given(ctx))]:
        names = ", ".join(f"--{name.replace('_', '-')}" for name in clash)
        raise click.UsageError(f"--from repeats a record as it is; leave out {names}.", ctx)
    return job_of_record(given["record"], **_outputs(given), **moved)


def _given(ctx: click.Context) -> Iterator[tuple[str, str]]:
    """Yield name and text of each setting that was given."""
    for one in ctx.command.params:
        if isinstance(one, SettingOption) and ctx.params[str(one.name)] is not None:
            yield one.option_name, ctx.params[str(one.name)]


def _outputs(given: dict[str, Any]) -> dict[str, Any]:
    names = ("output", "structure", "overwrite", "max_memory")
    return {"alpha_output": given["alpha_out"], **{name: given[name] for name in names}}


def _data(result: Result, record: Record, repeated: Repetition | None) -> dict[str, Any]:
    """Return what `--json` prints."""
    data: dict[str, Any] = {
        "files": file_data(result.files),
        "notes": list(result.notes),
        "record": record.as_json(),
    }
    return data | ({"repeat": asdict(repeated)} if repeated else {})


def _words(result: Result, record: Record, repeated: Repetition | None) -> Iterator[str]:
    """Yield what is printed otherwise."""
    yield summary(result.fusion, record.result["clipped"])
    yield from file_lines(result.files)
    if repeated is None:
        return
    same = "those of the record, bit for bit" if repeated.identical else "NOT the record’s"
    yield f"The pixels are {same}."
    for line in repeated.differences:
        yield f"  {line}"
