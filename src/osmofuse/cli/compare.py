"""``osmofuse compare``: several methods on one pair, with their scores, times and sheets."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import click

from osmofuse.cli import options
from osmofuse.cli.options import GroupedCommand
from osmofuse.cli.series import ending_options, run_series, series_options
from osmofuse.cli.settings import set_option, settings_by_method
from osmofuse.cli.types import BoxType, NamesType
from osmofuse.jobs import CompareJob
from osmofuse.methods import method_names
from osmofuse.tasks import Recipe


@click.command("compare", cls=GroupedCommand)
@series_options
@options.alpha
@click.option(
    "--methods",
    type=NamesType(method_names()),
    metavar="NAME,NAME…",
    help="Compare these methods; by default all built-in ones.",
)
@set_option(methods=True)
@click.option(
    "--paper",
    is_flag=True,
    help="Compare as in the paper's Table I, with its values next to ours; --alpha is the map "
    "as drawn.",
)
@options.metrics("paper")
@click.option("--zoom", type=BoxType(), metavar="X,Y,WIDTH,HEIGHT", help="Show this part enlarged.")
@ending_options
@click.pass_context
def command(ctx: click.Context, /, **given: Any) -> None:
    """Fuse FOREGROUND and BACKGROUND by several methods, and score the results.

    The folder gets each method's picture, a contact sheet with times, a sheet with a part of each
    picture and its chromaticity error, the table as Markdown, LaTeX and CSV, and the record.

    \b
    osmofuse compare visible.tif infrared.tif --alpha map.png -o compared
    osmofuse compare visible.tif infrared.tif --methods poisson,variational -o compared
    osmofuse compare visible.tif infrared.tif --set variational.eta=0.2 -o compared
    osmofuse compare face.png other.png --alpha drawn.png --paper -o table-one
    osmofuse compare --rank ranking.json -o compared
    """  # noqa: D301 (a real backspace keeps the lines of the examples apart)
    run_series(ctx, CompareJob, "Comparing", given, _own)


def _own(given: Mapping[str, Any], _: Recipe | None) -> dict[str, Any]:
    """Return the parts that only a comparison has."""
    own = {name: given[name] for name in ("methods", "paper", "zoom")}
    return own | {"settings": settings_by_method(given)}
