"""Options that several commands share, and their groups in the help text."""

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

# An option has one meaning, so it has the same group in all commands.
_HOW = "How"
_OPTION_GROUPS = {
    "Pictures": ("page", "align", "levels", "working_space", "truth", "ink", "points", "places",
                 "flat"),
    "Where": ("alpha", "boundary", "mask", "at", "invert", "soften", "edge"),
    _HOW: (),
    "Output": (
        "output", "depth", "structure", "alpha_output", "valid_output", "foreground_output",
        "preview", "zoom", "report", "iiif", "rank", "overwrite", "as_json", "quiet",
    ),
    "Checks": ("dry_run", "max_memory"),
}  # fmt: skip


def group_of(option: str) -> str:
    """Return the group of an option; "How" if no other group lists it."""
    return next((group for group, names in _OPTION_GROUPS.items() if option in names), _HOW)


def _place(option: click.Parameter) -> int:
    """Return the place of an option in its group; those of "How" keep the command's order."""
    names = _OPTION_GROUPS[group_of(str(option.name))]
    return names.index(str(option.name)) if option.name in names else 0


class GroupedCommand(click.Command):
    """Command whose help lists its options in groups."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options in a section for each group; --help comes last."""
        sections: dict[str, list[tuple[str, str]]] = {group: [] for group in _OPTION_GROUPS}
        help_option = self.get_help_option(ctx)
        for one in sorted(self.get_params(ctx), key=_place):
            line = one.get_help_record(ctx) if isinstance(one, click.Option) else None
            if line is not None and one is not help_option:
                sections[group_of(str(one.name))].append(line)
        last = next((lines for lines in reversed(sections.values()) if lines), sections[_HOW])
        if help_option is not None and (line := help_option.get_help_record(ctx)) is not None:
            last.append(line)
        for title, lines in sections.items():
            if lines:
                with formatter.section(title):
                    formatter.write_dl(lines)


Function = TypeVar("Function", bound=Callable[..., Any])


def file(words: str, *names: str) -> Callable[[Function], Function]:
    """Return an option that takes the path of a file."""
    return click.option(*names, type=FILE, metavar="FILE", help=words)


def one_of(
    option: str, known: Sequence[str], words: str, default: str | None = None, metavar: str = "NAME"
) -> Callable[[Function], Function]:
    """Return an option that takes one of several names."""
    return click.option(
        option,
        type=OneOf(known),
        default=default,
        show_default=default is not None,
        metavar=metavar,
        help=words,
    )


def _alpha_option(
    kind: AlphaType, words: str, default: str = "0.5", **parts: Any
) -> Callable[[Function], Function]:
    text = (
        "Keep FOREGROUND where this is 1 or white, let BACKGROUND enter where it is 0 or black; "
        f"auto makes a map.{words}  [default: {default}]"
    )
    if default == "0.5":
        parts["default"] = (default,) if parts.get("multiple") else default
    return click.option("--alpha", type=kind, metavar="NUMBER|auto|FILE", help=text, **parts)


COMMON = ("output", "overwrite", "max_memory", "report")  # fields that all jobs have

overwrite = click.option(
    "--overwrite", is_flag=True, help="Replace existing files, but never an input."
)
as_json = click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")
report = click.option(
    "--report",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="DIR",
    help="Also write an HTML page that shows the result.",
)
max_memory = click.option(
    "--max-memory",
    type=SizeType(),
    metavar="SIZE",
    help="Refuse to start if it needs more than this, e.g. 4G.",
)
dry_run = click.option("--dry-run", is_flag=True, help="Only print the memory and time needed.")
page = click.option(
    "--page",
    type=int,
    multiple=True,
    metavar="N",
    help="Read this page of the files; repeat it for each file.",
)
truth = file("Score against this ground truth.", "--truth")
ink = file("Score legibility with this map: black on ink, white on ground.", "--ink")
alpha = _alpha_option(AlphaType(auto=True), "")
alphas = _alpha_option(
    AlphaType(auto=True),
    " With MORE pictures, give weights that sum to 1, FOREGROUND's first.",
    default="found",
    multiple=True,
)
alphas_tried = _alpha_option(
    AlphasType(), " Separate several with commas to try each.", multiple=True
)
invert = click.option("--invert", is_flag=True, help="Swap black and white in the map.")
soften = click.option(
    "--soften",
    type=Length(),
    default=0.0,
    metavar="PIXELS",
    help="Blur the map with this sigma, in pixels or like '2 %'.",
)
levels = one_of("--levels", LEVELS, f"Adjust BACKGROUND's range: {', '.join(LEVELS)}.", "as-is")
working_space = one_of(
    "--working-space", WORKING_SPACES, "Fuse stored samples (encoded) or light (linear).", "encoded"
)
align = click.option(
    "--align",
    type=OneOf(KINDS),
    callback=lambda _, __, kind: kind and {"transform": kind},
    metavar="KIND",
    help=f"Align BACKGROUND to FOREGROUND first: {', '.join(KINDS)}.",
)
recipe = click.option(
    "--recipe",
    type=RecipeName(),
    metavar="NAME|FILE",
    help="Take everything not given here from a recipe; osmofuse recipes lists them.",
)
depth = one_of("--depth", DEPTHS, f"Write {', '.join(DEPTHS)}; by default FOREGROUND's.")


def decorated(function: Function, parts: Sequence[Callable[[Any], Any]]) -> Function:
    """Add several options to a command, in their order."""
    # The last decorator of a list is applied first.
    result: Function = reduce(lambda made, part: part(made), reversed(parts), function)
    return result


def output(words: str, *, required: bool = True) -> Callable[[Function], Function]:
    """Return the option for the file or folder to write."""
    return click.option("-o", "--output", type=FILE, required=required, metavar="PATH", help=words)


def check_inversion(ctx: click.Context, given: Mapping[str, Any]) -> None:
    """Refuse --invert without --alpha."""
    if given["invert"] and not is_given("alpha"):
        raise click.UsageError("--invert needs a map; give --alpha map.png.", ctx)


def check_arguments(ctx: click.Context, given: Mapping[str, Any], *names: str) -> None:
    """Refuse a command without its file arguments, which are optional in some modes."""
    for name in names:
        if given[name] in (None, ()):
            raise click.UsageError(f"Missing argument '{name.upper()}'.", ctx)


def is_given(name: str) -> bool:
    """Return True if an option is given on the command line."""
    source = click.get_current_context().get_parameter_source(name)
    return source is ParameterSource.COMMANDLINE


def given_or_recipe(given: Mapping[str, Any], names: Iterable[str]) -> dict[str, Any]:
    """Return options by name; with a recipe, only those given on the command line."""
    everything = given["recipe"] is None
    return {name: given[name] for name in names if everything or is_given(name)}


def hints() -> list[str]:
    """Return advice for a better result."""
    if is_given("alpha"):
        return []
    return [
        "alpha is 0.5 everywhere, since none was given, and methods that need a region do nothing. "
        "osmofuse fuse without a method needs no map. For others paint one over the foreground, "
        "white to keep it, black where the background's structure is to enter, save it in grey and "
        "the same size, and give --alpha map.png"
    ]


def metrics(default: str) -> Callable[[Function], Function]:
    """Return the option that chooses the metrics."""
    return click.option(
        "--metrics",
        type=MetricsType(),
        default=default,
        show_default=bool(default),
        metavar="SET|NAME,NAME…",
        help=f"Score these sets ({', '.join(SETS)}) or metrics; osmofuse metrics lists them.",
    )
