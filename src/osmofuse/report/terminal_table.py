"""Comparisons and sweeps as tables for a terminal: plain text that fits its width."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from itertools import zip_longest
from typing import TYPE_CHECKING, TypeAlias

from osmofuse.report.table import Published, Table, tabulated, tabulated_study

if TYPE_CHECKING:
    from osmofuse.tasks import Comparison, Trial

_GAP = "  "  # between columns
_NARROWEST = 20  # characters

Cells: TypeAlias = list[list[str]]  # of a column, each in lines; the first is the heading


def terminal_table(
    comparisons: Sequence[Comparison], *, width: int = 80, published: Published | None = None
) -> str:
    """Return comparisons as plain text that fits a width.

    Columns that do not fit go into further blocks, each with the names.

    Parameters
    ----------
    comparisons, published
        As for `markdown_table`.
    width : int
        Characters in a line; 20 at least.

    Examples
    --------
    >>> from osmofuse.tasks import Comparison
    >>> print(terminal_table([Comparison("poisson", None, {}, "no pixel is free")]))
    method   seconds
    -------  -------
    poisson        –
    <BLANKLINE>
    poisson: no pixel is free
    """
    return fitted(tabulated(comparisons, published or {}), width)


def terminal_study(trials: Sequence[Trial], *, width: int = 80) -> str:
    """Return the trials of a sweep as plain text that fits a width.

    Parameters
    ----------
    trials : sequence of Trial
        Result of `osmofuse.sweep`.
    width : int
        As for `terminal_table`.
    """
    return fitted(tabulated_study(trials), width)


def fitted(table: Table, width: int) -> str:
    """Return a table as lines of at most `width` characters, 20 at least."""
    width = max(width, _NARROWEST)
    columns = [list(cells) for cells in zip(table.head, *table.rows, strict=True)]
    names = [_wrapped(name, width // 2) for name in _joined(columns[: table.names])]
    room = width - _widest(names) - len(_GAP)
    figures = [[_wrapped(cell, room) for cell in column] for column in columns[table.names :]]
    blocks = ["\n".join(_lines(block)) for block in _blocks(names, figures, width)]
    return "\n\n".join([*blocks, *(textwrap.fill(note, width) for note in table.notes)])


def _joined(columns: list[list[str]]) -> list[str]:
    """Return the columns that identify rows, joined."""
    widths = [max(map(len, column)) for column in columns]
    rows = zip(*columns, strict=True)
    return [_GAP.join(map(str.ljust, row, widths)).rstrip() for row in rows]


def _wrapped(text: str, width: int) -> list[str]:
    return [text] if len(text) <= width else textwrap.wrap(text, width) or [""]


def _widest(column: Cells) -> int:
    return max(len(line) for cell in column for line in cell)


def _blocks(names: Cells, figures: list[Cells], width: int) -> Iterator[list[Cells]]:
    """Yield blocks of columns that fit side by side, the names first."""
    block, used = [names], _widest(names)
    for column in figures:
        more = len(_GAP) + _widest(column)
        if used + more > width and len(block) > 1:
            yield block
            block, used = [names], _widest(names)
        block.append(column)
        used += more
    yield block


def _lines(block: list[Cells]) -> Iterator[str]:
    """Yield the lines of columns side by side; names left-aligned, figures right-aligned."""
    widths = [_widest(column) for column in block]
    for index, row in enumerate(zip(*block, strict=True)):
        for parts in zip_longest(*row, fillvalue=""):
            padded = [parts[0].ljust(widths[0]), *map(str.rjust, parts[1:], widths[1:])]
            yield _GAP.join(padded).rstrip()
        if index == 0:
            yield _GAP.join("-" * width for width in widths)
