"""``osmofuse metrics``: list of metrics, and the definition of each."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict

import click
from rich import box
from rich.table import Table

from osmofuse.cli import options
from osmofuse.cli.options import GroupedCommand
from osmofuse.cli.output import print_json, print_table, print_text, wrapped
from osmofuse.errors import SettingError, did_you_mean
from osmofuse.metrics import MetricInfo, describe
from osmofuse.record import plain


@click.command("metrics", cls=GroupedCommand)
@click.argument("name", required=False, metavar="[NAME]")
@options.as_json
def command(name: str | None, as_json: bool) -> None:
    """List the metrics, or print one in full.

    \b
    osmofuse metrics
    osmofuse metrics chromaticity
    osmofuse score fused.tif visible.tif infrared.tif --metrics chromaticity,fmi
    """  # noqa: D301 (a real backspace keeps the lines of the examples apart)
    known = {one.name: one for one in describe()}
    if name is not None and name not in known:
        raise SettingError(
            f"metrics: {name!r} is unknown{did_you_mean(name, known)}; osmofuse metrics lists them"
        )
    if as_json:
        found = [plain(asdict(one)) for one in known.values() if name in (None, one.name)]
        print_json(found if name is None else found[0])
    elif name is None:
        print_table(_table(list(known.values())))
    else:
        print_text("\n".join(_words(known[name])))


def interval(range_: tuple[float, float]) -> str:
    """Return the range of a metric as text."""
    return " to ".join(metric_number(end) for end in range_)


def metric_number(value: float) -> str:
    """Return a value of a metric as text."""
    return f"{value:.5g}".replace("inf", "∞")


def _table(known: list[MetricInfo]) -> Table:
    table = Table(box=box.SIMPLE_HEAD)
    for head in ("metric", "better", "range", "definition"):
        table.add_column(head, no_wrap=head in ("metric", "better", "range"))
    for one in known:
        table.add_row(one.name, one.better or "–", interval(one.range), one.definition)
    return table


def _words(one: MetricInfo) -> Iterator[str]:
    yield f"{one.name}: {interval(one.range)}, better: {one.better or 'neither'}"
    parts = {"": one.definition, "Channels: ": one.channels, "Source: ": one.source}
    for title, text in (parts | {"Check: ": one.check}).items():
        yield from wrapped(title + text, "  ")
