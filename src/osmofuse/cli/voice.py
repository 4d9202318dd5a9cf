"""Words for people, which ``--quiet`` turns off: results, notes, warnings."""

from __future__ import annotations

import logging

import click

_QUIET = "osmofuse.quiet"


class _Printer(logging.Handler):
    """Print each line of the log once, on whatever stderr is by then."""

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
    """Print what the package logs, from now on."""
    log = logging.getLogger("osmofuse")
    log.addHandler(_printer)
    log.setLevel(logging.INFO)


def _hush(ctx: click.Context, _: click.Parameter, quiet: bool) -> None:
    ctx.meta[_QUIET] = quiet
    _printer.setLevel(logging.ERROR if quiet else logging.NOTSET)


# Every command has it; `osmofuse.cli` adds it.
QUIET = click.Option(
    ["--quiet"],
    is_flag=True,
    expose_value=False,
    is_eager=True,
    callback=_hush,
    help="Print only errors and JSON.",
)


def is_quiet() -> bool:
    """Return True if the command that runs is to say nothing but errors and data."""
    ctx = click.get_current_context(silent=True)
    return ctx is not None and bool(ctx.meta.get(_QUIET))


def say(text: str, *, nl: bool = True) -> None:
    """Print a result in words on stdout."""
    if not is_quiet():
        click.echo(text, nl=nl)


def note(text: str) -> None:
    """Print a note on stderr."""
    if not is_quiet():
        click.echo(text, err=True)
