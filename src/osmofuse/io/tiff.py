"""TIFF pages: meaning of their tags, supported samples, and samples that tifffile decodes.

Resolution, transparency and the no-data value are read from tags, and written as tags, since
libvips does neither, or not reliably.
"""

from __future__ import annotations

import logging
import math
import struct
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from osmofuse.errors import MissingExtraError, UnreadableError
from osmofuse.io.formats import Foreign
from osmofuse.io.tags import (
    BITS,
    COLS,
    COLS_RESOLUTION,
    COMPRESSION,
    EXTRA,
    ICC,
    IPTC,
    NODATA,
    PHOTOMETRIC,
    ROWS,
    ROWS_RESOLUTION,
    TILE_COLS,
    UNIT,
    XMP,
    Directory,
    first_number,
    parse_tags,
    tag_bytes,
    tag_numbers,
)
from osmofuse.picture import Picture
from osmofuse.pixels import bands_of, divided, widened
from osmofuse.typing import Array

# Numbers of tags.
_BANDS, _PLANES, _PREDICTOR, _COLOUR_MAP, _SAMPLE_FORMAT, _SLICES = 277, 284, 317, 320, 339, 32997
# Names of compressions by number; those that libvips reads; those that tifffile reads without
# imagecodecs.
COMPRESSIONS = {
    1: "none", 2: "ccitt", 3: "ccitt", 4: "ccitt", 5: "lzw", 6: "jpeg", 7: "jpeg", 8: "deflate",
    32773: "packbits", 32946: "deflate", 33003: "jpeg2000", 33005: "jpeg2000", 34712: "jpeg2000",
    34887: "lerc", 34925: "lzma", 50000: "zstd", 50001: "webp", 50002: "jpeg xl",
}  # fmt: skip
_BY_LIBVIPS = {1, 2, 3, 4, 5, 6, 7, 8, 32773, 32946, 50001}
_BY_TIFFFILE = {1, 8, 32773, 32946}
_JPEG_COMPRESSIONS = (6, 7)
# Colours by number: black-is-zero grey and RGB are 1 and 2; libtiff converts YCbCr in JPEG only.
_WHITE_IS_ZERO, _PALETTE, _YCBCR = 0, 3, 6
_PHOTOMETRICS = {_WHITE_IS_ZERO, 1, 2, _PALETTE, _YCBCR}
_OTHER_PHOTOMETRICS = {
    4: "a mask", 5: "CMYK", _YCBCR: "YCbCr", 8: "CIELAB", 9: "ICCLAB", 10: "ITULAB",
    32844: "LogL", 32845: "LogLuv",
}  # fmt: skip
_SIGNED, _COMPLEX = 2, (5, 6)  # formats of samples
# Bits of a sample that libvips does not read.
_ODD_BITS = {3, 5, 6, 7, *range(9, 16)}


def resolution_in(tags: Directory) -> tuple[float, float] | None:
    """Return the resolution in pixels per millimetre (rows, cols); None if none is stored.

    Without a unit it is per inch, the default of TIFF.
    """
    along = [tag_numbers(tags, tag) for tag in (ROWS_RESOLUTION, COLS_RESOLUTION)]
    millimetres = {(): 25.4, (2,): 25.4, (3,): 10.0}.get(tag_numbers(tags, UNIT))
    if millimetres is None or not all(len(ratio) == 2 and all(ratio) for ratio in along):
        return None
    return along[0][0] / along[0][1] / millimetres, along[1][0] / along[1][1] / millimetres


def has_transparency(tags: Directory, bands: int) -> bool:
    """Return True if the last band is transparency; libvips assumes so of any extra band."""
    return bands > 1 and tag_numbers(tags, EXTRA)[-1:] in ((1,), (2,))


def nodata_in(tags: Directory) -> float | None:
    """Return GDAL's no-data value, or None."""
    text = tag_bytes(tags, NODATA)
    if text is None:
        return None
    try:
        return float(text.rstrip(b"\0 ").decode("ascii", "replace"))
    except ValueError:
        return None


