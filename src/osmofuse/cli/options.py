"""Options that several commands have: the same name, meaning and words in each of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import reduce
from pathlib import Path
from typing import Any, TypeVar

import click
from click.core import ParameterSource

from osmofuse.cli.types import (
    FILE,
    AlphasType,
    AlphaType,
    Length,
    MetricsType,
    OneOf,
    RecipeName,
    SizeType,
)
from osmofuse.metrics.catalogue import SETS
from osmofuse.pixels import DEPTHS
from osmofuse.registration.transform import KINDS
from osmofuse.tasks.prepare import LEVELS, WORKING_SPACES

Function = TypeVar("Function", bound=Callable[..., Any])

COMMON = ("output", "overwrite", "max_memory", "report")  # parts that all jobs have

overwrite = click.option(
    "--overwrite", is_flag=True, help="Replace existing files, but never an input."
)
as_json = click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")
report = click.option(
    "--report",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="DIR",
    help="Also write a page to look at, for the browser.",
)
max_memory = click.option(
    "--max-memory", type=SizeType(), metavar="SIZE", help="Refuse to start above it, e.g. 4G."
)
dry_run = click.option("--dry-run", is_flag=True, help="Only print the memory and time needed.")
page = click.option(
    "--page",
    type=int,
    multiple=True,
    metavar="N",
    help="Read this page of the files; repeat it for each file.",
)
truth = click.option("--truth", type=FILE, metavar="FILE", help="Score against this right answer.")
_MAP = (
    "Keep FOREGROUND where this is 1 or white, let BACKGROUND enter where it is 0 or black; auto "
    "makes a map."
)
alpha = click.option(
    "--alpha",
    type=AlphaType(auto=True),
    default="0.5",
    show_default=True,
    metavar="NUMBER|auto|FILE",
    help=_MAP,
)
alphas = click.option(
    "--alpha",
    type=AlphaType(auto=True),
    default=("0.5",),
    multiple=True,
    metavar="NUMBER|auto|FILE",
    help=f"{_MAP} With MORE pictures, give weights that sum to 1, FOREGROUND's first.  "
    "[default: 0.5]",
)
alphas_tried = click.option(
    "--alpha",
    type=AlphasType(),
    default=("0.5",),
    multiple=True,
    metavar="NUMBER|auto|FILE",
    help=f"{_MAP} Separate several with commas to try each.  [default: 0.5]",
)
invert = click.option("--invert", is_flag=True, help="Swap black and white in the map.")
soften = click.option(
    "--soften",
    type=Length(),
    default=0.0,
    metavar="PIXELS",
    help="Blur the map by this sigma, also '2 %'.",
)
levels = click.option(
    "--levels",
    type=OneOf(LEVELS),
    default="as-is",
    show_default=True,
    metavar="NAME",
    help=f"Adjust BACKGROUND's range: {', '.join(LEVELS)}.",
)
working_space = click.option(
    "--working-space",
    type=OneOf(WORKING_SPACES),
    default="encoded",
    show_default=True,
    metavar="NAME",
    help="Fuse stored samples (encoded) or light (linear).",
)
align = click.option(
    "--align",
    type=OneOf(KINDS),
    callback=lambda _, __, kind: kind and {"transform": kind},
    metavar="KIND",
    help=f"Lay BACKGROUND over FOREGROUND first: {', '.join(KINDS)}.",
)
recipe = click.option(
    "--recipe",
    type=RecipeName(),
    metavar="NAME|FILE",
    help="Take everything not given here from a recipe; osmofuse recipes lists them.",
)
depth = click.option(
    "--depth",
    type=OneOf(DEPTHS),
    metavar="NAME",
    help=f"Write {', '.join(DEPTHS)}; by default FOREGROUND's.",
)


def decorated(function: Function, parts: Sequence[Callable[[Any], Any]]) -> Function:
    """Give a command several options, in their order."""
    # The last decorator of a list stands next to the function.
    result: Function = reduce(lambda made, part: part(made), reversed(parts), function)
    return result


def output(words: str, *, required: bool = True) -> Callable[[Function], Function]:
    """Return the option for the file or folder to write."""
    return click.option("-o", "--output", type=FILE, required=required, metavar="PATH", help=words)


def method(known: Sequence[str], words: str, default: str) -> Callable[[Function], Function]:
    """Return the option that chooses a method."""
    return click.option(
        "--method", type=OneOf(known), default=default, show_default=True, metavar="NAME",
        help=words,
    )  # fmt: skip


def preview(words: str) -> Callable[[Function], Function]:
    """Return the option that asks for a picture to look at."""
    return click.option("--preview", type=FILE, metavar="FILE", help=words)


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


def given_or_recipe(given: Mapping[str, Any], names: Iterable[str]) -> dict[str, Any]:
    """Return options by name; with a recipe, which gives the others, only those typed."""
    everything = given["recipe"] is None
    return {name: given[name] for name in names if everything or is_given(name)}


def hints() -> list[str]:
    """Return advice that may make the next result better."""
    if is_given("alpha"):
        return []
    return [
        "alpha is 0.5 everywhere, since none was given, and methods that need a region do nothing. "
        "A map makes the result stronger: try --alpha auto, or paint one over the foreground, "
        "white to keep it, black where the background's structure is to enter, save it in grey and "
        "the same size, and give --alpha map.png"
    ]


def metrics(default: str) -> Callable[[Function], Function]:
    """Return the option that chooses what to score."""
    return click.option(
        "--metrics",
        type=MetricsType(),
        default=default,
        show_default=bool(default),
        metavar="SET|NAME,NAME…",
        help=f"Score these sets ({', '.join(SETS)}) or metrics; osmofuse metrics lists them.",
    )
