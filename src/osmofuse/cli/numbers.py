"""Numbers as people type them."""

from __future__ import annotations

import re
from typing import Any

import click


def number_hint(text: str) -> str:
    """Return what is wrong with a decimal comma or a per cent, for a message."""
    if re.fullmatch(r"[+-]?\d*,\d+", text):
        return f"; did you mean {text.replace(',', '.')}? Decimals have a point here"
    if re.fullmatch(r"\d+(\.\d+)? ?%", text):
        part = float(text.rstrip(" %")) / 100
        return f"; per cent are for recipes: give pixels for a length, or a part like {part:g}"
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
            self.fail(f"{value!r} is not a number{number_hint(value)}.", param, ctx)
