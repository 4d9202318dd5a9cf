"""The option ``--alpha``: a number, the word "auto", or else the path of a map."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import click

from osmofuse.cli.numbers import number_hint
from osmofuse.errors import did_you_mean


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
        if not os.path.exists(path):  # False also for a name that no file can have
            self._check_missing(str(value), param, ctx)
        return path

    def _check_missing(
        self, word: str, param: click.Parameter | None, ctx: click.Context | None
    ) -> None:
        """Refuse what is no file, and was hardly meant to be one."""
        if not self.auto and word == "auto":
            self.fail(
                "'auto' is for fusing; let osmofuse fuse write its map with --alpha-out map.png, "
                "and give that.",
                param,
                ctx,
            )
        if hint := number_hint(word) or (did_you_mean(word, ["auto"]) if self.auto else ""):
            self.fail(f"{word!r} is neither a number nor a file{hint}.", param, ctx)
