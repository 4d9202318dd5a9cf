"""``osmofuse recipes``: which recipes there are, and what each of them says."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Iterator
from typing import Any

import click
from click.shell_completion import CompletionItem

from osmofuse.cli import options
from osmofuse.cli.voice import note, say
from osmofuse.errors import OsmofuseError
from osmofuse.record import plain
from osmofuse.tasks import Recipe, recipe, recipe_files

_WIDTH = 100


class RecipeName(click.ParamType):  # type: ignore[type-arg]
    """The name of a recipe, or the path of one's file; the shell completes names."""

    name = "name|file"

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """Return the names that begin like this; else let the shell look for files."""
        names = [name for name in recipe_files() if name.startswith(incomplete)]
        return [CompletionItem(name) for name in names] or [CompletionItem("", type="file")]


@click.command("recipes")
@click.argument("name", type=RecipeName(), required=False, metavar="[NAME|FILE]")
@options.as_json
def command(name: str | None, as_json: bool) -> None:
    """List the recipes, or tell all of one.

    A recipe says which method, settings and map serve a purpose; osmofuse fuse --recipe NAME takes
    from it what the command does not say. Your own are TOML files in the folder osmofuse/recipes of
    your configuration, or anywhere else if you give their path.

    \b
    osmofuse recipes
    osmofuse recipes text
    osmofuse fuse visible.tif infrared.tif --recipe text -o fused.tif

    It ends with 0; 2 for a recipe that there is not, or a wrong one, 3 if it cannot be read. In
    the list, a wrong one is only noted.
    """  # noqa: D301 (a real backspace keeps the lines of the examples apart)
    found = list(_readable()) if name is None else [recipe(name)]
    text = None if name is None else found[0].path.read_text("utf-8")
    if as_json:
        data = [_data(one) for one in found]
        told = data if name is None else data[0] | {"text": text}
        click.echo(json.dumps(told, ensure_ascii=False))
        return
    say("\n\n".join("\n".join(_words(one)) for one in found))
    if text is not None:
        say(f"\n{found[0].path}:\n\n{textwrap.indent(text, '    ')}", nl=False)


def _readable() -> Iterator[Recipe]:
    """Yield the recipes, and note what is none."""
    for name in recipe_files():
        try:
            yield recipe(name)
        except OsmofuseError as error:
            note(f"Note: {error}")


def _data(one: Recipe) -> dict[str, Any]:
    """Return what `--json` prints of a recipe."""
    names = (
        "name", "title", "alpha", "soften", "levels", "working_space", "align", "depth", "method",
        "settings",
        "scene", "sha256",
    )  # fmt: skip
    data: dict[str, Any] = plain({name: getattr(one, name) for name in names})
    picture = one.thumbnail
    paths = {"path": str(one.path), "thumbnail": None if picture is None else str(picture)}
    return data | {"for": one.purpose, **paths}


def _words(one: Recipe) -> Iterator[str]:
    """Yield what is printed of a recipe otherwise."""
    yield f"{one.name}: {one.title}"
    yield from textwrap.wrap(one.purpose, _WIDTH, initial_indent="  ", subsequent_indent="  ")
    weights = ", ".join(f"{name} {_shown(value)}" for name, value in one.settings.items())
    ways = [f"levels {one.levels}"] if one.levels != "as-is" else []
    ways += ["in linear light"] if one.working_space == "linear" else []
    ways += ["aligned"] if one.align is not None else []
    manner = "".join(f", {way}" for way in ways)
    yield f"  {one.method}{manner}: {weights or 'its defaults'}; {_map_words(one)}"
    yield f"  {one.thumbnail or 'no picture'}"


def _map_words(one: Recipe) -> str:
    alpha = "a map, which you give" if one.alpha is None else _shown(one.alpha)
    return f"alpha: {alpha}" + (f", softened by {_shown(one.soften)}" if one.soften else "")


def _shown(value: object) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)
