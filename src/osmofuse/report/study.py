"""Sheet of a sweep: a table of pictures, with settings as headings."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from osmofuse.errors import InputError, LimitError
from osmofuse.report.canvas import Canvas, line_height
from osmofuse.report.sheet import as_levels
from osmofuse.report.table import Heads, as_text, fixed_settings, setting_text, varied_settings
from osmofuse.typing import Array

if TYPE_CHECKING:
    from osmofuse.tasks import Trial

_STUDY_WIDTH, _STUDY_HEIGHT = 2400, 12_000  # of the sheet, at most
_LARGEST, _SMALLEST = 420, 60  # of a picture's longer side
_EM = 22  # pixels of a letter
_HEAD = 7 * _EM  # the width of a row's heading


def check_sheet(tried: Sequence[Mapping[str, Any]], size: tuple[int, int]) -> None:
    """Check, before the work begins, that pictures of a size fit on one sheet of the trials."""
    _plan(tried, size)


def study_sheet(trials: Sequence[Trial], *, title: str = "") -> Array:
    """Draw the pictures of a sweep as a table, like the paper's figure of its weights.

    Settings that were varied go down, the slowest first, or across, so that there are about as
    many rows as columns; of the paper's study, start and mu go down, eta and gamma across. What
    was not varied is printed above the table.

    Parameters
    ----------
    trials : sequence of Trial
        Result of `osmofuse.sweep`.
    title : str
        Title of the sheet.

    Returns
    -------
    array of uint8, (rows, cols, 3)
        The sheet, ready for `osmofuse.io.write`.

    Raises
    ------
    LimitError
        There are too many trials for one sheet.
    """
    if not trials:
        raise InputError("trials: empty; there is nothing to show")
    pictures = [as_levels(str(trial.settings), trial.fusion.image) for trial in trials]
    tried = [trial.settings for trial in trials]
    page = _plan(tried, pictures[0].shape[:2])
    canvas = Canvas()
    heading = canvas.wrap(title, _EM * 3 // 2, page.width - 4 * _EM)
    constant = canvas.wrap(as_text(fixed_settings(tried)), _EM, page.width - 4 * _EM)
    page = replace(page, title_lines=len(heading), fixed_lines=len(constant))
    canvas.resize(page.height, page.width)
    canvas.write(heading, _EM * 3 // 2, 2 * _EM, 2 * _EM)
    above = len(page.across) + len(constant)
    canvas.write(constant, _EM, page.top - above * _LINE_HEIGHT - _EM, 2 * _EM)
    _write_headings(canvas, page)
    for trial, picture in zip(trials, pictures, strict=True):
        canvas.show(picture, *page.corner(page.place(trial)), page.panel)
    return canvas.pixels()


_LINE_HEIGHT = line_height(_EM)


@dataclass(frozen=True)
class _Page:
    """Layout of the sheet, in pixels from the top left corner; there is a gap between groups."""

    down: Heads
    across: Heads
    panel: tuple[int, int]
    title_lines: int = 0
    fixed_lines: int = 1

    @property
    def gap(self) -> int:
        return _EM // 2

    @property
    def top(self) -> int:
        """Height at which the first row of pictures begins."""
        title = self.title_lines * line_height(_EM * 3 // 2)
        return 2 * _EM + title + _EM + _LINE_HEIGHT * (self.fixed_lines + len(self.across)) + _EM

    @property
    def left(self) -> int:
        """Place at which the first column of pictures begins."""
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
    """Return the page with as many rows as columns, or nearly; of two, the wider one."""
    varied = varied_settings(tried)
    splits = [_split(varied, index) for index in range(len(varied) + 1)]
    splits.sort(key=lambda heads: abs(math.log(_count(heads[0]) / _count(heads[1]))))
    for down, across in splits:
        scale = _scale(down, across, size)
        if scale * max(size) >= _SMALLEST:
            panel = max(1, round(size[0] * scale)), max(1, round(size[1] * scale))
            return _Page(down, across, panel)
    raise LimitError(
        f"trials: {_count(splits[0][0])} rows and {_count(splits[0][1])} columns are too many for "
        f"one sheet; vary {' or '.join(varied)} less"
    )


def _split(varied: Heads, index: int) -> tuple[Heads, Heads]:
    """Return the settings that go down, the slowest ones, and those that go across."""
    items = list(varied.items())
    return dict(items[:index]), dict(items[index:])


def _scale(down: Heads, across: Heads, size: tuple[int, int]) -> float:
    """Return the scale of the pictures at which all fit."""
    wide = (_STUDY_WIDTH - 4 * _EM - _HEAD * len(down)) // _count(across) - _EM
    high = (_STUDY_HEIGHT - 10 * _EM) // _count(down) - _EM
    return min(_LARGEST / max(size), wide / size[1], high / size[0])


def _write_headings(canvas: Canvas, page: _Page) -> None:
    """Write each setting's value where a group of rows or columns with it begins."""
    for level, col, text in _headings(page.across):
        above = (len(page.across) - level) * _LINE_HEIGHT + _EM // 2
        canvas.write([text], _EM, page.top - above, page.corner((0, col))[1])
    for level, row, text in _headings(page.down):
        lines = canvas.wrap(text, _EM, _HEAD - _EM)
        canvas.write(lines, _EM, page.corner((row, 0))[0], 2 * _EM + level * _HEAD)


def _headings(heads: Heads) -> Iterator[tuple[int, int, str]]:
    """Yield level, first row or column, and text of each group with one value of a setting."""
    step = _count(heads)
    for level, (name, values) in enumerate(heads.items()):
        step //= len(values)
        for index in range(0, _count(heads), step):
            yield level, index, setting_text(name, values[index // step % len(values)])


def _group(heads: Heads, index: int) -> int:
    """Return the group of a row or column, by the outermost heading."""
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
