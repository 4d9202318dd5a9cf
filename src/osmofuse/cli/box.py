"""A part of a picture, as viewers tell it: X,Y,WIDTH,HEIGHT."""

from __future__ import annotations

from typing import Any

import click


class BoxType(click.ParamType):  # type: ignore[type-arg]
    """Four whole numbers: left, top, width and height in pixels."""

    name = "x,y,width,height"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[int, int, int, int]:
        """Return the four numbers."""
        try:
            x, y, width, height = (int(part) for part in str(value).split(","))
        except ValueError:
            self.fail(f"{value!r} is not X,Y,WIDTH,HEIGHT, four whole numbers", param, ctx)
        if min(x, y) < 0 or min(width, height) < 1:
            self.fail(f"{value!r} holds no pixel", param, ctx)
        return x, y, width, height
