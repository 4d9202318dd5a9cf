"""What a file's header says, before any pixel is decoded."""

from __future__ import annotations

import mmap
import os
import struct
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from osmofuse.errors import LimitError, OsmofuseError, UnreadableError
from osmofuse.io.formats import TIFF, Format, sniff
from osmofuse.io.libvips import reason, vips
from osmofuse.tags import BITS, Directory, directories, parse_tags, tag_numbers

__all__ = ["Header", "is_out_of_memory", "named_errors", "open_header"]

_SUBFILE, _OLD_SUBFILE, _LEVELS_BELOW = 254, 255, 330
# Colours that libvips names; Lab, CMYK and the like would have to be converted.
_COLOURS = {"b-w", "grey16", "srgb", "rgb16", "scrgb", "rgb", "multiband"}


@dataclass(frozen=True)
class Header:
    """An opened file.

    Parameters
    ----------
    path : Path
        The file.
    kind : Format
        What its content says it is.
    image : pyvips.Image, optional
        Opened, not decoded; None for TIFF with samples of 64 bits, which libvips does not read.
    tags : Directory
        Of the page that is read, if the file is a TIFF; else empty.
    page, pages, levels : int
        The page that is read, the number of pages that are pictures of their own, and of the
        sizes in which the file holds the picture.
    """

    path: Path
    kind: Format
    image: Any
    tags: Directory
    page: int = 0
    pages: int = 1
    levels: int = 1


@contextmanager
def named_errors(path: Path) -> Iterator[None]:
    """Turn whatever goes wrong in a file into an error of ours that names it."""
    try:
        yield
    except OsmofuseError:
        raise  # names its file already
    except OSError as error:
        raise UnreadableError(f"{path}: {error.strerror or error}") from error
    except MemoryError as error:
        raise _too_much_memory(path) from error
    except (vips().Error, ValueError, OverflowError, struct.error) as error:
        if is_out_of_memory(str(error)):
            raise _too_much_memory(path) from error
        kind = sniff(path).name.upper()
        raise UnreadableError(
            f"{path}: damaged or truncated {kind} file ({reason(error)}); "
            "get a fresh copy or save it anew"
        ) from error


def is_out_of_memory(words: str) -> bool:
    """Tell whether libvips, GLib or Python complain of too little memory, and not of a file."""
    return any(sign in words for sign in ("out of memory", "failed to allocate", "MemoryError"))


def _too_much_memory(path: Path) -> LimitError:
    most = _memory_limit()
    there = "there is" if most is None else f"the {most:,} bytes that this process may have"
    return LimitError(
        f"{path}: takes more memory than {there}; close other programs or reduce the picture"
    )


def _memory_limit() -> int | None:
    """Return how much memory this process may reserve; None if no limit is set."""
    if os.name == "nt":
        return None
    import resource

    most = resource.getrlimit(resource.RLIMIT_AS)[0]
    return None if most == resource.RLIM_INFINITY else most


def open_header(path: Path) -> Header:
    """Open a file and read its header.

    Parameters
    ----------
    path : Path
        The file.

    Returns
    -------
    Header
        Of the first page that is no reduced version of another.

    Raises
    ------
    UnreadableError
        The file is missing, no picture, or neither grey nor RGB.
    vips.Error, ValueError, OverflowError, struct.error, OSError
        The header is damaged; see `named_errors`.
    """
    kind = sniff(path)
    if kind is not TIFF:
        image = _open(path, kind)
        pages = image.get("n-pages") if image.get_typeof("n-pages") else 1
        return Header(path, kind, image, {}, pages=pages)
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        places = directories(data)
        lesser = [len(places) > 1 and _is_lesser(data, at) for at in places]
        page = lesser.index(False) if False in lesser else 0
        tags = parse_tags(data, at=places[page])
    doubles = 64 in tag_numbers(tags, BITS)
    image = None if doubles else _open(path, kind, page=page)
    levels = 1 + sum(lesser[page + 1 :]) + len(tag_numbers(tags, _LEVELS_BELOW))
    return Header(path, kind, image, tags, page, max(len(places) - sum(lesser), 1), levels)


def _open(path: Path, kind: Format, **options: int) -> Any:
    # The loader is named, since new_from_file takes "scan[1].tif" for a name with options.
    load = getattr(vips().Image, f"{kind.name}load")
    image = load(os.fspath(path), fail_on="error", access="sequential", **options)
    if image.interpretation not in _COLOURS:
        raise UnreadableError(
            f"{path}: colours are stored as {image.interpretation}; convert to RGB or grey first"
        )
    return image


def _is_lesser(data: mmap.mmap, at: int) -> bool:
    """Tell whether a page is a reduced version, or a mask, of another."""
    try:
        tags = parse_tags(data, at=at, strict=False)
    except (ValueError, OverflowError, struct.error):
        return True
    kind = (*tag_numbers(tags, _SUBFILE), 0)[0]
    return bool(kind & 5) or tag_numbers(tags, _OLD_SUBFILE) == (2,)
