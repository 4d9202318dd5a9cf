"""The sheet of a sweep: a table of pictures, one setting along each of its headings."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from osmofuse.errors import InputError, LimitError
from osmofuse.report.canvas import Canvas, line_height
from osmofuse.report.sheet import as_levels
from osmofuse.typing import Array

if TYPE_CHECKING:
    from osmofuse.tasks import Trial

__all__ = ["check_sheet", "study_sheet", "trial_names"]

_DOWN, _ACROSS = ("start", "mu", "reach"), ("eta", "gamma")
_LETTERS = {"eta": "η", "mu": "μ", "gamma": "γ"}
_WIDTH = 2400  # of the sheet, at most
_LARGEST, _SMALLEST = 420, 60  # of a picture's longer side
_EM = 22
_HEAD = 7 * _EM  # the width of a row's heading


def trial_names(trials: Sequence[Trial]) -> list[str]:
    """Return the trials of a sweep in words, by the settings that were varied."""
    tried = [trial.settings for trial in trials]
    varied = _varied(tried, (*_DOWN, *_ACROSS)) or {"eta": ()}
    chosen = [{name: settings[name] for name in varied} for settings in tried]
    names = [_said(settings) for settings in chosen]
    if len(set(names)) == len(names):
        return names
    return [_said(settings, digits=17) for settings in chosen]


def check_sheet(tried: Sequence[Mapping[str, Any]], size: tuple[int, int]) -> None:
    """Refuse a sweep that no sheet can show, before the work begins.

    Parameters
    ----------
    tried : sequence of mapping
        The settings of each trial.
    size : tuple of int
        Rows and columns of the pictures.

    Raises
    ------
    LimitError
        There are too many columns for one sheet.
    """
    _plan(tried, size)


def study_sheet(trials: Sequence[Trial], *, title: str = "") -> Array:
    """Draw the pictures of a sweep as a table, as the paper's figure of its weights is one.

    Down go the starts, and within them mu and reach; across goes eta, and within it gamma. A
    setting that was not varied stands above the table.

    Parameters
    ----------
    trials : sequence of Trial
        What `osmofuse.sweep` returned.
    title : str
        Stands above the table.

    Returns
    -------
    array of uint8, (rows, cols, 3)
        The sheet, ready for `osmofuse.io.write`.

    Raises
    ------
    InputError
        There is nothing to show.
    LimitError
        There are too many columns for one sheet.
    MissingExtraError
        matplotlib is not installed.
    """
    if not trials:
        raise InputError("trials: empty; there is nothing to show")
    pictures = [as_levels(str(trial.settings), trial.fusion.image) for trial in trials]
    tried = [trial.settings for trial in trials]
    page = _plan(tried, pictures[0].shape[:2])
    canvas = Canvas()
    heading = canvas.wrap(title, _EM * 3 // 2, page.width - 4 * _EM)
    page = _Page(page.down, page.across, page.panel, len(heading))
    canvas.resize(page.height, page.width)
    canvas.write(heading, _EM * 3 // 2, 2 * _EM, 2 * _EM)
    canvas.write(
        [_said(_fixed(tried))], _EM, page.top - (len(page.across) + 1) * _LINE - _EM, 2 * _EM
    )
    _write_headings(canvas, page)
    for trial, picture in zip(trials, pictures, strict=True):
        canvas.show(picture, *page.corner(page.place(trial)), page.panel)
    return canvas.pixels()


_LINE = line_height(_EM)
Heads = dict[str, tuple[Any, ...]]


@dataclass(frozen=True)
class _Page:
    """Where things lie, in pixels from the top left corner; groups stand apart."""

    down: Heads
    across: Heads
    panel: tuple[int, int]
    title_lines: int

    @property
    def gap(self) -> int:
        return _EM // 2

    @property
    def top(self) -> int:
        """Where the first row of pictures begins."""
        title = self.title_lines * line_height(_EM * 3 // 2)
        return 2 * _EM + title + _EM + _LINE * (1 + len(self.across)) + _EM

    @property
    def left(self) -> int:
        """Where the first column of pictures begins."""
        return 2 * _EM + _HEAD * len(self.down)

    @property
    def width(self) -> int:
        _, left = self.corner((0, _count(self.across) - 1))
        return left + self.panel[1] + 2 * _EM

    @property
    def height(self) -> int:
        top, _ = self.corner((_count(self.down) - 1, 0))
        return top + self.panel[0] + 2 * _EM

    def place(self, trial: Trial) -> tuple[int, int]:
        """Return row and column of a trial."""
        return _index(self.down, trial.settings), _index(self.across, trial.settings)

    def corner(self, place: tuple[int, int]) -> tuple[int, int]:
        """Return the top left corner of a picture."""
        row, col = place
        return (
            self.top + row * (self.panel[0] + self.gap) + _EM * _group(self.down, row),
            self.left + col * (self.panel[1] + self.gap) + _EM * _group(self.across, col),
        )


def _plan(tried: Sequence[Mapping[str, Any]], size: tuple[int, int]) -> _Page:
    down, across = _varied(tried, _DOWN), _varied(tried, _ACROSS)
    room = (_WIDTH - 4 * _EM - _HEAD * len(down)) // _count(across) - _EM
    scale = min(_LARGEST / max(size), room / size[1])
    if scale * max(size) < _SMALLEST:
        raise LimitError(
            f"trials: {_count(across)} columns are too many for one sheet; vary eta or gamma less"
        )
    panel = max(1, round(size[0] * scale)), max(1, round(size[1] * scale))
    return _Page(down, across, panel, 0)


def _write_headings(canvas: Canvas, page: _Page) -> None:
    """Write each setting's value where a group of rows or columns with it begins."""
    step = _count(page.across)
    for level, (name, values) in enumerate(page.across.items()):
        step //= len(values)
        for col in range(0, _count(page.across), step):
            _, left = page.corner((0, col))
            text = _value(name, values[col // step % len(values)])
            canvas.write(
                [text], _EM, page.top - (len(page.across) - level) * _LINE - _EM // 2, left
            )
    step = _count(page.down)
    for level, (name, values) in enumerate(page.down.items()):
        step //= len(values)
        for row in range(0, _count(page.down), step):
            top, _ = page.corner((row, 0))
            text = _value(name, values[row // step % len(values)])
            lines = canvas.wrap(text, _EM, _HEAD - _EM)
            canvas.write(lines, _EM, top, 2 * _EM + level * _HEAD)


def _varied(tried: Sequence[Mapping[str, Any]], names: Sequence[str]) -> Heads:
    """Return the values of those settings that were varied, in their order."""
    values = {name: tuple(dict.fromkeys(settings[name] for settings in tried)) for name in names}
    return {name: found for name, found in values.items() if len(found) > 1}


def _fixed(tried: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    first = tried[0]
    return {name: first[name] for name in first if not _varied(tried, (name,))}


def _group(heads: Heads, index: int) -> int:
    """Return in which group of the outermost of several headings a row or column lies."""
    if len(heads) < 2:
        return 0
    outermost = next(iter(heads.values()))
    return index * len(outermost) // _count(heads)


def _count(heads: Heads) -> int:
    return math.prod(len(values) for values in heads.values())


def _index(heads: Heads, settings: Mapping[str, Any]) -> int:
    place = 0
    for name, values in heads.items():
        place = place * len(values) + values.index(settings[name])
    return place


def _said(settings: Mapping[str, Any], digits: int = 6) -> str:
    return ", ".join(_value(name, value, digits) for name, value in settings.items())


def _value(name: str, value: Any, digits: int = 6) -> str:
    """Return a setting as it stands in a heading."""
    if name == "start":
        return f"from {value}"
    if name == "reach":
        return "by the rule" if value is None else f"reach {value:.{digits}g} px"
    return f"{_LETTERS.get(name, name)} = {value:.{digits}g}"
