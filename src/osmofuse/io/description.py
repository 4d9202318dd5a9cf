"""Description of a picture file from its header, and limits on its size."""

from __future__ import annotations

import os
from dataclasses import dataclass
from math import prod
from pathlib import Path

import numpy as np

from osmofuse.errors import LimitError
from osmofuse.io.formats import format_of_name
from osmofuse.io.geography import geography_in
from osmofuse.io.header import Header, named_errors, open_header
from osmofuse.io.icc import is_sound, profile_name
from osmofuse.io.libvips import blob, depth_of
from osmofuse.io.tags import (
    COMPRESSION,
    ORIENTATION,
    TILE_COLS,
    TILE_ROWS,
    first_number,
    tag_numbers,
)
from osmofuse.io.tiff import COMPRESSIONS, has_transparency, nodata_in, resolution_in


@dataclass(frozen=True)
class Description:
    """Description of a picture file, from its header.

    Parameters
    ----------
    path : Path
        The file.
    format : str
        "png", "tiff", "jpeg", "webp" or "jpeg2000", by its content.
    format_of_name : str or None
        Format of the suffix if it differs from the content; None if it agrees or is unknown.
    rows, cols, bands : int
        Size of the upright picture, as `read` returns it; bands include the transparency.
    depth : str
        Type of the samples, e.g. "uint16".
    transparency : bool
        The last band is transparency.
    profile : str or None
        Name of the ICC profile; None if there is none.
    resolution : tuple of float or None
        Pixels per millimetre along (rows, cols) of the upright picture.
    orientation : int
        As stored, 1 to 8; 1 is upright.
    page, pages, levels : int
        The page described, from 1; number of pictures in the file; number of sizes of this one
        (several in a pyramid), of which the full one is read.
    tiled : bool
        True if stored in tiles.
    compression : str
        E.g. "none", "lzw", "deflate", "jpeg".
    geo : str or None
        Georeference of a GeoTIFF, in words; None if there is none.
    nodata : float or None
        No-data value: marks pixels where nothing was recorded.
    decoded_bytes : int
        Memory of the decoded picture, or of a single tile if that is larger.
    note : str or None
        Remarks on reading it: raw files, unusual depths, further pictures, a damaged profile.
    """

    path: Path
    format: str
    format_of_name: str | None
    rows: int
    cols: int
    bands: int
    depth: str
    transparency: bool
    profile: str | None
    resolution: tuple[float, float] | None
    orientation: int
    page: int
    pages: int
    levels: int
    tiled: bool
    compression: str
    geo: str | None
    nodata: float | None
    decoded_bytes: int
    note: str | None = None

    @property
    def colours(self) -> int:
        """Number of bands without the transparency."""
        return self.bands - self.transparency

    @property
    def has_alpha(self) -> bool:
        """Same as `transparency`, under the name common in other software."""
        return self.transparency


def describe(path: str | os.PathLike[str], *, page: int = 1) -> Description:
    """Describe a picture file without decoding its pixels.

    Parameters
    ----------
    path : path
        The file.
    page : int
        Page number, from 1.

    Returns
    -------
    Description
        From the header; the pixels may still be damaged.

    Raises
    ------
    UnreadableError
        The file is missing, not a picture, neither grey nor RGB, or has a damaged header.
    LimitError
        It has more pages or metadata than any valid file.
    SettingError
        There is no such page.
    MissingExtraError
        Reading such files needs a package that is not installed.
    """
    path = Path(path)
    with named_errors(path):
        return description_of(open_header(path, page))


