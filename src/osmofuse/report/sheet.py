"""Contact sheets: pictures of one size side by side with captions; sheets of a comparison."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from osmofuse.errors import InputError, LimitError, MismatchError, SettingError
from osmofuse.metrics import chromaticity_map
from osmofuse.picture import Picture, as_alpha, samples
from osmofuse.pixels import quantise, scaled
from osmofuse.report.canvas import Bar, Canvas, brightest, coloured, line_height
from osmofuse.typing import Array, ArrayLike, BoolArray, FloatArray

if TYPE_CHECKING:
    from osmofuse.tasks import Comparison

_SHEET_HEIGHT, _SHEET_WIDTH = 3400, 2400  # A4 at about 290 dots per inch
_MAGNIFIED = 320  # pictures that fit into half of this are magnified, up to this
_SHAPE = 2.2  # width over height of the pictures together, if the columns are ours to choose


def side_by_side(
    panels: Sequence[tuple[str, Array | None]],
    *,
    title: str = "",
    columns: int | None = None,
    bar: Bar | None = None,
) -> Array:
    """Draw pictures of one size on a white page, each with its caption below.

    The sheet is for display, not for measurement: values outside 0 to 1 are clipped, and large
    pictures are reduced until the page is at most 2400 pixels wide and about 3400 high. Small
    ones are magnified by a whole number, every pixel a sharp square; those between are shown
    pixel for pixel.

    Parameters
    ----------
    panels : sequence of (str, array)
        Caption and picture: floats on the scale where 1.0 is white, (rows, cols), shown in
        grey, or (rows, cols, 3). Never changed. None leaves the place empty.
    title : str
        Title of the sheet.
    columns : int, optional
        Pictures in a row; by default as many as give the sheet a landscape form.
    bar : Bar, optional
        The colours of the maps among the pictures, explained at the foot.

    Returns
    -------
    array of uint8, (rows, cols, 3)
        The sheet, ready for `osmofuse.io.write`.

    Raises
    ------
    LimitError
        There are too many panels for one sheet.
    MissingExtraError
        matplotlib is not installed.

    Examples
    --------
    >>> sheet = side_by_side([("before", np.zeros((9, 12))), ("after", np.ones((9, 12)))])
    >>> sheet.dtype, sheet.shape[2]
    (dtype('uint8'), 3)
    """
    pictures = _checked(panels)
    size = next(picture.shape[:2] for picture in pictures if picture is not None)
    page = _plan(size, len(pictures), columns, foot=bar is not None)
    canvas = Canvas()
    heading = canvas.wrap(title, page.title, page.width - 2 * page.margin)
    captions = [canvas.wrap(caption, page.em, page.cell) for caption, _ in panels]
    page = replace(
        page,
        title_lines=len(heading),
        caption_lines=max(map(len, captions)),
        foot_width=0 if bar is None else canvas.bar_width(bar, page.em),
    )
    canvas.resize(page.height, page.width)
    canvas.write(heading, page.title, page.margin, page.margin)
    for index, (lines, picture) in enumerate(zip(captions, pictures, strict=True)):
        top, left = page.corner(index)
        if picture is None:
            continue
        canvas.show(picture, top, left, page.panel)
        canvas.write(lines, page.em, top + page.panel[0] + page.em // 2, left)
    if bar is not None:
        canvas.bar(bar, page.em, page.height - page.margin - line_height(page.em), page.margin)
    return canvas.pixels()


def _checked(panels: Sequence[tuple[str, Array | None]]) -> list[Array | None]:
    """Return the pictures as uint8 with three bands, or refuse one that cannot be shown."""
    given = [(caption, picture) for caption, picture in panels if picture is not None]
    if not given:
        raise InputError("panels: there is no picture to show")
    first, size = given[0][0], np.shape(given[0][1])[:2]
    pictures: list[Array | None] = []
    for caption, picture in panels:
        if picture is None:
            pictures.append(None)
            continue
        if np.shape(picture)[:2] != size:
            raise MismatchError(
                f"panel {caption!r}: {np.shape(picture)[0]} x {np.shape(picture)[1]} pixels, "
                f"but {first!r} has {size[0]} x {size[1]}; bring them to one size first"
            )
        pictures.append(as_levels(caption, picture))
    return pictures


def as_levels(caption: str, picture: Array) -> Array:
    """Return a picture of floats as uint8 with three bands; errors name its caption."""
    array = np.asarray(picture)
    if array.size == 0 or not (array.ndim == 2 or (array.ndim == 3 and array.shape[2] == 3)):
        raise InputError(
            f"panel {caption!r}: shape {array.shape}; must be (rows, cols) or (rows, cols, 3)"
        )
    try:
        levels, _ = quantise(array, np.uint8)
    except InputError as error:
        raise InputError(f"panel {caption!r}: {error}") from error
    bands = levels if array.ndim == 3 else levels[..., np.newaxis]
    return np.broadcast_to(bands, (*array.shape[:2], 3))


@dataclass(frozen=True)
class _Page:
    """Layout of the sheet, in pixels from the top left corner; `em` is the captions' size."""

    grid: tuple[int, int]
    panel: tuple[int, int]
    em: int
    title_lines: int = 0
    caption_lines: int = 0
    foot: bool = False
    foot_width: int = 0

    @property
    def margin(self) -> int:
        return 2 * self.em

    @property
    def gap(self) -> int:
        """Space between columns, and between a caption and the next row."""
        return self.em

    @property
    def title(self) -> int:
        """Size of the title's letters."""
        return self.em * 3 // 2

    @property
    def least(self) -> int:
        """Least width of a caption."""
        return 8 * self.em

    @property
    def cell(self) -> int:
        """Width of a column; narrow pictures leave room for their caption."""
        return max(self.panel[1], self.least)

    @property
    def row(self) -> int:
        """Height of a picture with its caption."""
        text = line_height(self.em) * self.caption_lines
        return self.panel[0] + (self.em // 2 + text if text else 0)

    @property
    def head(self) -> int:
        """Height at which the first row begins."""
        text = line_height(self.title) * self.title_lines
        return self.margin + (text + self.em if text else 0)

    @property
    def width(self) -> int:
        columns = self.grid[1] * (self.cell + self.gap) - self.gap
        return 2 * self.margin + max(columns, self.foot_width)

    @property
    def height(self) -> int:
        foot = self.gap + line_height(self.em) if self.foot else 0
        return self.head + self.grid[0] * (self.row + self.gap) - self.gap + foot + self.margin

    def corner(self, index: int) -> tuple[int, int]:
        """Return the top left corner of a picture."""
        row, col = divmod(index, self.grid[1])
        return self.head + row * (self.row + self.gap), self.margin + col * (self.cell + self.gap)


def _plan(size: tuple[int, int], count: int, columns: int | None, *, foot: bool) -> _Page:
    """Choose the grid, the size of the pictures and of the letters, so that all fit the page."""
    columns = _columns(size, count) if columns is None else min(columns, count)
    if columns < 1:
        raise SettingError(f"columns={columns}: must be 1 or more")
    grid = math.ceil(count / columns), columns
    wish = _shown(size, (_SHEET_HEIGHT // grid[0], _SHEET_WIDTH // columns))
    page = _Page(grid, wish, _letters(wish[1], columns), 1, 1, foot)
    over = page.height - page.panel[0] * grid[0], page.width - page.cell * columns
    room = (_SHEET_HEIGHT - over[0]) // grid[0], (_SHEET_WIDTH - over[1]) // columns
    if room[0] < 2 * page.em or room[1] < page.least:
        raise LimitError(
            f"panels: {count} in {grid[0]} rows of {columns} are too many for one sheet; "
            "make several"
        )
    return replace(page, panel=_shown(size, room))


def _columns(size: tuple[int, int], count: int) -> int:
    """Choose the columns: a row of up to three, else what gives a landscape form."""
    form = size[1] / size[0]
    if count <= 3 and form <= 2:
        return count
    return math.ceil(count / max(1, round(math.sqrt(count * form / _SHAPE))))


def _letters(width: int, columns: int) -> int:
    """Choose the captions' size: legible when the sheet is printed as wide as a page of text."""
    sheet = width * columns
    legible = max(sheet / 80, min(sheet / 50, width / 24))
    return int(min(max(min(legible, width / 12), 14), 30))


def _shown(size: tuple[int, int], room: tuple[int, int]) -> tuple[int, int]:
    """Return the size at which a picture is shown: whole multiples, or reduced to the room."""
    multiple = min(_MAGNIFIED // max(size), room[0] // size[0], room[1] // size[1])
    if multiple:
        return size[0] * multiple, size[1] * multiple
    scale = min(1.0, room[0] / size[0], room[1] / size[1])
    return max(1, round(size[0] * scale)), max(1, round(size[1] * scale))


Box = tuple[slice, slice]

_ZOOM_COLUMNS = 4  # of zooms in a row, at most, so that their captions stay legible
_ZOOMED = 480  # pixels up to which zooms are magnified


def contact_sheet(
    comparisons: Sequence[Comparison],
    foreground: ArrayLike | Picture,
    background: ArrayLike | Picture,
    *,
    title: str = "",
) -> Array:
    """Draw the two pictures and the result of each method, with its run time.

    Parameters
    ----------
    comparisons : sequence of Comparison
        Result of `osmofuse.compare`. A method that made no picture is left out.
    foreground, background : array or Picture
        The pair.
    title : str
        Title of the sheet.

    Returns
    -------
    array of uint8, (rows, cols, 3)
        The sheet, drawn by `side_by_side`.
    """
    given = [("Foreground", foreground), ("Background", background)]
    panels: list[tuple[str, Array | None]] = [
        (caption, _grey_or_rgb(samples(picture, caption.lower()))) for caption, picture in given
    ]
    for found in comparisons:
        if found.fusion is not None:
            caption = f"{found.name} ({_time(found.fusion.seconds)})"
            panels.append((caption, _grey_or_rgb(found.fusion.image)))
    return side_by_side(panels, title=title)


def zoom_sheet(
    comparisons: Sequence[Comparison],
    foreground: ArrayLike | Picture,
    alpha: ArrayLike | Picture,
    *,
    box: Box | None = None,
    title: str = "",
) -> Array:
    r"""Draw a part of each method's picture, and below it the chromaticity error there.

    All maps have one scale of colours, which ends at the 99th percentile of their values; it is
    explained at the foot. Values are those of pictures of 8 bits, as the metric's are. The
    number below a map is the mean over the whole picture.

    Parameters
    ----------
    comparisons : sequence of Comparison
        Result of `osmofuse.compare`. A method that made no picture is left out.
    foreground : array or Picture
        With three channels: the colours to be kept.
    alpha : array or number
        Without a box, the part around alpha below 0.5 is shown.
    box : tuple of slice, optional
        Rows and columns to look at.
    title : str
        Title of the sheet.

    Returns
    -------
    array of uint8, (rows, cols, 3)
        The sheet, drawn by `side_by_side`.
    """
    f = _stored(samples(foreground, "foreground"))
    box = _around(as_alpha(alpha), f.shape[:2]) if box is None else box
    if f[box].size == 0:
        raise SettingError(f"box: {box} holds no pixel of the picture's {f.shape[:2]}")
    made = [(c.name, _stored(c.fusion.image)) for c in comparisons if c.fusion is not None]
    if not made:
        raise InputError("comparisons: none has a picture to show")
    errors = [chromaticity_map(u, f).mean(axis=-1) for _, u in made]
    highest = brightest([error[box] for error in errors])
    zooms = [(name, _magnified(u[box])) for name, u in made]
    maps = [(f"error {e.mean():.4f}", coloured(_magnified(e[box]), highest)) for e in errors]
    columns = _zoom_columns(len(made))
    bar = Bar("Chromaticity error:", highest)
    return side_by_side(_in_pairs(zooms, maps, columns), title=title, columns=columns, bar=bar)


def _magnified(part: FloatArray) -> FloatArray:
    """Return a small part magnified by a whole number."""
    times = max(1, _ZOOMED // max(part.shape[:2]))
    return part.repeat(times, axis=0).repeat(times, axis=1)


def _in_pairs(
    zooms: list[tuple[str, FloatArray]], maps: list[tuple[str, FloatArray]], columns: int
) -> list[tuple[str, Array | None]]:
    """Return rows of zooms, each above the row of its maps; the last two may end early."""
    panels: list[tuple[str, Array | None]] = []
    for start in range(0, len(zooms), columns):
        part = slice(start, start + columns)
        empty = [("", None)] * (columns - len(zooms[part]))
        panels += [*zooms[part], *empty, *maps[part], *empty]
    return panels


def _zoom_columns(count: int) -> int:
    """Return the number of columns with the fewest empty places, in as few rows as possible."""
    return math.ceil(count / math.ceil(count / _ZOOM_COLUMNS))


def _around(alpha: FloatArray, shape: tuple[int, ...]) -> Box:
    """Return the box around alpha below 0.5, with a tenth more on every side."""
    bands = alpha if alpha.ndim == 3 else np.broadcast_to(alpha, shape)[..., np.newaxis]
    low: BoolArray = np.any(bands < 0.5, axis=-1)
    if not low.any():
        return slice(0, shape[0]), slice(0, shape[1])
    return _span(low, 1), _span(low, 0)


def _span(low: BoolArray, axis: int) -> slice:
    places = np.flatnonzero(low.any(axis=axis))
    more = (places[-1] - places[0] + 1) // 10 + 1
    return slice(max(int(places[0] - more), 0), int(places[-1] + more + 1))


def _stored(u: FloatArray) -> FloatArray:
    """Return a picture rounded to 8 bits."""
    return scaled(quantise(u, np.uint8)[0], np.float64)


def _grey_or_rgb(u: FloatArray) -> FloatArray:
    """Return a picture reduced to one band or three."""
    return u[..., 0] if u.ndim == 3 and u.shape[2] != 3 else u


def _time(seconds: float) -> str:
    return f"{seconds:.2f} s" if seconds < 10 else f"{seconds:.0f} s"
