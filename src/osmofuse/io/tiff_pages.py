"""Kinds of directories in a TIFF: pictures, pyramid levels, thumbnails, masks, raw data."""

from __future__ import annotations

import mmap
import re
import struct
from collections.abc import Iterable
from dataclasses import dataclass
from math import prod
from typing import TypeAlias

from osmofuse.errors import LimitError, SettingError, UnreadableError
from osmofuse.io.tags import (
    COLS,
    MOST_PAGES,
    PHOTOMETRIC,
    ROWS,
    Directory,
    directories,
    parse_tags,
    short_numbers,
    tag_bytes,
    tag_numbers,
    value_bytes,
)

# Numbers of tags.
_SUBFILE, _OLD_SUBFILE, _DESCRIPTION, _SUB_IFDS, _DNG_VERSION = 254, 255, 270, 330, 50706
_MOST_WORDS = 1000  # bytes of a description that are searched; 100..10,000 works
# Colours, by number, that only raw files have.
_RAW_PHOTOMETRICS = {32803: "a colour filter array", 34892: "linear raw samples"}
# Offsets and sizes of strips and tiles, and Photoshop's layers: large and not needed.
BULK = frozenset((273, 279, 324, 325, 34377, 37724))
_MOST_SUB_IFDS = 64  # sub-directories that are looked at; a pyramid has about ten
_BULKY = 2**25  # bytes; by default libvips limits libtiff to 50 MB
# Tags that identify the kind of a directory.
_WANTED = frozenset((_SUBFILE, _OLD_SUBFILE, COLS, ROWS, PHOTOMETRIC, _DNG_VERSION))

_Place: TypeAlias = "dict[int, int]"  # `short_numbers` of a directory


@dataclass(frozen=True)
class Pages:
    """Pages of a TIFF.

    A page is `bulky` if it has much data besides its pixels, e.g. Photoshop's layers, that fits in
    the file: then libtiff's memory limit is lifted.
    """

    index: int  # directory of the page that is read, from 0 along the chain
    tags: Directory  # of that page, without those of `BULK`
    count: int  # pages that are pictures of their own
    levels: int  # sizes of the page: one, or more for a pyramid
    raw: str | None  # kind of raw data in the file, in words; None for other files
    bulky: bool


def pages_in(data: mmap.mmap, path: object, page: int) -> Pages:
    """Find a page of a TIFF by its number, from 1; reduced versions and masks do not count.

    Raises a LimitError above 10,000 pages, an UnreadableError if the full size of the page is in a
    sub-directory, and ValueError, OverflowError or struct.error if the file is damaged.
    """
    places = directories(data)
    if len(places) > MOST_PAGES:
        raise LimitError(f"{path}: has more than {MOST_PAGES:,} pages; split it into several files")
    short = [_short(data, at) for at in places]
    secondary = [len(places) > 1 and _is_secondary(one) for one in short]
    chosen = [k for k, is_secondary in enumerate(secondary) if not is_secondary] or [0]
    check_page(path, page, len(chosen))
    index = chosen[page - 1]
    tags = parse_tags(data, at=places[index], skipped=BULK)
    below = [_short(data, at) for at in _sub_directories(tags)]
    raw = "a raw file of Canon" if data[8:10] == b"CR" else _raw_kind([*short, *below])
    larger = None if raw is not None else _larger(short[index] or {}, below)
    if larger is not None:
        raise UnreadableError(
            f"{path}: its page is a thumbnail, and the full picture of {larger} pixels is in a "
            "sub-directory, which is not read; save it again as an ordinary TIFF"
        )
    reduced = short[index + 1 : chosen[page] if page < len(chosen) else None]
    levels = 1 + _levels_below(short[index] or {}, [*reduced, *below])
    bulky = _BULKY < value_bytes(data, places[index]) <= len(data)
    return Pages(index, tags, len(chosen), levels, raw, bulky)


def stack_note(tags: Directory, count: int) -> str | None:
    """Return a remark if an ImageJ stack has more pictures than pages; else None.

    In a large stack only the first picture has a directory; the others follow its pixels.
    """
    words = tag_bytes(tags, _DESCRIPTION) or b""
    found = re.search(rb"^images=(\d{1,9})\s*$", words[:_MOST_WORDS], re.M)
    if not words.startswith(b"ImageJ=") or found is None or int(found[1]) <= count:
        return None
    return f"a stack of ImageJ with {int(found[1])} pictures, of which the first is read"


def check_page(path: object, page: object, count: int | None = None) -> None:
    """Check that a page number is an integer from 1, up to the number of pages if that is given."""
    if isinstance(page, bool) or not isinstance(page, int) or page < 1:
        raise SettingError(f"page: {page!r}; must be a whole number from 1")
    if count is not None and page > count:
        pages = "1 page" if count == 1 else f"{count} pages"
        raise SettingError(f"page: {page}; {path} has {pages}")


def _short(data: mmap.mmap, at: int) -> _Place | None:
    """Return the short numbers of a directory; None if it is damaged."""
    try:
        return short_numbers(data, at, _WANTED)
    except (OverflowError, struct.error):
        return None


def _sub_directories(tags: Directory) -> tuple[int, ...]:
    return tag_numbers(tags, _SUB_IFDS)[:_MOST_SUB_IFDS]


def _is_secondary(place: _Place | None) -> bool:
    """Return True for a reduced version, or a mask, of another page."""
    if place is None:
        return True
    return bool(place.get(_SUBFILE, 0) & 5) or place.get(_OLD_SUBFILE) == 2


def _raw_kind(places: Iterable[_Place | None]) -> str | None:
    for place in filter(None, places):
        if place.get(PHOTOMETRIC) in _RAW_PHOTOMETRICS:
            return _RAW_PHOTOMETRICS[place[PHOTOMETRIC]]
        if _DNG_VERSION in place:
            return "a digital negative (DNG)"
    return None


def _size(place: _Place) -> tuple[int, int]:
    return place.get(ROWS, 0), place.get(COLS, 0)


def _larger(full: _Place, below: Iterable[_Place | None]) -> str | None:
    """Return the size, as text, of a larger picture in a sub-directory of a page; else None."""
    sizes = [_size(place) for place in filter(None, below) if not _is_secondary(place)]
    rows, cols = max(sizes, key=prod, default=(0, 0))
    return f"{cols} × {rows}" if rows * cols > prod(_size(full)) else None


def _levels_below(full: _Place, others: Iterable[_Place | None]) -> int:
    """Return the number of other directories that are pyramid levels, each 1/2 to 1/4 the last."""
    sizes = sorted({_size(place) for place in others if place}, reverse=True)
    current, levels = _size(full), 0
    for size in sizes:
        if any(_is_part(size, current, factor) for factor in (2, 3, 4)):
            current, levels = size, levels + 1
    return levels


def _is_part(size: tuple[int, int], full: tuple[int, int], factor: int) -> bool:
    """Return True if a size is `full` divided by a factor, rounded up or down."""
    pairs = zip(size, full, strict=True)
    return all(whole // factor <= part <= -(-whole // factor) and part > 0 for part, whole in pairs)
