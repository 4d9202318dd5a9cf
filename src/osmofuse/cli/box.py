"""A part of a picture, as viewers tell it: X,Y,WIDTH,HEIGHT."""

from __future__ import annotations

from typing import Any

import click

from osmofuse.report import Box


class BoxType(click.ParamType):  # type: ignore[type-arg]
    """Four whole numbers: left, top, width and height in pixels."""

    name = "x,y,width,height"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Box:
        """Return the rows and the columns."""
        try:
            x, y, width, height = (int(part) for part in str(value).split(","))
        except ValueError:
            self.fail(f"{value!r} is not X,Y,WIDTH,HEIGHT, four whole numbers", param, ctx)
        if min(x, y) < 0 or min(width, height) < 1:
            self.fail(f"{value!r} holds no pixel", param, ctx)
        return slice(y, y + height), slice(x, x + width)
