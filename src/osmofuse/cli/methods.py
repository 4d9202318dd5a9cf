"""``osmofuse methods``: list of fusion methods, and the settings of each."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import click

from osmofuse.cli import options
from osmofuse.cli.options import GroupedCommand
from osmofuse.cli.output import print_json, print_text, usable, wrapped
from osmofuse.cli.settings import USUAL
from osmofuse.methods import method_names
from osmofuse.methods.describe import MethodInfo, Setting, describe, shown
from osmofuse.record import plain


def _completions(_: click.Context, __: click.Parameter, incomplete: str) -> list[str]:
    return [name for name in method_names() if name.startswith(incomplete)]


@click.command("methods", cls=GroupedCommand)
@click.argument("name", required=False, metavar="[NAME]", shell_complete=_completions)
@options.as_json
def command(name: str | None, as_json: bool) -> None:
    """List the fusion methods, or print the settings of one.

    \b
    osmofuse methods
    osmofuse methods poisson
    osmofuse fuse visible.tif infrared.tif --method poisson --set guidance=mixed -o fused.tif
    """  # noqa: D301 (a real backspace keeps the lines of the examples apart)
    found = list(usable(method_names(), describe)) if name is None else [describe(name)]
    if as_json:
        data = [_data(one) for one in found]
        print_json(data if name is None else data[0])
    elif name is None:
        width = max(len(one.name) for one in found)
        print_text("\n".join(f"{one.name:<{width}}  {one.summary}" for one in found))
        print_text("\nosmofuse methods NAME prints the settings of one.")
    else:
        print_text("\n".join(_words(found[0])))


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
    yield from wrapped(setting.words, "    ")
