"""Byte layout of TIFF and EXIF tags, and the wrapping of IPTC.

EXIF is a TIFF without pixels, so one parser and one packer serve both. Values are kept as stored
bytes, in little-endian order, so that unknown tags survive too.
"""

from __future__ import annotations

import mmap
import struct
from collections.abc import Container, Iterator
from typing import BinaryIO, Literal, NamedTuple, TypeAlias

import numpy as np

# By tag: the kind, count and little-endian bytes of a value; or a sub-directory.
Directory: TypeAlias = "dict[int, tuple[int, int, bytes] | Directory]"

# Numbers of tags.
COLS, ROWS, BITS, COMPRESSION, PHOTOMETRIC, ORIENTATION = 256, 257, 258, 259, 262, 274
COLS_RESOLUTION, ROWS_RESOLUTION, UNIT, TILE_COLS, TILE_ROWS, EXTRA = 282, 283, 296, 322, 323, 338
XMP, IPTC, ICC, NODATA = 700, 33723, 34675, 42113
_EXIF_IFD, _GPS_IFD, _INTEROPERABILITY_IFD = 34665, 34853, 40965
# Bounds on what is parsed: pages; entries of a directory with its sub-directories; entries of all
# pages; bytes of values. Sound files stay far below; within a factor of ten anything works.
MOST_PAGES = 10_000
_MOST_ENTRIES, _MOST_ENTRIES_OF_PAGES, _MOST_BYTES = 10_000, 1_000_000, 2**28
# Tags of sub-directories; and pixel dimensions in EXIF, which `Picture` keeps elsewhere.
_POINTERS = {_EXIF_IFD, _GPS_IFD, _INTEROPERABILITY_IFD}
_DIMENSIONS = {40962, 40963}
# Tags of how the file stores pixels, or that `Picture` keeps elsewhere; and Photoshop's layers and
# DNG's private tags, which would make the output claim to be such a file; except 50844, rational
# polynomials of satellite pictures.
_STORAGE = {
    *range(254, 260), *range(262, 267), 273, 274, *range(277, 285), *range(288, 293), 296, 297,
    300, 301, *range(317, 329), *range(330, 335), *range(338, 348), *range(512, 522),
    *range(529, 533), XMP, IPTC, 34377, ICC, 37724, NODATA, *range(50000, 50844),
    *range(50845, 65536),
}  # fmt: skip
# By kind of value: bytes of one, and bytes of the unit that byte order applies to.
_VALUE_KINDS = {
    1: (1, 1), 2: (1, 1), 3: (2, 2), 4: (4, 4), 5: (8, 4), 6: (1, 1), 7: (1, 1), 8: (2, 2),
    9: (4, 4), 10: (8, 4), 11: (4, 4), 12: (8, 8), 13: (4, 4), 16: (8, 8), 17: (8, 8), 18: (8, 8),
}  # fmt: skip
_INTEGERS, _FRACTION = (1, 3, 4, 13, 16, 18), 5  # kinds of unsigned numbers
# Kinds of 64 bits, which only BigTIFF has, with their kind of 32 bits and sign; and kinds that are
# offsets of directories, which mean nothing in another file.
_WIDE, _OFFSETS = {16: (4, "u"), 17: (9, "i")}, (13, 18)
_RESOURCE = b"8BIM\x04\x04"  # begins the Photoshop resource of IPTC records


def parse_tags(
    data: bytes | mmap.mmap,
    *,
    at: int | None = None,
    strict: bool = True,
    skipped: Container[int] = (),
) -> Directory:
    """Parse a directory of a TIFF or of EXIF, and its EXIF and GPS sub-directories.

    Entries of an unknown type, or without a value, are left out. Time and memory are bounded: a
    directory is read once, there are at most 10,000 entries, and all values together have at most
    256 MB and twice the length of the data.

    Parameters
    ----------
    data : bytes or mmap
        The whole file or EXIF, in either byte order, classic or BigTIFF.
    at : int, optional
        Offset of the directory, see `directories`; the first if not given.
    strict : bool
        Raise ValueError, OverflowError or struct.error for values that lie beyond the end or cannot
        be read; otherwise leave them out.
    skipped : container of int
        Tags that are left out.
    """
    layout = _layout(data)
    if at is None:
        (at,) = layout.offset.unpack_from(data, layout.first)
    return _Parser(data, layout, strict, skipped).directory(at)


def directories(data: bytes | mmap.mmap) -> list[int]:
    """Return the offsets of the directories of a TIFF, one for each page.

    The first may lie beyond the end. The chain is followed while it leads to new offsets inside the
    file, up to one page more than `MOST_PAGES`; over a million entries raise a ValueError.
    """
    layout = _layout(data)
    (at,) = layout.offset.unpack_from(data, layout.first)
    found: dict[int, None] = {}
    entries = 0
    while at not in found and len(found) <= MOST_PAGES:
        found[at] = None
        try:
            (count,) = layout.length.unpack_from(data, at)
            (at,) = layout.offset.unpack_from(
                data, at + layout.length.size + count * layout.entry.size
            )
        except (struct.error, OverflowError):
            break
        entries += count
        if entries > _MOST_ENTRIES_OF_PAGES:
            raise ValueError(f"its pages have more than {_MOST_ENTRIES_OF_PAGES} entries")
        if not 0 < at < len(data):
            break
    return list(found)


