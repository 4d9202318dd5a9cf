"""The option ``--alpha``: a number, the word "auto", or else the path of a map."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from osmofuse.cli.numbers import comma_hint


class AlphaType(click.ParamType):  # type: ignore[type-arg]
    """A number, or else the path of a map; perhaps the word "auto".

    Parameters
    ----------
    auto : bool
        Whether a map may be made from the pictures.
    """

    def __init__(self, *, auto: bool = False) -> None:
        self.auto = auto
        self.name = "number|auto|file" if auto else "number|file"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float | str | Path:
        """Return the number, the word or the path."""
        if self.auto and value == "auto":
            return "auto"
        try:
            return float(value)
        except ValueError:
            path = Path(value)
        if (hint := comma_hint(str(value))) and not path.exists():
            self.fail(f"{value!r} is neither a number nor a file{hint}.", param, ctx)
        return path
