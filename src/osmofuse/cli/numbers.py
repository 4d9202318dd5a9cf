"""Numbers as people type them."""

from __future__ import annotations

import re
from typing import Any

import click


def comma_hint(text: str) -> str:
    """Return what a number with a decimal comma may have been meant to be, for a message."""
    if re.fullmatch(r"[+-]?\d*,\d+", text):
        return f"; did you mean {text.replace(',', '.')}? Decimals have a point here"
    return ""


class Number(click.ParamType):  # type: ignore[type-arg]
    """A number, which may be ``inf``."""

    name = "number"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        """Return the number that a text stands for, or say what it may have been meant to be."""
        try:
            return float(value)
        except ValueError:
            self.fail(f"{value!r} is not a number{comma_hint(value)}.", param, ctx)