def short_numbers(data: bytes | mmap.mmap, at: int, wanted: Container[int]) -> dict[int, int]:
    """Return by tag the first numbers of a directory at an offset, without parsing the rest.

    Only of wanted tags, and only unsigned integers that are stored in the entry itself.
    """
    layout, found = _layout(data), {}
    order: Literal["big", "little"] = "big" if layout.order == ">" else "little"
    for tag, kind, number, inline in layout.entries(data, at):
        if tag in wanted and kind in _INTEGERS and number:
            width = _VALUE_KINDS[kind][0]
            if number * width <= len(inline):
                found[tag] = int.from_bytes(inline[:width], order)
    return found


def value_bytes(data: bytes | mmap.mmap, at: int) -> int:
    """Return the claimed size in bytes of all values of a directory stored outside its entries."""
    total = 0
    for _, kind, number, inline in _layout(data).entries(data, at):
        size = _VALUE_KINDS.get(kind, (0, 1))[0] * number
        total += size if size > len(inline) else 0
    return total


def tag_numbers(tags: Directory, tag: int) -> tuple[int, ...]:
    """Return the unsigned numbers of a tag; empty if it is absent or of another kind.

    A fraction gives two, numerator and denominator.
    """
    value = tags.get(tag)
    if not isinstance(value, tuple) or value[0] not in (*_INTEGERS, _FRACTION):
        return ()
    return tuple(np.frombuffer(value[2], f"<u{_VALUE_KINDS[value[0]][1]}").tolist())


def first_number(tags: Directory, tag: int, default: int = 1) -> int:
    """Return the first of the `tag_numbers` of a tag, or the default."""
    return (*tag_numbers(tags, tag), default)[0]


def tag_bytes(tags: Directory, tag: int) -> bytes | None:
    """Return the bytes of a tag; None if it is absent or a directory."""
    value = tags.get(tag)
    return value[2] if isinstance(value, tuple) else None


def pack_exif(tags: Directory) -> bytes | None:
    """Return the tags that describe the picture, not its storage, as EXIF without thumbnail.

    Little-endian, without the "Exif" prefix of JPEG; None if nothing is left.
    """
    kept = _classic({tag: value for tag, value in tags.items() if tag not in _STORAGE})
    details = kept.get(_EXIF_IFD)
    if isinstance(details, dict):
        kept[_EXIF_IFD] = {t: value for t, value in details.items() if t not in _DIMENSIONS}
    return b"II*\0\x08\0\0\0" + _pack(kept, 8, _CLASSIC) if kept else None


def _classic(tags: Directory) -> Directory:
    """Return the tags that a classic TIFF can hold: no offsets, and no numbers of 64 bits."""
    kept: Directory = {}
    for tag, value in tags.items():
        if isinstance(value, dict):
            if below := _classic(value):
                kept[tag] = below
        elif value[0] in _WIDE:
            numbers = np.frombuffer(value[2], f"<{_WIDE[value[0]][1]}8")
            narrow = numbers.astype(f"<{_WIDE[value[0]][1]}4")
            if (narrow == numbers).all():
                kept[tag] = (_WIDE[value[0]][0], value[1], narrow.tobytes())
        elif value[0] not in _OFFSETS and tag not in _POINTERS:
            kept[tag] = value
    return kept


def normalise_exif(exif: bytes) -> bytes | None:
    """Convert EXIF, with or without the prefix of JPEG, to the form of `pack_exif`.

    Damaged values are left out; None if the data cannot be read.
    """
    try:
        return pack_exif(parse_tags(exif.removeprefix(b"Exif\0\0"), strict=False))
    except (ValueError, OverflowError, struct.error):
        return None


def add_tags(file: BinaryIO, tags: Directory) -> None:
    """Add or replace tags in a TIFF of one page: append a new directory, point the header to it.

    The file is little-endian, on the disk, and open for reading and writing.
    """
    with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        layout, present, size = _layout(data), parse_tags(data), len(data)
    start = size + size % 2
    file.seek(start)
    file.write(_pack(present | tags, start, layout))
    file.seek(layout.first)
    file.write(layout.offset.pack(start))


