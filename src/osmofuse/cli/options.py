"""Options that several commands have: the same name, meaning and words in each of them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click
from click.core import ParameterSource

from osmofuse.cli.alpha import AlphaType
from osmofuse.cli.numbers import Number
from osmofuse.jobs.job import LEVELS
from osmofuse.metrics.catalogue import SETS

Function = TypeVar("Function", bound=Callable[..., Any])

FILE = click.Path(path_type=Path)


class NamesType(click.ParamType):  # type: ignore[type-arg]
    """Names with commas between."""

    name = "name,name…"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[str, ...]:
        """Return the names."""
        return tuple(name.strip() for name in str(value).split(",") if name.strip())


class MetricsType(NamesType):
    """A set of metrics, or their names with commas between."""

    name = "set|name,name…"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the one name, which may be that of a set, or all names."""
        names = super().convert(value, param, ctx)
        return names[0] if len(names) == 1 else names


overwrite = click.option(
    "--overwrite", is_flag=True, help="Replace files that exist. Never an input."
)
as_json = click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")
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
soften = click.option(
    "--soften",
    type=Number(),
    default=0.0,
    metavar="SIGMA",
    help="Blur the map of alpha first, by so many pixels.  [default: not]",
)
levels = click.option(
    "--levels",
    type=click.Choice(LEVELS),
    default="as-is",
    show_default=True,
    help="Adjust the background's range: stretch it between percentiles, or match the "
    "foreground's.",
)


def is_given(name: str) -> bool:
    """Tell whether the command that runs was given an option."""
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
