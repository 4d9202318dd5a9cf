"""Origin of what a page shows: record, command, files."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from os import PathLike

from osmofuse.record import Record

__all__ = ["UNKNOWN", "Provenance"]


@dataclass(frozen=True)
class Provenance:
    """Origin of what a page shows.

    Parameters
    ----------
    record : Record, optional
        The record; the answers of a ranking belong to it.
    command : str
        What does it again.
    title : str
        Of the page; empty: as the page says by itself.
    inputs : sequence of paths
        Files of the work, which the page must never replace.
    """

    record: Record | None = None
    command: str = ""
    title: str = ""
    inputs: Sequence[str | PathLike[str]] = ()


UNKNOWN = Provenance()  # of what nobody has recorded