class _Layout(NamedTuple):
    """Layout of numbers in a TIFF: byte order, and classic or BigTIFF."""

    order: Literal["<", ">"]
    big: bool

    @property
    def length(self) -> struct.Struct:
        return struct.Struct(self.order + ("Q" if self.big else "H"))

    @property
    def entry(self) -> struct.Struct:
        return struct.Struct(self.order + ("HHQ8s" if self.big else "HHI4s"))

    @property
    def offset(self) -> struct.Struct:
        return struct.Struct(self.order + ("Q" if self.big else "I"))

    @property
    def first(self) -> int:
        """Position in the header of the first directory's offset."""
        return 8 if self.big else 4

    def entries(self, data: bytes | mmap.mmap, at: int) -> Iterator[tuple[int, int, int, bytes]]:
        """Yield tag, kind, count and inline bytes of each entry of a directory."""
        (count,) = self.length.unpack_from(data, at)
        start, entry = at + self.length.size, self.entry
        for place in range(start, start + count * entry.size, entry.size):
            yield entry.unpack_from(data, place)


_CLASSIC = _Layout("<", False)


def _layout(data: bytes | mmap.mmap) -> _Layout:
    return _Layout(">" if data[:2] == b"MM" else "<", data[2:4] in (b"+\0", b"\0+"))


class _Parser:
    """Parser of a directory and its sub-directories, with bounds on entries and bytes."""

    def __init__(
        self, data: bytes | mmap.mmap, layout: _Layout, strict: bool, skipped: Container[int]
    ) -> None:
        self.data, self.layout, self.strict, self.skipped = data, layout, strict, skipped
        self.places = set[int]()
        self.entries, self.bytes = _MOST_ENTRIES, min(2 * len(data), _MOST_BYTES)

    def directory(self, at: int) -> Directory:
        if at in self.places:
            raise ValueError("a directory lies within itself, or in two places")
        self.places.add(at)
        (count,) = self.layout.length.unpack_from(self.data, at)
        self.entries -= count
        if self.entries < 0:
            raise ValueError(f"more than {_MOST_ENTRIES} entries")
        found: Directory = {}
        for tag, kind, number, inline in self.layout.entries(self.data, at):
            if tag in self.skipped or kind not in _VALUE_KINDS or number == 0:
                continue
            try:
                found[tag] = self._entry(tag, kind, number, inline)
            except (ValueError, OverflowError, struct.error):
                if self.strict:
                    raise
        return found

    def _entry(
        self, tag: int, kind: int, number: int, inline: bytes
    ) -> tuple[int, int, bytes] | Directory:
        width, unit = _VALUE_KINDS[kind]
        raw = self._value(tag, number * width, inline)
        if tag in _POINTERS:
            if number != 1:
                raise ValueError(f"tag {tag} points to {number} directories")
            return self.directory(int.from_bytes(_little(raw, self.layout, unit), "little"))
        return kind, number, _little(raw, self.layout, 1 if tag == IPTC else unit)

    def _value(self, tag: int, size: int, inline: bytes) -> bytes:
        if size <= len(inline):
            return inline[:size]
        (offset,) = self.layout.offset.unpack(inline)
        if offset + size > len(self.data):
            raise ValueError(f"the value of tag {tag} lies beyond the end")
        self.bytes -= size
        if self.bytes < 0:
            raise ValueError("values that overlap, or are larger than any metadata")
        return self.data[offset : offset + size]


def _little(raw: bytes, layout: _Layout, unit: int) -> bytes:
    return raw if layout.order == "<" else np.frombuffer(raw, f">u{unit}").byteswap().tobytes()


def _pack(directory: Directory, at: int, layout: _Layout) -> bytes:
    """Return the bytes of a directory at offset `at`, with its values and sub-directories."""
    entry, offset = layout.entry, layout.offset
    entries = layout.length.pack(len(directory))
    end = at + len(entries) + len(directory) * entry.size + offset.size
    values = bytearray()
    for tag, value in sorted(directory.items()):
        here = offset.pack(end + len(values))
        if isinstance(value, dict):
            values += _pack(value, end + len(values), layout)
            entries += entry.pack(tag, 18 if layout.big else 4, 1, here)
            continue
        kind, number, raw = value
        if len(raw) > offset.size:
            values += raw + bytes(len(raw) % 2)
            raw = here
        entries += entry.pack(tag, kind, number, raw)
    return entries + offset.pack(0) + values


# IPTC records are stored plain in TIFF, and inside a Photoshop resource in JPEG.


def wrap_iptc(iptc: bytes) -> bytes:
    """Wrap IPTC records in the Photoshop resource that JPEG uses, with its prefix."""
    size = struct.pack(">I", len(iptc))
    return b"Photoshop 3.0\0" + _RESOURCE + b"\0\0" + size + iptc + bytes(len(iptc) % 2)


def unwrap_iptc(resources: bytes | None) -> bytes | None:
    """Return the IPTC records in Photoshop's resources of a JPEG; None if there are none."""
    named = (resources or b"").partition(_RESOURCE)[2]
    if not named:
        return None
    at = (named[0] + 2) // 2 * 2  # length byte and name, padded to an even number
    size = int.from_bytes(named[at : at + 4], "big")
    return named[at + 4 : at + 4 + size] or None
