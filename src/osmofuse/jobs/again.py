"""The command that does a piece of work again, as one types it."""

from __future__ import annotations

import shlex
from collections.abc import Iterable
from pathlib import Path
from typing import Any


def again(command: str, files: Iterable[Path], output: Path, **options: Any) -> str:
    """Return a command that does the same, from the folder in which it was done.

    Parameters
    ----------
    command : str
        Its name.
    files : iterable of Path
        Its arguments.
    output : Path
        Where the work was written; the command writes beside it, and replaces nothing.
    **options
        By name, with "_" for "-". What is None or False is left out, what is True has no value,
        and several values have commas between them.

    Examples
    --------
    >>> again("compare", [Path("a b.tif")], Path("made/x.tif"), methods=("direct", "poisson"))
    "osmofuse compare 'a b.tif' --methods direct,poisson -o made/x-again.tif"
    """
    words = ["osmofuse", command, *map(str, files)]
    for number in options.pop("page", ()):  # an option for each
        words += ["--page", str(number)]
    for name, value in options.items():
        if value is None or value is False:
            continue
        words.append(f"--{name.replace('_', '-')}")
        if value is not True:
            words.append(_text(value))
    named = output if output.name else output.absolute()  # "." has no name
    other = named / "again"  # in "/", which has none at all
    if named.name:
        other = named.with_name(f"{named.stem}-again{named.suffix}")
    return shlex.join([*words, "-o", str(other)])


def _text(value: Any) -> str:
    if isinstance(value, list | tuple):
        return ",".join(map(_text, value))
    if value is None:
        return "rule"  # of a reach
    return str(value).removesuffix(".0") if isinstance(value, float) else str(value)
