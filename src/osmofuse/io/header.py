"""Headers of picture files, read before any pixel is decoded."""

from __future__ import annotations

import errno
import mmap
import os
import struct
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from osmofuse.errors import LimitError, OsmofuseError, UnreadableError, cannot_read
from osmofuse.io import jpeg2000, raw
from osmofuse.io.formats import JPEG2000, TIFF, Foreign, Format, sniff
from osmofuse.io.icc import linear_srgb
from osmofuse.io.libvips import reason, vips
from osmofuse.io.tags import Directory, normalise_exif, pack_exif, parse_tags
from osmofuse.io.tiff import check_kind, foreign_in, palette_note
from osmofuse.io.tiff_pages import BULK, check_page, pages_in, stack_note

_SEARCHED_BYTES = 2**16  # for animation and multi-picture marks, before the pixels; 4 kB..1 MB work
# Colour spaces of libvips that need no conversion; Lab, CMYK and others would.
_SPACES = {"b-w", "grey16", "srgb", "rgb16", "scrgb", "rgb", "multiband"}


@dataclass(frozen=True)
class Header:
    """Header of an opened file."""

    path: Path
    kind: Format  # of the content
    image: Any  # pyvips.Image, opened, not decoded; None if libvips does not read the file
    tags: Directory  # of the page that is read; empty for raw files and formats other than TIFF
    foreign: Foreign | None = None  # the picture, where `image` is None
    page: int = 1  # that is read, from 1
    pages: int = 1  # that are pictures of their own
    levels: int = 1  # number of sizes in which the file holds the page
    more: str | None = None  # remark on further pictures in the file, which are not read

    @property
    def note(self) -> str | None:
        """Remarks on how samples were obtained, and on what is not read."""
        notes = (self.foreign and self.foreign.note, self.more)
        return "; ".join(note for note in notes if note) or None


@contextmanager
def named_errors(path: Path) -> Iterator[None]:
    """Turn all errors of decoders and the system into OsmofuseErrors that name the file."""
    try:
        yield
    except OsmofuseError:
        raise  # names its file already
    except OSError as error:
        if error.errno == errno.ENOMEM:
            raise _too_much_memory(path) from error
        raise cannot_read(path, error) from error
    except MemoryError as error:
        raise _too_much_memory(path) from error
    except (vips().Error, ValueError, OverflowError, struct.error) as error:
        if is_out_of_memory(str(error)):
            raise _too_much_memory(path) from error
        kind = sniff(path).name.upper()
        raise UnreadableError(
            f"{path}: damaged or truncated {kind} file ({reason(error)}); "
            "get a fresh copy or save it again"
        ) from error


def is_out_of_memory(words: str) -> bool:
    """Return True for a message of libvips, GLib or Python that memory ran out."""
    return any(sign in words for sign in ("out of memory", "failed to allocate", "MemoryError"))


def _too_much_memory(path: Path) -> LimitError:
    most = memory_limit()
    there = "there is" if most is None else f"the {most:,} bytes that this process may have"
    return LimitError(
        f"{path}: takes more memory than {there}; close other programs or reduce the picture"
    )


def memory_limit() -> int | None:
    """Return the limit of this process's address space in bytes; None if there is none."""
    if os.name == "nt":
        return None
    import resource

    most = resource.getrlimit(resource.RLIMIT_AS)[0]
    return None if most == resource.RLIM_INFINITY else most


def open_header(path: Path, page: int = 1) -> Header:
    """Open a page of a file, from 1, and read its header; reduced versions and masks do not count.

    A damaged header raises errors of libvips, struct and the system; see `named_errors`.
    """
    kind = sniff(path)
    if kind is TIFF:
        return _open_tiff(path, page)
    if kind is JPEG2000:
        check_page(path, page, 1)
        return Header(path, kind, None, {}, _open_jpeg2000(path))
    image = _open(path, kind)
    pages = image.get("n-pages") if image.get_typeof("n-pages") else 1
    check_page(path, page, pages)
    if page > 1:
        image = _open(path, kind, page=page - 1)
    return Header(path, kind, image, {}, page=page, pages=pages, more=_more_in(path, kind))


def _more_in(path: Path, kind: Format) -> str | None:
    """Return a remark on further pictures in a PNG or JPEG, which libvips does not read."""
    marks = {"png": b"acTL", "jpeg": b"MPF\0"}
    if kind.name not in marks:
        return None
    with path.open("rb") as file:
        start = file.read(_SEARCHED_BYTES)
    if marks[kind.name] not in start.partition(b"IDAT")[0]:
        return None
    if kind.name == "png":
        return "an animation, of which the first frame is read"
    return "it holds further pictures behind the first, which is read"


@contextmanager
def _mapped(path: Path) -> Iterator[mmap.mmap]:
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        yield data


def _open_tiff(path: Path, page: int) -> Header:
    with _mapped(path) as data:
        found = pages_in(data, path, page)
    if found.raw is not None:
        check_page(path, page, 1)  # previews of other sizes are not read
        return Header(path, TIFF, None, {}, _open_raw(path, found.raw))
    check_kind(path, found.tags)
    foreign, image = foreign_in(path, found.index, found.tags), None
    if foreign is None:
        image = _open(path, TIFF, page=found.index, unlimited=found.bulky)
    more = palette_note(found.tags) or stack_note(found.tags, found.count)
    return Header(path, TIFF, image, found.tags, foreign, page, found.count, found.levels, more)


def _open_raw(path: Path, kind: str) -> Foreign:
    rows, cols = raw.size_of_raw(path, kind)
    with _mapped(path) as data:
        exif = pack_exif(parse_tags(data, strict=False, skipped=BULK))
    return Foreign(
        rows=rows,
        cols=cols,
        bands=3,
        depth=np.dtype(np.uint16),
        load=partial(raw.develop, path, kind),
        profile=linear_srgb(),
        exif=exif,
        note=raw.NOTE,
    )


def _open_jpeg2000(path: Path) -> Foreign:
    with _mapped(path) as data:
        found = jpeg2000.parse(data, path)
    return Foreign(
        rows=found.rows,
        cols=found.cols,
        bands=found.bands,
        depth=found.depth,
        load=partial(jpeg2000.decode, path, found),
        transparency=found.transparency,
        profile=found.profile,
        exif=found.exif and normalise_exif(found.exif),
        xmp=found.xmp,
        note=f"samples of {found.bits} bits, brought to {found.depth}"
        if found.bits not in (8, 16)
        else None,
    )


def _open(path: Path, kind: Format, **options: int) -> Any:
    # The loader is named, since new_from_file takes "scan[1].tif" for a name with options.
    load = getattr(vips().Image, f"{kind.name}load")
    vips().vips_lib.vips_error_clear()  # else messages include errors of earlier files
    # File names are bytes, and need not be UTF-8.
    image = load(os.fsencode(path), fail_on="error", access="sequential", **options)
    if image.interpretation not in _SPACES:
        raise UnreadableError(
            f"{path}: colours are stored as {image.interpretation}; convert to RGB or grey first"
        )
    return image