def added_tags(picture: Picture, exif: bytes | None) -> Directory:
    """Return the tags that libvips does not write, or writes wrongly, for `add_tags`.

    `exif` is the picture's EXIF, normalised, including the georeference.
    """
    tags = parse_tags(exif) if exif else {}
    iptc = picture.metadata.iptc
    if iptc:
        tags[IPTC] = (7, len(iptc), iptc)
    if picture.nodata is not None:
        text = nodata_text(picture.nodata)
        tags[NODATA] = (2, len(text), text)
    bands = bands_of(picture.pixels)
    extra = bands - (1 if bands < 3 else 3)
    if extra:
        meanings = [0] * (extra - 1) + [2 if picture.transparency else 0]
        tags[EXTRA] = (3, extra, struct.pack(f"<{extra}H", *meanings))
    return tags


def nodata_text(nodata: float) -> bytes:
    """Return a no-data value as GDAL writes it: integers without a decimal point."""
    whole = math.isfinite(nodata) and nodata == int(nodata) and abs(nodata) < 2**53
    return (str(int(nodata)) if whole else repr(nodata)).encode() + b"\0"


def check_kind(path: Path, tags: Directory) -> None:
    """Check that colours and samples of a page are of a supported kind.

    Colours that are neither grey, RGB nor a palette, complex or short signed samples, and volumes
    of several slices raise an UnreadableError; a palette with too few colours a ValueError.
    """
    kind = first_number(tags, PHOTOMETRIC)
    inside = first_number(tags, COMPRESSION) in _JPEG_COMPRESSIONS
    if kind not in _PHOTOMETRICS or (kind == _YCBCR and not inside):
        name = _OTHER_PHOTOMETRICS.get(kind, f"kind {kind}")
        raise UnreadableError(f"{path}: colours are stored as {name}; convert to RGB or grey first")
    bits, form = first_number(tags, BITS), first_number(tags, _SAMPLE_FORMAT)
    if form in _COMPLEX or (form == _SIGNED and bits < 8):
        name = "complex numbers" if form in _COMPLEX else f"signed numbers of {bits} bits"
        raise UnreadableError(f"{path}: samples are {name}; convert to uint16 or float first")
    if kind == _PALETTE and tags.get(_COLOUR_MAP, (0, 0))[1] < 3 * 2**bits:
        raise ValueError("its palette has too few colours")
    if (slices := first_number(tags, _SLICES)) > 1:
        raise UnreadableError(
            f"{path}: holds a volume of {slices} slices in one page; save each as a picture"
        )


