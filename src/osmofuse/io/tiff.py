"""Tags of TIFF that libvips neither reads nor writes."""

from __future__ import annotations

import math
import struct

from osmofuse.picture import Picture
from osmofuse.tags import (
    COLS_RESOLUTION,
    EXTRA,
    IPTC,
    NODATA,
    ROWS_RESOLUTION,
    UNIT,
    Directory,
    parse_tags,
    tag_bytes,
    tag_numbers,
)

__all__ = [
    "added_tags",
    "has_transparency",
    "nodata_in",
    "resolution_in",
]


def resolution_in(tags: Directory) -> tuple[float, float] | None:
    """Return the pixels per millimetre along (rows, cols); None if the tags state none."""
    along = [tag_numbers(tags, tag) for tag in (ROWS_RESOLUTION, COLS_RESOLUTION)]
    millimetres = {(): 25.4, (2,): 25.4, (3,): 10.0}.get(tag_numbers(tags, UNIT))
    if millimetres is None or not all(len(ratio) == 2 and all(ratio) for ratio in along):
        return None
    return along[0][0] / along[0][1] / millimetres, along[1][0] / along[1][1] / millimetres


def has_transparency(tags: Directory, bands: int) -> bool:
    """Return True if the last band is transparency; libvips takes every extra band for it."""
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
    """Return the tags that libvips does not write, or writes wrongly.

    Parameters
    ----------
    picture : Picture
        What is written.
    exif : bytes, optional
        Its EXIF, normalised; geography is part of it.

    Returns
    -------
    Directory
        For `osmofuse.tags.add_tags`.
    """
    tags = parse_tags(exif) if exif else {}
    iptc = picture.metadata.iptc
    if iptc:
        tags[IPTC] = (7, len(iptc), iptc)
    if picture.nodata is not None:
        text = nodata_text(picture.nodata)
        tags[NODATA] = (2, len(text), text)
    bands = 1 if picture.pixels.ndim == 2 else picture.pixels.shape[2]
    extra = bands - (1 if bands < 3 else 3)
    if extra:
        meanings = [0] * (extra - 1) + [2 if picture.transparency else 0]
        tags[EXTRA] = (3, extra, struct.pack(f"<{extra}H", *meanings))
    return tags


def nodata_text(nodata: float) -> bytes:
    """Write a value for no data as GDAL does: whole numbers without a point."""
    whole = math.isfinite(nodata) and nodata == int(nodata) and abs(nodata) < 2**53
    return (str(int(nodata)) if whole else repr(nodata)).encode() + b"\0"
