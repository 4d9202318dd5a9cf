"""Tables on the terminal, as wide as it is."""

from __future__ import annotations

from rich.console import Console
from rich.table import Table

from osmofuse.cli.voice import is_quiet

_PLAIN_WIDTH = 120  # of a table that goes into a file


def print_table(table: Table) -> None:
    """Print a table on stdout, unless the command is quiet."""
    if is_quiet():
        return
    console = Console()
    if not console.is_terminal:
        console = Console(width=_PLAIN_WIDTH)
    console.print(table)
