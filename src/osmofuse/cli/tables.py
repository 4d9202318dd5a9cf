"""Tables on the terminal, as wide as it is."""

from __future__ import annotations

from rich.console import Console
from rich.table import Table

from osmofuse.cli.voice import is_quiet

_PLAIN_WIDTH = 120  # of a table that goes into a file


def table_width() -> int:
    """Return the width of the terminal; of what is no terminal, that of a plain file."""
    console = Console()
    return console.width if console.is_terminal else _PLAIN_WIDTH


def print_table(table: Table) -> None:
    """Print a table on stdout, unless the command is quiet."""
    if not is_quiet():
        Console(width=table_width()).print(table)
