"""JPEG 2000: a parser of its header; samples are decoded by imagecodecs (extra ``formats``)."""

from __future__ import annotations

import mmap
import struct
from pathlib import Path
from typing import NamedTuple

import numpy as np

from osmofuse.errors import MissingExtraError, UnreadableError
from osmofuse.pixels import divided, widened
from osmofuse.typing import Array

# First bytes of files and of the codestream, and identifiers of boxes, by the standard.
_CODESTREAM, _BOXED = b"\xff\x4f\xff\x51", b"\0\0\0\x0cjP  \r\n\x87\n"
SIGNATURES = (_BOXED, _CODESTREAM)
_XMP_BOX = bytes.fromhex("be7acfcb97a942e89c71999491e3afac")
_EXIF_BOX = b"JpgTiffExif->JP2"
# Boxes that are parsed, and bytes of each. Files have about ten, of which only XMP and profiles are
# large; anything from 100 boxes and 2**20 bytes works.
_MOST_BOXES, _MOST_BOX_BYTES = 1000, 2**24
_MULTIPLIED = 2  # kind of opacity: associated alpha
_BANDS_BY_SPACE = {16: 3, 17: 1}  # bands of sRGB and grey, by their numbers in the standard


class Jpeg2000(NamedTuple):
    """Header of a JPEG 2000 file; profile and metadata as in the file."""

    rows: int
    cols: int
    bands: int  # including the transparency
    depth: np.dtype[np.generic]  # uint8 or uint16
    bits: int  # significant bits of a sample; white is 2**bits - 1
    transparency: bool  # the last band is transparency
    multiplied: bool  # colours are stored multiplied by it (associated alpha)
    profile: bytes | None
    xmp: bytes | None
    exif: bytes | None


def parse(data: bytes | mmap.mmap, path: Path) -> Jpeg2000:
    """Parse the header of a JPEG 2000 file, given the whole file.

    Damaged ones raise ValueError or struct.error; unsupported samples an UnreadableError.
    """
    bare = data[: len(_BOXED)] != _BOXED
    boxes = {b"jp2c": data[:_MOST_BOX_BYTES]} if bare else _boxes(data)
    if b"jp2c" not in boxes:
        raise ValueError("it holds no picture")
    rows, cols, bits = _size(boxes[b"jp2c"])
    if len(set(bits)) > 1 or not 1 <= bits[0] <= 16:
        raise UnreadableError(
            f"{path}: samples of {', '.join(map(str, bits))} bits; save it again with 8 or 16"
        )
    inside = _boxes(boxes.get(b"jp2h", b""))
    opacity = _opacity(inside.get(b"cdef", b""), len(bits))
    transparency = opacity != 0
    if b"pclr" in inside or len(bits) - transparency not in _bands_of(inside.get(b"colr")):
        raise UnreadableError(
            f"{path}: its colours are neither grey nor RGB, or are a palette; convert it first"
        )
    colour = inside.get(b"colr", b"")
    return Jpeg2000(
        rows=rows,
        cols=cols,
        bands=len(bits),
        depth=np.dtype(np.uint8 if bits[0] <= 8 else np.uint16),
        bits=bits[0],
        transparency=transparency,
        multiplied=opacity == _MULTIPLIED,
        profile=colour[3:] if colour[:1] == b"\2" else None,
        xmp=boxes.get(_XMP_BOX),
        exif=boxes.get(_EXIF_BOX),
    )


def decode(path: Path, found: Jpeg2000) -> Array:
    """Decode the samples of a JPEG 2000 file; a damaged one raises a ValueError."""
    try:
        import imagecodecs
    except ImportError as error:
        raise MissingExtraError(
            f"{path}: reading JPEG 2000 needs imagecodecs; install it with "
            'pip install "osmofuse[formats]", or convert the file to TIFF'
        ) from error
    try:
        array = np.asarray(imagecodecs.jpeg2k_decode(path.read_bytes()))
    except MemoryError:
        raise
    except Exception as error:  # imagecodecs raises many kinds for damaged files
        raise ValueError(str(error)) from error
    shape = (found.rows, found.cols, found.bands)
    if array.size != np.prod(shape) or array.dtype != found.depth:
        raise ValueError(f"its samples are {array.dtype} {array.shape}, not {shape}")
    array = array.reshape(shape if found.bands > 1 else shape[:2])
    array = widened(array, found.bits)
    return divided(array) if found.multiplied else array


def _boxes(data: bytes | mmap.mmap) -> dict[bytes, bytes]:
    """Return the first box of each kind; a box of kind "uuid" by its identifier of 16 bytes.

    The first one counts, as the standard requires for colours.
    """
    found: dict[bytes, bytes] = {}
    at, end = 0, len(data)
    for _ in range(_MOST_BOXES):
        if at + 8 > end:
            break
        size, kind = struct.unpack_from(">I4s", data, at)
        start = at + 8
        if size == 1:
            (size,) = struct.unpack_from(">Q", data, start)
            start += 8
        stop = end if size == 0 else at + size
        if not start <= stop <= end:
            # A truncated picture is still returned, so that the decoder reports the error.
            stop = end
        at = stop
        if kind == b"uuid":
            kind, start = data[start : start + 16], start + 16
        found.setdefault(kind, data[start : min(stop, start + _MOST_BOX_BYTES)])
    return found


def _size(stream: bytes) -> tuple[int, int, list[int]]:
    """Return rows, columns and bits of each band from the SIZ marker."""
    if not stream.startswith(_CODESTREAM):
        raise ValueError("its picture has no header")
    right, bottom, left, top = struct.unpack_from(">4I", stream, 8)
    (bands,) = struct.unpack_from(">H", stream, 40)
    parts = [struct.unpack_from(">3B", stream, 42 + 3 * band) for band in range(bands)]
    if not parts or right <= left or bottom <= top:
        raise ValueError("it has no pixels")
    if any(signs & 0x80 or (across, down) != (1, 1) for signs, across, down in parts):
        raise ValueError("its samples are signed, or bands differ in size")
    return bottom - top, right - left, [(signs & 0x7F) + 1 for signs, _, _ in parts]


def _opacity(definitions: bytes, bands: int) -> int:
    """Return 1 if the last band is opacity, 2 if colours are multiplied by it, else 0."""
    (count,) = struct.unpack_from(">H", definitions) if len(definitions) >= 2 else (0,)
    parts = [struct.unpack_from(">3H", definitions, 2 + 6 * k) for k in range(min(count, 64))]
    kinds = [kind for band, kind, _ in parts if band == bands - 1 and kind in (1, _MULTIPLIED)]
    return kinds[0] if kinds and bands > 1 else 0


def _bands_of(colour: bytes | None) -> tuple[int, ...]:
    """Return the possible numbers of colour bands."""
    if colour is None or colour[:1] == b"\2":
        return (1, 3)
    (number,) = struct.unpack_from(">I", colour, 3)
    return (_BANDS_BY_SPACE[number],) if number in _BANDS_BY_SPACE else ()
