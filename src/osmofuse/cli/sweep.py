"""``osmofuse sweep``: one pair with many settings, and a sheet of the results."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import click

from osmofuse.cli import options
from osmofuse.cli.options import GroupedCommand
from osmofuse.cli.series import ending_options, run_series, series_options
from osmofuse.cli.settings import setting_options, tried_settings
from osmofuse.jobs import SweepJob
from osmofuse.tasks import Recipe


@click.command("sweep", cls=GroupedCommand)
@series_options
@options.alphas_tried
@setting_options
@options.metrics("")
@ending_options
@click.pass_context
def command(ctx: click.Context, /, **given: Any) -> None:
    """Fuse FOREGROUND and BACKGROUND with every combination of some settings.

    Give settings and --alpha several values, separated by commas; those not given keep their
    defaults. If nothing has several values, variational runs the paper's study of its weights. The
    folder gets a sheet of all pictures, the table as Markdown and CSV, and the record.

    \b
    osmofuse sweep visible.tif infrared.tif --alpha map.png -o study
    osmofuse sweep visible.tif infrared.tif --eta 0.05,0.1 --reach 5,10 -o study
    osmofuse sweep visible.tif infrared.tif --alpha 0.2,auto --set band=keep,repeat -o s
    """  # noqa: D301 (a real backspace keeps the lines of the examples apart)
    given["alpha"] = [one for many in given["alpha"] for one in many]
    if len(given["alpha"]) == 1:
        given["alpha"] = given["alpha"][0]
    run_series(ctx, SweepJob, "Sweeping", given, _own)


def _own(given: Mapping[str, Any], chosen: Recipe | None) -> dict[str, Any]:
    """Return the parts that only a sweep has."""
    own = options.given_or_recipe(given, ["method"])
    method = chosen.method if chosen is not None and not own else given["method"]
    return own | {"settings": tried_settings(method, given)}
