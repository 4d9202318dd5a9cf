"""Samples of TIFF files: which kinds are read, and those that tifffile decodes and libvips not."""

from __future__ import annotations

import logging
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from osmofuse.errors import MissingExtraError, UnreadableError
from osmofuse.io.foreign import Foreign
from osmofuse.picture import widened
from osmofuse.tags import BITS, ICC, XMP, Directory, tag_bytes, tag_numbers
from osmofuse.typing import Array

__all__ = ["COMPRESSIONS", "check_kind", "foreign_in"]

_COLS, _ROWS, _COMPRESSION, _PHOTOMETRIC, _BANDS = 256, 257, 259, 262, 277
_PREDICTOR, _SAMPLE_FORMAT = 317, 339
COMPRESSIONS = {
    1: "none", 2: "ccitt", 3: "ccitt", 4: "ccitt", 5: "lzw", 6: "jpeg", 7: "jpeg", 8: "deflate",
    32773: "packbits", 32946: "deflate", 33003: "jpeg2000", 33005: "jpeg2000", 34712: "jpeg2000",
    34887: "lerc", 34925: "lzma", 50000: "zstd", 50001: "webp", 50002: "jpeg xl",
}  # fmt: skip
_BY_LIBVIPS = {1, 2, 3, 4, 5, 6, 7, 8, 32773, 32946, 50001}
_BY_TIFFFILE = {1, 8, 32773, 32946}  # without imagecodecs
_JPEG, _YCBCR = (6, 7), 6
# Grey from white or black, RGB, a palette, and YCbCr, which libtiff converts inside JPEG only.
_COLOURS = {0, 1, 2, 3, _YCBCR}
_OTHER_COLOURS = {
    4: "a mask", 5: "CMYK", _YCBCR: "YCbCr", 8: "CIELAB", 9: "ICCLAB", 10: "ITULAB",
    32844: "LogL", 32845: "LogLuv",
}  # fmt: skip
_ODD_BITS = {3, 5, 6, 7, *range(9, 16)}


def check_kind(path: Path, tags: Directory) -> None:
    """Refuse a page whose colours would be taken for others.

    Raises
    ------
    UnreadableError
        They are neither grey nor RGB nor a palette.
    """
    kind = (*tag_numbers(tags, _PHOTOMETRIC), 1)[0]
    inside = (*tag_numbers(tags, _COMPRESSION), 1)[0] in _JPEG
    if kind not in _COLOURS or (kind == _YCBCR and not inside):
        name = _OTHER_COLOURS.get(kind, f"kind {kind}")
        raise UnreadableError(f"{path}: colours are stored as {name}; convert to RGB or grey first")


def foreign_in(path: Path, index: int, tags: Directory) -> Foreign | None:
    """Return the picture of a page that libvips does not read; None if it does.

    Parameters
    ----------
    path : Path
        The file.
    index : int
        Which directory of the chain, from 0.
    tags : Directory
        Its tags.

    Raises
    ------
    MissingExtraError
        Decoding it needs imagecodecs, which is not installed.
    UnreadableError
        Samples of 64 bits that are no floats.
    ValueError
        A tag is missing.
    """
    bits = (*tag_numbers(tags, BITS), 1)[0]
    compression = (*tag_numbers(tags, _COMPRESSION), 1)[0]
    if bits != 64 and bits not in _ODD_BITS and compression in _BY_LIBVIPS:
        return None
    depth = _depth(path, bits, tags)
    _check_codecs(path, bits, compression, tags)
    return Foreign(
        rows=_one(tags, _ROWS),
        cols=_one(tags, _COLS),
        bands=_one(tags, _BANDS, 1),
        depth=depth,
        load=partial(_decode, path, index, bits),
        profile=tag_bytes(tags, ICC),
        xmp=tag_bytes(tags, XMP),
        note=f"samples of {bits} bits, stretched to the range of {depth}"
        if bits in _ODD_BITS
        else None,
    )


def _depth(path: Path, bits: int, tags: Directory) -> np.dtype[np.generic]:
    kind = {1: "u", 2: "i"}.get(_one(tags, _SAMPLE_FORMAT, 1), "f")
    if kind != "f" and (bits > 32 or (kind == "i" and bits in _ODD_BITS)):
        raise UnreadableError(
            f"{path}: samples are whole numbers of {bits} bits; convert to uint16 or float first"
        )
    wide = next(size for size in (1, 2, 4, 8) if bits <= 8 * size)
    return np.dtype(f"{kind}{wide}")


def _one(tags: Directory, tag: int, default: int = 0) -> int:
    number = (*tag_numbers(tags, tag), default)[0]
    if number < 1:
        raise ValueError(f"tag {tag} is missing or 0")
    return number


def _check_codecs(path: Path, bits: int, compression: int, tags: Directory) -> None:
    """Refuse what tifffile decodes with imagecodecs only, if that is not installed."""
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
            'pip install "osmofuse[formats]", or save the file anew with 8 or 16 bits and LZW'
        )


def _decode(path: Path, index: int, bits: int) -> Array:
    """Decode a page by tifffile: (rows, cols) or (rows, cols, bands).

    Raises
    ------
    ValueError
        The file is damaged or stored in an unusual way.
    """
    import tifffile

    logging.getLogger("tifffile").addHandler(logging.NullHandler())
    try:
        with tifffile.TiffFile(path) as file:
            found: Any = file.pages[index]
            array: Array = found.asarray()
            plain = found.photometric in (1, 2) and found.axes in ("YX", "YXS", "SYX")
            if not plain or array.ndim != len(found.axes):
                raise ValueError(f"samples along {found.axes} as {found.photometric!r}")
            array = np.moveaxis(array, 0, -1) if found.axes == "SYX" else array
    except MemoryError:
        raise
    except Exception as error:  # a damaged file can raise anything there
        raise ValueError(str(error)) from error
    return widened(array, bits) if bits in _ODD_BITS else array
