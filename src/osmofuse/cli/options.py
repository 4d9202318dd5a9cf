"""Options that several commands have: the same name, meaning and words in each of them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

import click
from click.core import ParameterSource
from click.shell_completion import CompletionItem

from osmofuse.cli.alpha import AlphaType
from osmofuse.cli.numbers import Length
from osmofuse.errors import did_you_mean
from osmofuse.jobs.job import MOST_BYTES
from osmofuse.metrics.catalogue import SETS, metric_names
from osmofuse.preparation.registration.transform import KINDS
from osmofuse.tasks.prepare import LEVELS, WORKING_SPACES

Function = TypeVar("Function", bound=Callable[..., Any])

FILE = click.Path(path_type=Path)
COMMON = ("output", "overwrite", "max_memory", "report")  # parts that all jobs have


class NamesType(click.ParamType):  # type: ignore[type-arg]
    """Names with commas between, each once.

    Parameters
    ----------
    known : iterable of str
        What the shell may complete.
    """

    name = "name,name…"

    def __init__(self, known: Iterable[str] = ()) -> None:
        self.known = tuple(known)

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[str, ...]:
        """Return the names."""
        names = tuple(name.strip() for name in str(value).split(",") if name.strip())
        if twice := next((name for name in names if names.count(name) > 1), None):
            self.fail(f"{twice!r} is named twice; name each once.", param, ctx)
        return names

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """Return the names that the last one may become, behind those that are there."""
        before, comma, last = incomplete.rpartition(",")
        taken = before.split(",")
        found = [name for name in self.known if name.startswith(last) and name not in taken]
        return [CompletionItem(f"{before}{comma}{name}") for name in found]


class MetricsType(NamesType):
    """A set of metrics, or their names with commas between."""

    name = "set|name,name…"

    def __init__(self) -> None:
        super().__init__((*SETS, *metric_names()))

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the one name, which may be that of a set, or all names."""
        names = super().convert(value, param, ctx)
        return names[0] if len(names) == 1 else names


class OneOf(click.Choice):  # type: ignore[type-arg]
    """One of some names; who mistypes it is asked whether another was meant."""

    def get_invalid_choice_message(self, value: Any, ctx: click.Context | None) -> str:
        """Return what to say to a name that is none of them."""
        known = [str(name) for name in self.choices]
        return f"{value!r} is not one of {', '.join(known)}{did_you_mean(value, known)}."


class SizeType(click.ParamType):  # type: ignore[type-arg]
    """A number of bytes, e.g. 500M or 4G."""

    name = "size"
    units = " kMGT"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """Return the number."""
        found = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([kKMGT]?)(i?)B?", str(value))
        if found is None:
            self.fail(f"{value!r} is no number of bytes like 500M or 4G", param, ctx)
        power: int = self.units.lower().index(found[2].lower() or " ")
        size = float(found[1]) * float(1024 if found[3] else 1000) ** power
        if not 1 <= size <= MOST_BYTES:
            self.fail(f"{value!r} must be from 1 byte to 9000000T", param, ctx)
        return round(size)


overwrite = click.option(
    "--overwrite", is_flag=True, help="Replace files that exist. Never an input."
)
as_json = click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")
report = click.option(
    "--report",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="DIR",
    help="Also write a page to look at what was done, with its figures and the record.",
)
max_memory = click.option(
    "--max-memory", type=SizeType(), help="Refuse to start if more is needed, e.g. 4G."
)
dry_run = click.option(
    "--dry-run", is_flag=True, help="Only say what it would need, and whether it fits."
)
page = click.option(
    "--page",
    type=click.IntRange(min=1),
    multiple=True,
    metavar="N",
    help="Page of files that have several, from 1: once for all pictures, or once for each, in the "
    "order of the command.  [default: the first, with a note]",
)
truth = click.option("--truth", type=FILE, help="The right answer, where there is one.")
alpha = click.option(
    "--alpha",
    type=AlphaType(auto=True),
    default="0.5",
    show_default=True,
    help="1 keeps the foreground, 0 lets the background's structure enter: a number for the whole "
    "picture; a picture of a map (white keeps, black lets enter); or auto, a map made from the two "
    "pictures.",
)
alphas = click.option(
    "--alpha",
    type=AlphaType(auto=True),
    default=("0.5",),
    multiple=True,
    help="1 keeps the foreground, 0 lets the background's structure enter: a number for the whole "
    "picture; a picture of a map (white keeps, black lets enter); or auto, a map made from the two "
    "pictures. With several backgrounds once for each picture, FOREGROUND first.  [default: 0.5]",
)
invert = click.option(
    "--invert",
    is_flag=True,
    help="The map of --alpha is white where the background enters, black where the foreground is "
    "kept.",
)
soften = click.option(
    "--soften",
    type=Length(),
    default=0.0,
    metavar="SIGMA",
    help="Blur the map with this standard deviation, in pixels, or e.g. '2 %' of the picture's "
    "side.  [default: no blur]",
)
levels = click.option(
    "--levels",
    type=OneOf(LEVELS),
    default="as-is",
    show_default=True,
    help="Adjust the background's range: stretch it between percentiles, or match the "
    "foreground's.",
)
working_space = click.option(
    "--working-space",
    type=OneOf(WORKING_SPACES),
    default="encoded",
    show_default=True,
    help="Fuse samples as they are stored, or proportional to light.",
)
align = click.option(
    "--align",
    type=OneOf(KINDS),
    callback=lambda _, __, kind: kind and {"transform": kind},
    help="Lay BACKGROUND over FOREGROUND first; it may have another size.",
)


def output(words: str, *, required: bool = True) -> Callable[[Function], Function]:
    """Return the option that says where to write."""
    return click.option("-o", "--output", type=FILE, required=required, help=words)


def method(known: Sequence[str], words: str, default: str) -> Callable[[Function], Function]:
    """Return the option that chooses a method."""
    return click.option(
        "--method", type=OneOf(known), default=default, show_default=True, help=words
    )


def preview(words: str) -> Callable[[Function], Function]:
    """Return the option that asks for a picture to look at."""
    return click.option("--preview", type=FILE, help=words)


def check_inversion(ctx: click.Context, given: Mapping[str, Any]) -> None:
    """Refuse --invert without --alpha."""
    if given["invert"] and not is_given("alpha"):
        raise click.UsageError("--invert needs a map; give --alpha map.png.", ctx)


def check_arguments(ctx: click.Context, given: Mapping[str, Any], *names: str) -> None:
    """Refuse a command without its files, which not all that it can do needs."""
    for name in names:
        if given[name] in (None, ()):
            raise click.UsageError(f"Missing argument '{name.upper()}'.", ctx)


def is_given(name: str) -> bool:
    """Return True if the command that runs was given an option."""
    source = click.get_current_context().get_parameter_source(name)
    return source is ParameterSource.COMMANDLINE


def hints() -> list[str]:
    """Return what may make the next result better."""
    if is_given("alpha"):
        return []
    return [
        "alpha is 0.5 everywhere, since none was given, and methods that need a region do nothing. "
        "A map makes the result stronger: try --alpha auto, or paint one over the foreground, "
        "white to keep it, black where the background's structure is to enter, save it in grey and "
        "the same size, and give --alpha map.png"
    ]


def metrics(default: str) -> Callable[[Function], Function]:
    """Return the option that says what to score."""
    return click.option(
        "--metrics",
        type=MetricsType(),
        default=default,
        show_default=default or "none",
        metavar="SET|NAME,NAME…",
        help=f"What to score: one of the sets {', '.join(SETS)}, or names with commas between.",
    )
