"""White page for pictures, lines of text and colour bars, and the colours of maps and tints."""

from __future__ import annotations

import textwrap
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from osmofuse.errors import MissingExtraError
from osmofuse.typing import Array, FloatArray

TINT = (0.80, 0.05, 0.45)  # where the background enters; rare in old pages, skin and fields
_COUNT = 256  # colours of the table, one for each value of a byte
_FIRST, _LAST = 0.04, 0.97  # brightness of the first and of the last colour
_START_ANGLE, _TURN, _DEPTH = 0.033, 0.5, 1.8  # helix: angles in turns, distance from grey
_TOP_PERCENTILE = 99.0  # percentile of the values that gets the last colour


@cache
def colours() -> FloatArray:
    r"""Return the table, (256, 3), from black to white through violet, rose and amber.

    Brightness :math:`\ell = 0.30 R + 0.59 G + 0.11 B` rises evenly, so that it reads in grey and by
    the colour-blind; around the grey diagonal the colours go along a helix,

    .. math:: (R, G, B) = \ell + \tfrac{1}{2} s\, \ell (1 - \ell) (p \cos\varphi + q \sin\varphi),

    with p and q across the direction of brightness, after D. A. Green, "A colour scheme for the
    display of astronomical intensity images", Bull. Astron. Soc. India 39, 2011.
    """
    t = np.linspace(0.0, 1.0, _COUNT)
    brightness = _FIRST + (_LAST - _FIRST) * t
    angle = 2 * np.pi * (_START_ANGLE + _TURN * t)
    depth = 0.5 * _DEPTH * brightness * (1.0 - brightness)
    across = np.array([[-0.14861, 1.78277], [-0.29227, -0.90649], [1.97294, 0.0]])
    turned = np.cos(angle)[:, None] * across[:, 0] + np.sin(angle)[:, None] * across[:, 1]
    table: FloatArray = np.clip(brightness[:, None] + depth[:, None] * turned, 0.0, 1.0)
    table.flags.writeable = False
    return table


def coloured(values: Array, highest: float) -> FloatArray:
    """Return a map in colours, from 0 to `highest` and above."""
    return np.asarray(colours()[shades(values, highest)])


def shades(values: Array, highest: float) -> Array:
    """Return the index in the colour table of every value, as uint8."""
    shares = np.clip(np.asarray(values, np.float32) / np.float32(highest), 0.0, 1.0)
    return np.asarray(np.rint(shares * (_COUNT - 1)), np.uint8)


def brightest(values: Array | list[FloatArray]) -> float:
    """Return the value of the last colour, in two digits; 1 where there is no error at all."""
    return float(f"{np.percentile(values, _TOP_PERCENTILE):.2g}") or 1.0


_DPI = 64  # a power of two, so that lengths in inches give back whole pixels
_FONT, _INK, _HAIRLINE = "DejaVu Sans", "#262626", 200
_BAR = 16  # the width of a colour bar, in letters


@dataclass(frozen=True)
class Bar:
    """Colour bar of a map: label, and the value of the brightest colour."""

    label: str
    highest: float


def line_height(letters: int) -> int:
    """Return the distance between lines of text of a letter size."""
    return letters * 4 // 3


class Canvas:
    """White page drawn by matplotlib, measured in pixels from the top left corner."""

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
        self._figure.set_layout_engine("none")  # ignore the user's settings
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
        """Return the width of a line of text."""
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
        """Return the width of a colour bar with its texts."""
        texts = sum(round(self.width_of(text, letters)) for text in (bar.label, "0", _last(bar)))
        return texts + (_BAR + 3) * letters

    def bar(self, bar: Bar, letters: int, top: int, left: int) -> None:
        """Draw a colour bar: label, 0, the colours, and the value of the last one."""
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
