"""Types of command-line arguments and options."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any, TypeAlias

import click
from click.shell_completion import CompletionItem

from osmofuse.errors import did_you_mean
from osmofuse.jobs.job import MOST_BYTES
from osmofuse.metrics.catalogue import SETS, metric_names
from osmofuse.tasks import recipe_files
from osmofuse.tasks.lengths import is_part

FILE = click.Path(path_type=Path)
# Parameter and context of a conversion, which click leaves out outside of a command.
Param: TypeAlias = click.Parameter | None
Ctx: TypeAlias = click.Context | None


def number_hint(text: str) -> str:
    """Return a hint on a decimal comma or a percentage, for a message; empty if there is none."""
    if re.fullmatch(r"[+-]?\d*,\d+", text):
        return f"; did you mean {text.replace(',', '.')}? Decimals have a point here"
    if re.fullmatch(r"\d+(\.\d+)? ?%", text):
        part = float(text.rstrip(" %")) / 100
        return f"; per cent are for lengths such as --reach; give a part like {part:g}"
    return ""


class Number(click.ParamType):  # type: ignore[type-arg]
    """Number, which may be ``inf``."""

    name = "number"

    def convert(self, value: Any, param: Param, ctx: Ctx) -> float:
        """Return the number."""
        try:
            return float(value)
        except ValueError:
            pixels = str(value).endswith("%") and param is not None and param.metavar == "PIXELS"
            hint = "; give a number of pixels" if pixels else number_hint(value)
            self.fail(f"{value!r} is not a number{hint}.", param, ctx)


class Length(click.ParamType):  # type: ignore[type-arg]
    """Number of pixels, or a text like "2 %" of the side of a square as large as the picture."""

    name = "pixels"

    def convert(self, value: Any, param: Param, ctx: Ctx) -> float | str:
        """Return the number, or the text."""
        return str(value) if is_part(value) else Number().convert(value, param, ctx)


class AlphaType(click.ParamType):  # type: ignore[type-arg]
    """Number or path of a map; with `auto` also the word "auto" for a computed map."""

    def __init__(self, *, auto: bool = False) -> None:
        self.auto = auto
        self.name = "number|auto|file" if auto else "number|file"

    def convert(self, value: Any, param: Param, ctx: Ctx) -> float | str | Path:
        """Return the number, the word or the path."""
        if self.auto and value == "auto":
            return "auto"
        if not str(value).strip():
            self.fail(f"{str(value)!r} is neither a number nor a file.", param, ctx)
        try:
            return float(value)
        except ValueError:
            path = Path(value)
        if not os.path.exists(path):  # False also for a name that no file can have
            self._check_missing(str(value), param, ctx)
        return path

    def _check_missing(self, word: str, param: Param, ctx: Ctx) -> None:
        """Refuse a text that is not a file and does not look like a path."""
        if not self.auto and word == "auto":
            self.fail(
                "'auto' is for fusing; let osmofuse fuse write its map with --alpha-out map.png, "
                "and give that.",
                param,
                ctx,
            )
        if hint := number_hint(word) or (did_you_mean(word, ["auto"]) if self.auto else ""):
            self.fail(f"{word!r} is neither a number nor a file{hint}.", param, ctx)


class AlphasType(AlphaType):
    """Several maps to try, separated by commas: numbers, "auto" and paths."""

    def __init__(self) -> None:
        super().__init__(auto=True)

    def convert(self, value: Any, param: Param, ctx: Ctx) -> Any:
        """Return the maps; an existing file may have commas in its name."""
        parts = [str(value)]
        if not os.path.exists(str(value)):
            parts = [part.strip() for part in parts[0].split(",")]
        return tuple(super(AlphasType, self).convert(part, param, ctx) for part in parts)


class PlaceType(click.ParamType):  # type: ignore[type-arg]
    """Place in a picture, X,Y, as (row, column)."""

    name = "x,y"

    def convert(self, value: Any, param: Param, ctx: Ctx) -> tuple[int, int]:
        """Return the row and the column."""
        try:
            x, y = (int(part) for part in str(value).split(","))
        except ValueError:
            self.fail(f"{value!r} is not X,Y, two whole numbers", param, ctx)
        return y, x


class BoxType(click.ParamType):  # type: ignore[type-arg]
    """Part of a picture as viewers show it: left, top, width and height in pixels."""

    name = "x,y,width,height"

    def convert(self, value: Any, param: Param, ctx: Ctx) -> tuple[int, int, int, int]:
        """Return the four numbers."""
        try:
            x, y, width, height = (int(part) for part in str(value).split(","))
        except ValueError:
            self.fail(f"{value!r} is not X,Y,WIDTH,HEIGHT, four whole numbers", param, ctx)
        if min(x, y) < 0 or min(width, height) < 1:
            self.fail(f"{value!r} holds no pixel", param, ctx)
        return x, y, width, height


class NamesType(click.ParamType):  # type: ignore[type-arg]
    """Names separated by commas, each once; the shell completes known ones."""

    name = "name,name…"

    def __init__(self, known: Iterable[str] = ()) -> None:
        self.known = tuple(known)

    def convert(self, value: Any, param: Param, ctx: Ctx) -> tuple[str, ...]:
        """Return the names."""
        names = tuple(name.strip() for name in str(value).split(",") if name.strip())
        if twice := next((name for name in names if names.count(name) > 1), None):
            self.fail(f"{twice!r} is named twice; name each once.", param, ctx)
        return names

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """Return completions of the last name, after the complete ones."""
        before, comma, last = incomplete.rpartition(",")
        taken = before.split(",")
        found = [name for name in self.known if name.startswith(last) and name not in taken]
        return [CompletionItem(f"{before}{comma}{name}") for name in found]


class MetricsType(NamesType):
    """Name of a set of metrics, or names of metrics separated by commas."""

    name = "set|name,name…"

    def __init__(self) -> None:
        super().__init__((*SETS, *metric_names()))

    def convert(self, value: Any, param: Param, ctx: Ctx) -> Any:
        """Return the one name, which may be that of a set, or all names."""
        names = super().convert(value, param, ctx)
        return names[0] if len(names) == 1 else names


class OneOf(click.Choice):  # type: ignore[type-arg]
    """One of several names; the error for an unknown one suggests the nearest."""

    def get_invalid_choice_message(self, value: Any, ctx: click.Context | None) -> str:
        """Return the message for an unknown name."""
        known = [str(name) for name in self.choices]
        return f"{value!r} is not one of {', '.join(known)}{did_you_mean(value, known)}."


class RecipeName(click.ParamType):  # type: ignore[type-arg]
    """Name of a recipe, or the path of its file; the shell completes names."""

    name = "name|file"

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """Return the names with this prefix; if there are none, complete file names."""
        names = [name for name in recipe_files() if name.startswith(incomplete)]
        return [CompletionItem(name) for name in names] or [CompletionItem("", type="file")]


class SizeType(click.ParamType):  # type: ignore[type-arg]
    """Number of bytes, e.g. 500M or 4G."""

    name = "size"
    units = " kMGT"

    def convert(self, value: Any, param: Param, ctx: Ctx) -> int:
        """Return the number."""
        found = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([kKMGT]?)(i?)B?", str(value))
        if found is None:
            self.fail(f"{value!r} is not a number of bytes like 500M or 4G", param, ctx)
        power: int = self.units.lower().index(found[2].lower() or " ")
        size = float(found[1]) * float(1024 if found[3] else 1000) ** power
        if not 1 <= size <= MOST_BYTES:
            self.fail(f"{value!r} must be from 1 byte to 9000000T", param, ctx)
        return round(size)
