"""Numbers as people type them."""

from __future__ import annotations

import re
from typing import Any

import click

from osmofuse.tasks.lengths import is_part


def number_hint(text: str) -> str:
    """Return what is wrong with a decimal comma or a per cent, for a message."""
    if re.fullmatch(r"[+-]?\d*,\d+", text):
        return f"; did you mean {text.replace(',', '.')}? Decimals have a point here"
    if re.fullmatch(r"\d+(\.\d+)? ?%", text):
        part = float(text.rstrip(" %")) / 100
        return f"; per cent are for lengths such as --reach; give a part like {part:g}"
    return ""


class Length(click.ParamType):  # type: ignore[type-arg]
    """A number of pixels, or a text like "2 %", of the side of a square as large as the picture."""

    name = "pixels|per cent"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float | str:
        """Return the number, or the text."""
        return str(value) if is_part(value) else Number().convert(value, param, ctx)


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
