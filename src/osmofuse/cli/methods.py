"""``osmofuse methods``: list of fusion methods, and the settings of each."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Iterator
from typing import Any

import click
from click.shell_completion import CompletionItem

from osmofuse.cli import options
from osmofuse.cli.options import GroupedCommand
from osmofuse.cli.output import TEXT_WIDTH, print_note, print_text
from osmofuse.cli.settings import USUAL
from osmofuse.errors import OsmofuseError
from osmofuse.methods import method_names
from osmofuse.methods.describe import MethodInfo, Setting, describe, shown
from osmofuse.record import plain


class _MethodName(click.types.StringParamType):
    """Name of a method, which the shell completes."""

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        return [CompletionItem(name) for name in method_names() if name.startswith(incomplete)]


@click.command("methods", cls=GroupedCommand)
@click.argument("name", type=_MethodName(), required=False, metavar="[NAME]")
@options.as_json
def command(name: str | None, as_json: bool) -> None:
    """List the fusion methods, or print the settings of one.

    \b
    osmofuse methods
    osmofuse methods poisson
    osmofuse fuse visible.tif infrared.tif --method poisson --set guidance=mixed -o fused.tif
    """  # noqa: D301 (a real backspace keeps the lines of the examples apart)
    found = list(_usable()) if name is None else [describe(name)]
    if as_json:
        data = [_data(one) for one in found]
        click.echo(json.dumps(data if name is None else data[0], ensure_ascii=False))
    elif name is None:
        width = max(len(one.name) for one in found)
        print_text("\n".join(f"{one.name:<{width}}  {one.summary}" for one in found))
        print_text("\nosmofuse methods NAME prints the settings of one.")
    else:
        print_text("\n".join(_words(found[0])))


def _usable() -> Iterator[MethodInfo]:
    """Yield the methods; note those of other packages that cannot be used."""
    for name in method_names():
        try:
            yield describe(name)
        except OsmofuseError as error:
            print_note(f"Note: {error}")


def _data(one: MethodInfo) -> dict[str, Any]:
    names = ("name", "symbol", "default", "values", "words")
    settings = [plain({name: getattr(each, name) for name in names}) for each in one.settings]
    return {"name": one.name, "summary": one.summary, "settings": settings}


def _words(one: MethodInfo) -> Iterator[str]:
    yield f"{one.name}: {one.summary}"
    if not one.settings:
        yield "It has no settings."
        return
    typed = [f"--{setting.name}" for setting in one.settings if setting.name in USUAL]
    also = f", or as options: {', '.join(typed)}" if typed else ""
    yield f"Settings, given as --set NAME=VALUE{also}."
    for setting in one.settings:
        yield ""
        yield from _lines(setting)


def _lines(setting: Setting) -> Iterator[str]:
    symbol = f" ({setting.symbol})" if setting.symbol else ""
    values = f"; {setting.values}" if setting.values else ""
    yield f"{setting.name}{symbol}: default {shown(setting.default)}{values}"
    yield from textwrap.wrap(
        setting.words, TEXT_WIDTH, initial_indent="    ", subsequent_indent="    "
    )
