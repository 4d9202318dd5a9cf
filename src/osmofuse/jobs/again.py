"""The command that does a job again, as one types it."""

from __future__ import annotations

import shlex
from pathlib import Path


def again(kind: str, record: Path, output: Path) -> str:
    """Return a command that does a job again, from the folder in which it was done.

    Parameters
    ----------
    kind : str
        Of the job, which is the command's name.
    record : Path
        Its record.
    output : Path
        Where the work was written; the command writes beside it, and replaces nothing.

    Examples
    --------
    >>> again("compare", Path("a b/comparison.json"), Path("a b"))
    "osmofuse compare --from 'a b/comparison.json' -o 'a b-again'"
    """
    named = output if output.name else output.absolute()  # "." has no name
    other = named / "again"  # in "/", which has none at all
    if named.name:
        other = named.with_name(f"{named.stem}-again{named.suffix}")
    return shlex.join(["osmofuse", kind, "--from", str(record), "-o", str(other)])
