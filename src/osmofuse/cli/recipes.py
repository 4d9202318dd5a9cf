"""``osmofuse recipes``: list of recipes, and the content of each."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from typing import Any

import click

from osmofuse.cli import options
from osmofuse.cli.options import GroupedCommand
from osmofuse.cli.output import print_json, print_text, usable, wrapped
from osmofuse.cli.types import RecipeName
from osmofuse.methods.describe import shown
from osmofuse.record import plain
from osmofuse.tasks import Recipe, recipe, recipe_files


@click.command("recipes", cls=GroupedCommand)
@click.argument("name", type=RecipeName(), required=False, metavar="[NAME|FILE]")
@options.as_json
def command(name: str | None, as_json: bool) -> None:
    """List the recipes, or print one in full.

    A recipe gives method, settings and map for a purpose; fuse, compare and sweep, or shadow, take
    from --recipe NAME what is not given as an option. Your own recipes are TOML files in the folder
    osmofuse/recipes of your configuration, or anywhere if you give their path.

    \b
    osmofuse recipes
    osmofuse recipes text
    osmofuse fuse visible.tif infrared.tif --recipe text -o fused.tif
    """  # noqa: D301 (a real backspace keeps the lines of the examples apart)
    found = list(usable(recipe_files(), recipe)) if name is None else [recipe(name)]
    text = None if name is None else found[0].path.read_text("utf-8")
    if as_json:
        data = [_data(one) for one in found]
        print_json(data if name is None else data[0] | {"text": text})
        return
    print_text("\n\n".join("\n".join(_words(one)) for one in found))
    if text is not None:
        print_text(f"\n{found[0].path}:\n\n{textwrap.indent(text, '    ')}", nl=False)


def _data(one: Recipe) -> dict[str, Any]:
    """Return the entries of `--json` for a recipe."""
    names = (
        "name", "title", "command", "alpha", "soften", "levels", "working_space", "align", "depth",
        "method", "settings",
        "scene", "sha256",
    )  # fmt: skip
    data: dict[str, Any] = plain({name: getattr(one, name) for name in names})
    picture = one.thumbnail
    paths = {"path": str(one.path), "thumbnail": None if picture is None else str(picture)}
    return data | {"for": one.purpose, **paths}


def _words(one: Recipe) -> Iterator[str]:
    """Yield the lines on a recipe."""
    yield f"{one.name}: {one.title}"
    yield from wrapped(one.purpose, "  ")
    named = (f"{name} {shown(value)}" for name, value in one.settings.items())
    settings = ", ".join(named) or "its defaults"
    if one.command == "fuse":
        yield f"  {one.method}{_manner(one)}: {settings}; {_map_words(one)}"
    else:
        yield f"  osmofuse {one.command}: {settings}"
    yield f"  {one.thumbnail or 'no picture'}"


def _manner(one: Recipe) -> str:
    """Return how the pictures are prepared, each part after a comma."""
    ways = [f"levels {one.levels}"] if one.levels != "as-is" else []
    ways += ["in linear light"] if one.working_space == "linear" else []
    ways += ["aligned"] if one.align is not None else []
    return "".join(f", {way}" for way in ways)


def _map_words(one: Recipe) -> str:
    alpha = "a map, which you give" if one.needs_map else shown(one.alpha)
    alpha = "none needed" if one.alpha is None and not one.needs_map else alpha
    return f"alpha: {alpha}" + (f", softened by {shown(one.soften)}" if one.soften else "")