def description_of(header: Header) -> Description:
    """Describe a file from its opened header."""
    rows, cols, bands, depth = _size(header)
    orientation = orientation_in(header)
    resolution = stated_resolution(header)
    if orientation > 4:
        rows, cols, resolution = cols, rows, resolution and resolution[::-1]
    tags = header.tags
    tile = (*tag_numbers(tags, TILE_COLS), *tag_numbers(tags, TILE_ROWS))
    claimed = format_of_name(header.path) or header.kind
    return Description(
        path=header.path,
        format=header.kind.name,
        format_of_name=None if claimed is header.kind else claimed.name,
        rows=rows,
        cols=cols,
        bands=bands,
        depth=depth.name,
        transparency=transparency_in(header, bands),
        profile=profile_name(profile_in(header)),
        resolution=resolution,
        orientation=orientation,
        page=header.page,
        pages=header.pages,
        levels=header.levels,
        tiled=len(tile) == 2,
        compression=_compression(header),
        geo=geography_in(tags),
        nodata=nodata_in(tags),
        decoded_bytes=bands * depth.itemsize * max(rows * cols, prod(tile)),
        note="; ".join(filter(None, (header.note, _unsound(header)))) or None,
    )


def transparency_in(header: Header, bands: int) -> bool:
    """Return True if the last band is transparency."""
    if header.tags:
        return has_transparency(header.tags, bands)
    if header.foreign is not None:
        return header.foreign.transparency
    return bool(header.image.hasalpha())


def orientation_in(header: Header) -> int:
    """Return the stored orientation, 1 to 8; 1 (upright) if it is out of range."""
    if header.image is None:
        stated = first_number(header.tags, ORIENTATION)
    else:
        known = header.image.get_typeof("orientation")
        stated = header.image.get("orientation") if known else 1
    return int(stated) if 1 <= stated <= 8 else 1


def stated_resolution(header: Header) -> tuple[float, float] | None:
    """Return the resolution in pixels per millimetre (rows, cols); None if none is stored."""
    image = header.image
    if image is None:
        return resolution_in(header.tags)
    resolution = (image.yres, image.xres)
    if header.kind.name == "jpeg":
        return resolution if image.get_typeof("resolution-unit") else None
    return None if np.allclose(resolution, 1, rtol=1e-4) else resolution


def _size(header: Header) -> tuple[int, int, int, np.dtype[np.generic]]:
    """Return rows, cols, bands and depth as stored."""
    image, foreign = header.image, header.foreign
    if foreign is not None:
        return foreign.rows, foreign.cols, foreign.bands, foreign.depth
    return image.height, image.width, image.bands, depth_of(image)


def profile_in(header: Header) -> bytes | None:
    """Return the ICC profile; None if there is none or it is damaged."""
    profile = _stored_profile(header)
    return profile if profile and is_sound(profile) else None


def _stored_profile(header: Header) -> bytes | None:
    if header.foreign is not None:
        return header.foreign.profile
    return blob(header.image, "icc-profile-data")


def _unsound(header: Header) -> str | None:
    if _stored_profile(header) and profile_in(header) is None:
        return "its colour profile is damaged, and is ignored"
    return None


def _compression(header: Header) -> str:
    if header.tags:
        number = first_number(header.tags, COMPRESSION)
        return COMPRESSIONS.get(number, f"TIFF compression {number}")
    # The header of a TIFF has no tags only if it is a raw file.
    return {"png": "deflate", "tiff": "raw"}.get(header.kind.name, header.kind.name)


@dataclass(frozen=True)
class Limits:
    """Limits on the size of a picture file, and on the time to decode it.

    The defaults admit gigapixel scans, and refuse headers that claim absurd sizes.

    Parameters
    ----------
    pixels : int
        Rows times columns.
    bands : int
        Bands, transparency included.
    bytes : int
        Memory of the decoded picture.
    seconds : float
        Time limit of an isolated decoder, see `osmofuse.io.read`.
    """

    pixels: int = 1_000_000_000
    bands: int = 64
    bytes: int = 16 * 2**30
    seconds: float = 120.0


def check_limits(found: Description, limits: Limits) -> None:
    """Check a file against limits; a LimitError names the file and the limit that it exceeds."""
    asked = (
        ("pixels", found.rows * found.cols, limits.pixels),
        ("bands", found.bands, limits.bands),
        ("bytes", found.decoded_bytes, limits.bytes),
    )
    for name, number, most in asked:
        if number > most:
            raise LimitError(
                f"{found.path}: {number:,} {name} are more than the limit of {most:,}; if you "
                f"trust the file, raise the limit with Limits({name}={number}), else reduce it"
            )
