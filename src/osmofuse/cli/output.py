"""Printed output: results, notes, progress, tables; --quiet turns most of it off."""

from __future__ import annotations

import logging
import textwrap
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from math import isinf
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import click

from osmofuse.cli.interrupt import raise_pending
from osmofuse.errors import OsmofuseError
from osmofuse.progress import Progress, Status, Watch

if TYPE_CHECKING:  # `osmofuse --help` loads this file, but neither rich nor the methods
    from rich.status import Status as Spinner
    from rich.table import Table

    from osmofuse.methods import Fusion

Found = TypeVar("Found")

_QUIET_KEY = "osmofuse.quiet"  # in the metadata of the context


class _Printer(logging.Handler):
    """Log handler that prints each line once, on the current stderr."""

    def __init__(self) -> None:
        super().__init__()
        self._printed = set[str]()

    def emit(self, record: logging.LogRecord) -> None:
        text = record.getMessage()
        if text not in self._printed:
            self._printed.add(text)
            click.echo(text, err=True)


_printer = _Printer()


def print_log() -> None:
    """Print the log of the package from now on."""
    log = logging.getLogger("osmofuse")
    log.addHandler(_printer)
    log.setLevel(logging.INFO)


def _set_quiet(ctx: click.Context, _: click.Parameter, quiet: bool) -> None:
    ctx.meta[_QUIET_KEY] = quiet
    _printer.setLevel(logging.ERROR if quiet else logging.NOTSET)


# Option of every command, added by `osmofuse.cli`.
QUIET = click.Option(
    ["--quiet"],
    is_flag=True,
    expose_value=False,
    is_eager=True,
    callback=_set_quiet,
    help="Print only errors and JSON.",
)


def is_quiet() -> bool:
    """Return True if the current command has --quiet."""
    ctx = click.get_current_context(silent=True)
    return ctx is not None and bool(ctx.meta.get(_QUIET_KEY))


def print_text(text: str, *, nl: bool = True) -> None:
    """Print a result on stdout, unless the command is quiet."""
    if not is_quiet():
        click.echo(text, nl=nl)


def print_note(text: str) -> None:
    """Print a note on stderr, unless the command is quiet."""
    if not is_quiet():
        click.echo(text, err=True)


def print_json(data: object) -> None:
    """Print the result for ``--json`` on stdout, also of a quiet command."""
    import json

    click.echo(json.dumps(data, ensure_ascii=False))


def usable(names: Iterable[str], find: Callable[[str], Found]) -> Iterator[Found]:
    """Yield the object of each name; print a note for a name that cannot be used."""
    for name in names:
        try:
            yield find(name)
        except OsmofuseError as error:
            print_note(f"Note: {error}")


def file_lines(files: Mapping[str, Path]) -> list[str]:
    """Return a line for each file, with its role first."""
    width = max(map(len, files), default=0)
    return [f"  {role:<{width}} {path}" for role, path in files.items()]


def file_data(files: Mapping[str, Path]) -> dict[str, str]:
    """Return the files for `--json`."""
    return {role: str(path) for role, path in files.items()}


_TEXT_WIDTH = 100  # columns to which descriptions are wrapped; any of 60..120 works
_PLAIN_WIDTH = 120  # columns of a table that is not printed on a terminal; any of 80..200 works


def wrapped(text: str, indent: str) -> list[str]:
    """Return a description in indented lines."""
    return textwrap.wrap(text, _TEXT_WIDTH, initial_indent=indent, subsequent_indent=indent)


def table_width() -> int:
    """Return the width of the terminal, or a fixed width for files and pipes."""
    from rich.console import Console

    console = Console()
    return console.width if console.is_terminal else _PLAIN_WIDTH


def print_table(table: Table) -> None:
    """Print a table on stdout, unless the command is quiet."""
    from rich.console import Console

    if not is_quiet():
        Console(width=table_width()).print(table)


NOT_AS_ASKED = 5  # exit code: written, but not converged, or different from the record
# Status of a fusion in words.
ENDINGS = {
    Status.reached: "stopped at the given reach",
    Status.energy_rate: "converged, energy change below tolerance",
    Status.converged: "converged, change below tolerance",
    Status.stationary: "converged to the steady state",
    Status.direct: "computed directly, without iterations",
    Status.max_iter: "reached the largest number of iterations",
    Status.stalled: "no further step lowers the energy",
    Status.nonfinite: "a number overflowed; this is the last valid picture",
    Status.cancelled: "cancelled",
    Status.refused: "the pictures could not be registered",
}
# Advice for each status that is a failure.
REMEDIES = {
    Status.max_iter: "allow more with --set max_iter=N, or accept less with a larger --set rtol=N",
    Status.stalled: "look at the result, it may do; else try --set solver=flow or other settings",
    Status.nonfinite: "try --set precision=double, or settings nearer to their defaults",
}


def summary(fusion: Fusion, clipped: int) -> str:
    """Return time, ending, reach and clipped samples of a fusion in a sentence."""
    far = fusion.reach
    reach = "" if far is None or isinf(far) else f", reach {far:.1f} px"
    return (
        f"Fused in {fusion.seconds:.2f} s: {ENDINGS[fusion.status]} ({fusion.status}{reach}). "
        f"{clipped} of {fusion.image.size} samples lay outside the depth's range and were clipped."
    )


def warning(status: Status) -> str:
    """Return the warning for a fusion that did not converge, with a remedy."""
    return (
        f"did not converge ({status}): {ENDINGS[status]}. The result is written as far as it "
        f"came; {REMEDIES[status]}"
    )


def unfinished(name: str, status: Status) -> str:
    """Return the warning for one of several fusions that did not converge."""
    return f"{name} did not converge ({status}): {ENDINGS[status]}. It is written as far as it came"


@contextmanager
def progress_line(title: str, expected: float | None = None) -> Iterator[Watch]:
    """Show a title, the progress of the yielded watch, and what is left of `expected` seconds."""
    if is_quiet():
        yield _silent
        return
    from rich.console import Console

    console = Console(stderr=True)
    if not console.is_terminal:
        console.print(f"{title} ...", highlight=False)
        yield _silent
        return
    with console.status(title) as spinner:
        yield _Line(title, spinner, expected)


def _silent(_: Progress) -> bool:
    """Raise a pending interrupt; print nothing."""
    raise_pending()
    return False


class _Line:
    """Watch that updates a line on the terminal and never cancels."""

    def __init__(self, title: str, spinner: Spinner, expected: float | None = None) -> None:
        self.title, self.spinner, self.expected = title, spinner, expected

    def __call__(self, p: Progress) -> bool:
        raise_pending()
        place = "" if p.channel is None else f"channel {p.channel + 1} of {p.channels}, "
        reach = "" if p.reach is None else f"reach {p.reach:.1f} px, "
        energy = "" if p.energy is None else f"energy {p.energy:.5g}, "
        self.spinner.update(
            f"{self.title}: {place}{reach}iteration {p.iteration}, {energy}{p.seconds:.1f} s"
            f"{self._left(p)}"
        )
        return False

    def _left(self, p: Progress) -> str:
        """Return the time left as text, from the finished channels or else the estimate."""
        if p.channel:
            left = p.seconds * (p.channels / p.channel - 1)
        elif self.expected is not None:
            left = self.expected - p.seconds
        else:
            return ""
        return f", about {left:.0f} s left" if left >= 1 else ", about to end"