def palette_note(tags: Directory) -> str | None:
    """Return a remark on the precision lost of a palette; None if none is lost.

    Of the 16 bits of its colours libvips keeps 8, if pixels have 8 or less.
    """
    coarse = first_number(tags, BITS) <= 8
    if first_number(tags, PHOTOMETRIC) != _PALETTE or not coarse:
        return None
    colours = np.array(tag_numbers(tags, _COLOUR_MAP), np.int64)
    if colours.size == 0 or colours.max() < 256 or not (colours % 256 - colours // 256).any():
        return None
    return "a palette of colours with 16 bits, of which 8 are read"


def foreign_in(path: Path, index: int, tags: Directory) -> Foreign | None:
    """Return the picture of a page that libvips does not read; None if it does.

    `index` is the number of its directory in the chain, from 0. Samples that tifffile does not read
    either, a palette, or bands of several widths raise an UnreadableError.
    """
    bits = first_number(tags, BITS)
    compression = first_number(tags, COMPRESSION)
    bands = _one(tags, _BANDS, 1)
    planes = bands > 1 and tag_numbers(tags, _PLANES) == (2,) and TILE_COLS in tags
    usual = bits != 64 and bits not in _ODD_BITS and compression in _BY_LIBVIPS
    if usual and not planes:
        return None
    depth = _depth(path, bits, tags)
    _check_codecs(path, bits, compression, tags)
    _check_plain(path, tags)
    return Foreign(
        rows=_one(tags, ROWS),
        cols=_one(tags, COLS),
        bands=bands,
        depth=depth,
        load=partial(_decode, path, index, bits, multiplied=tag_numbers(tags, EXTRA)[-1:] == (1,)),
        profile=tag_bytes(tags, ICC),
        xmp=tag_bytes(tags, XMP),
        note=f"samples of {bits} bits, stretched to the range of {depth}"
        if bits in _ODD_BITS
        else None,
    )


def _check_plain(path: Path, tags: Directory) -> None:
    """Refuse colours of a page that need a conversion, which only libvips would do."""
    if len(widths := set(tag_numbers(tags, BITS))) > 1:
        raise UnreadableError(
            f"{path}: bands of {' and '.join(map(str, sorted(widths)))} bits; save it again with 8 "
            "or 16 in each"
        )
    kind = first_number(tags, PHOTOMETRIC)
    unsigned = _one(tags, _SAMPLE_FORMAT, 1) == 1
    if kind in (_PALETTE, _YCBCR) or (kind == _WHITE_IS_ZERO and not unsigned):
        name = {_PALETTE: "a palette", _YCBCR: "YCbCr"}.get(kind, "grey from white to black")
        raise UnreadableError(
            f"{path}: colours are stored as {name} in an unusual way; save it again as grey or RGB"
        )


def _depth(path: Path, bits: int, tags: Directory) -> np.dtype[np.generic]:
    kind = {1: "u", 2: "i"}.get(_one(tags, _SAMPLE_FORMAT, 1), "f")
    if kind != "f" and (bits > 32 or (kind == "i" and bits in _ODD_BITS)):
        raise UnreadableError(
            f"{path}: samples are whole numbers of {bits} bits; convert to uint16 or float first"
        )
    if bits > 64 or (kind == "f" and bits not in (16, 32, 64)):
        raise ValueError(f"it claims samples of {bits} bits")
    wide = next(size for size in (1, 2, 4, 8) if bits <= 8 * size)
    return np.dtype(f"{kind}{wide}")


def _one(tags: Directory, tag: int, default: int = 0) -> int:
    number = first_number(tags, tag, default)
    if number < 1:
        raise ValueError(f"tag {tag} is missing or 0")
    return number


def _check_codecs(path: Path, bits: int, compression: int, tags: Directory) -> None:
    """Check that imagecodecs is installed if tifffile needs it."""
    if bits in _ODD_BITS:
        what = f"samples of {bits} bits"
    elif compression not in _BY_TIFFFILE:
        what = f"{COMPRESSIONS.get(compression, f'scheme {compression}')} compression"
    elif _one(tags, _PREDICTOR, 1) not in (1, 2):
        what = "64-bit samples with the floating-point predictor"
    else:
        return
    if find_spec("imagecodecs") is None:
        raise MissingExtraError(
            f"{path}: reading {what} needs imagecodecs; install it with "
            'pip install "osmofuse[formats]", or save the file again with 8 or 16 bits and LZW'
        )


def _decode(path: Path, index: int, bits: int, *, multiplied: bool) -> Array:
    """Decode a page with tifffile: (rows, cols) or (rows, cols, bands).

    With `multiplied`, colours are stored multiplied by the last band, the transparency. A
    damaged or unusual page raises a ValueError.
    """
    import tifffile

    logging.getLogger("tifffile").addHandler(logging.NullHandler())
    try:
        with tifffile.TiffFile(path) as file:
            found: Any = file.pages[index]
            array: Array = found.asarray()
            white_is_zero = found.photometric == _WHITE_IS_ZERO
            plain = found.photometric in (0, 1, 2) and found.axes in ("YX", "YXS", "SYX")
            if not plain or array.ndim != len(found.axes):
                raise ValueError(f"samples along {found.axes} as {found.photometric!r}")
            array = np.moveaxis(array, 0, -1) if found.axes == "SYX" else array
    except MemoryError:
        raise
    except Exception as error:  # tifffile raises many kinds for damaged files
        raise ValueError(str(error)) from error
    array = widened(array, bits) if bits in _ODD_BITS else array
    if white_is_zero:
        grey = array if array.ndim == 2 else array[..., 0]
        np.subtract(np.iinfo(array.dtype).max, grey, out=grey)
    return divided(array) if multiplied and array.ndim == 3 else array
