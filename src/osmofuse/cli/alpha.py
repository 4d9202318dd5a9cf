"""The option ``--alpha``: a number, or else the path of a map."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from osmofuse.cli.numbers import comma_hint


class AlphaType(click.ParamType):  # type: ignore[type-arg]
    """A number, or else the path of a map."""

    name = "number|file"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float | Path:
        """Return the number, or the path."""
        try:
            return float(value)
        except ValueError:
            path = Path(value)
        if (hint := comma_hint(str(value))) and not path.exists():
            self.fail(f"{value!r} is neither a number nor a file{hint}.", param, ctx)
        return path
