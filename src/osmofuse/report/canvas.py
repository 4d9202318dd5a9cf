"""A white page to draw on: pictures, lines of text and colour bars, placed by the pixel."""

from __future__ import annotations

import textwrap
from dataclasses import dataclass
from typing import Any

import numpy as np

from osmofuse.errors import MissingExtraError
from osmofuse.report.colours import coloured
from osmofuse.typing import Array

__all__ = ["Bar", "Canvas", "line_height"]

_DPI = 64  # a power of two, so that lengths in inches give back whole pixels
_FONT, _INK, _HAIRLINE = "DejaVu Sans", "#262626", 200
_BAR = 16  # the width of a colour bar, in letters


@dataclass(frozen=True)
class Bar:
    """The colours of a map: what they show, and the value of the brightest."""

    label: str
    highest: float


def line_height(letters: int) -> int:
    """Return the distance between lines of letters of a size."""
    return letters * 4 // 3


class Canvas:
    """A white page of matplotlib's, measured in pixels from the top left corner."""

    def __init__(self) -> None:
        try:
            # Never pyplot: it keeps figures and may open windows.
            from matplotlib import figure
            from matplotlib.backends import backend_agg
        except ImportError as error:
            raise MissingExtraError(
                "the sheet needs matplotlib: pip install 'osmofuse[plot]'"
            ) from error
        self._figure = figure.Figure(dpi=_DPI, facecolor="white")
        self._figure.set_layout_engine("none")  # whatever the user's settings say
        self._agg: Any = backend_agg.FigureCanvasAgg(self._figure)
        self._frames: list[tuple[slice, slice]] = []

    @property
    def _size(self) -> tuple[int, int]:
        width, height = self._agg.get_width_height()
        return height, width

    def resize(self, height: int, width: int) -> None:
        """Set the size of the page."""
        self._figure.set_size_inches(width / _DPI, height / _DPI)

    def wrap(self, text: str, letters: int, width: int) -> list[str]:
        """Break a text into lines that are not wider than `width`."""
        lines: list[str] = []
        for characters in range(min(len(text), 4 * width // letters), 0, -1):
            lines = textwrap.wrap(text, characters)
            if all(self.width_of(line, letters) <= width for line in lines):
                break
        return lines

    def width_of(self, line: str, letters: int) -> float:
        """Return how wide a line of text is."""
        from matplotlib.font_manager import FontProperties

        font = FontProperties(family=_FONT, size=letters * 72 / _DPI)
        measure = self._agg.get_renderer().get_text_width_height_descent
        return float(measure(line, font, False)[0])

    def write(self, lines: list[str], letters: int, top: int, left: int) -> None:
        """Write lines of text below each other."""
        height, width = self._size
        for number, line in enumerate(lines):
            baseline = top + letters + number * line_height(letters)
            self._figure.text(
                left / width, 1 - baseline / height, line,
                fontsize=letters * 72 / _DPI, family=_FONT, color=_INK,
                parse_math=False, usetex=False,
            )  # fmt: skip

    def show(self, picture: Array, top: int, left: int, size: tuple[int, int]) -> None:
        """Show a picture in a rectangle, with a hairline around it for those with white edges."""
        height, width = self._size
        rows, cols = size
        axes = self._figure.add_axes(
            (left / width, 1 - (top + rows) / height, cols / width, rows / height)
        )
        axes.set_axis_off()
        reduced = rows < picture.shape[0] or cols < picture.shape[1]
        filtering = "antialiased" if reduced else "nearest"
        axes.imshow(picture, aspect="auto", origin="upper", interpolation=filtering)
        self._frames.append((slice(top - 1, top + rows + 1), slice(left - 1, left + cols + 1)))

    def bar_width(self, bar: Bar, letters: int) -> int:
        """Return how wide the line of a colour bar is."""
        texts = sum(round(self.width_of(text, letters)) for text in (bar.label, "0", _last(bar)))
        return texts + (_BAR + 3) * letters

    def bar(self, bar: Bar, letters: int, top: int, left: int) -> None:
        """Draw a line of: what is shown, 0, the colours, and what the last one stands for."""
        for text in (bar.label, "0"):
            self.write([text], letters, top, left)
            left += round(self.width_of(text, letters)) + letters
        shades = coloured(np.arange(256.0)[np.newaxis], 255.0)
        self.show(shades, top, left, (letters, _BAR * letters))
        self.write([_last(bar)], letters, top, left + (_BAR + 1) * letters)

    def pixels(self) -> Array:
        """Return the page as it was drawn, (rows, cols, 3)."""
        self._agg.draw()
        page = np.array(self._agg.buffer_rgba())[..., :3].copy()
        for frame in self._frames:
            inside = page[frame]
            inside[[0, -1]] = _HAIRLINE
            inside[:, [0, -1]] = _HAIRLINE
        return page


def _last(bar: Bar) -> str:
    return f"{bar.highest:.2g} and more"
