"""Description of a picture file from its header, and the limits that it must keep."""

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
from osmofuse.io.tags import ORIENTATION, tag_numbers
from osmofuse.io.tiff import COMPRESSIONS, has_transparency, nodata_in, resolution_in

__all__ = [
    "Description",
    "Limits",
    "check_limits",
    "describe",
    "description_of",
    "orientation_in",
    "profile_in",
    "stated_resolution",
    "transparency_in",
]

_COMPRESSION = 259
_TILE_COLS, _TILE_ROWS = 322, 323


@dataclass(frozen=True)
class Description:
    """Content of a picture file, by its header.

    Parameters
    ----------
    path : Path
        The file.
    format : str
        "png", "tiff", "jpeg", "webp" or "jpeg2000", by its content.
    format_of_name : str or None
        What the name claims if it lies; None if the name is right or says nothing.
    rows, cols, bands : int
        Size of the upright picture, as `read` gives it; bands include the transparency.
    depth : str
        Type of the samples, e.g. "uint16".
    transparency : bool
        The last band is transparency.
    profile : str or None
        The ICC profile's own name; None if there is no profile.
    resolution : tuple of float or None
        Pixels per millimetre along (rows, cols) of the upright picture.
    orientation : int
        As stored, 1 to 8; 1 is upright already.
    page, pages, levels : int
        The page that is described, from 1; pictures in the file; sizes of that one (a pyramid
        has several), of which the full one is read.
    tiled : bool
        Stored in tiles.
    compression : str
        E.g. "none", "lzw", "deflate", "jpeg".
    geo : str or None
        Where a GeoTIFF lies on the earth, in words; None if the file does not say.
    nodata : float or None
        The value that stands for "nothing was recorded here".
    decoded_bytes : int
        Memory that the decoded picture, or a single tile if that is larger, takes.
    note : str or None
        What a person should know of how it is read: raw files, odd depths, further pictures,
        a damaged profile.
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
        """Number of bands beside the transparency."""
        return self.bands - self.transparency

    @property
    def has_alpha(self) -> bool:
        """The same as `transparency`, in the words of other software."""
        return self.transparency


def describe(path: str | os.PathLike[str], *, page: int = 1) -> Description:
    """Describe what a picture file contains, without decoding its pixels.

    Parameters
    ----------
    path : path
        The file.
    page : int
        Which page, from 1.

    Returns
    -------
    Description
        What the header says; the pixels may still turn out to be damaged.

    Raises
    ------
    UnreadableError
        The file is missing, no picture, its header is damaged, or it is neither grey nor RGB.
    LimitError
        It has more pages or metadata than any sound file.
    SettingError
        There is no such page.
    MissingExtraError
        Reading such files needs a package that is not installed.
    """
    path = Path(path)
    with named_errors(path):
        return description_of(open_header(path, page))


def description_of(header: Header) -> Description:
    """Describe a file that is open already.

    Parameters
    ----------
    header : Header
        Of `open_header`.

    Returns
    -------
    Description
        See `describe`.
    """
    rows, cols, bands, depth = _size(header)
    orientation = orientation_in(header)
    resolution = stated_resolution(header)
    if orientation > 4:
        rows, cols, resolution = cols, rows, resolution and resolution[::-1]
    tags = header.tags
    tile = (*tag_numbers(tags, _TILE_COLS), *tag_numbers(tags, _TILE_ROWS))
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
    """Return the stored orientation, 1 to 8; what is out of range counts as upright."""
    if header.image is None:
        stated = (*tag_numbers(header.tags, ORIENTATION), 1)[0]
    else:
        known = header.image.get_typeof("orientation")
        stated = header.image.get("orientation") if known else 1
    return int(stated) if 1 <= stated <= 8 else 1


def stated_resolution(header: Header) -> tuple[float, float] | None:
    """Return the resolution that the file states; None if it states none."""
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
    """Return the ICC profile; None also for one that no program could use."""
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
        number = (*tag_numbers(header.tags, _COMPRESSION), 1)[0]
        return COMPRESSIONS.get(number, f"TIFF compression {number}")
    # A TIFF without tags is one that libvips does not read: a raw file.
    return {"png": "deflate", "tiff": "raw"}.get(header.kind.name, header.kind.name)


@dataclass(frozen=True)
class Limits:
    """Limits of what a picture file may ask for.

    Parameters
    ----------
    pixels : int
        Rows times columns.
    bands : int
        Bands, transparency included.
    bytes : int
        Memory of the decoded picture.
    seconds : float
        Time that an isolated decoder may take, see `osmofuse.io.read`.
    """

    pixels: int = 1_000_000_000
    bands: int = 64
    bytes: int = 16 * 2**30
    seconds: float = 120.0


def check_limits(found: Description, limits: Limits) -> None:
    """Refuse a file that is larger than allowed.

    Parameters
    ----------
    found : Description
        What the header says.
    limits : Limits
        What is allowed.

    Raises
    ------
    LimitError
        With the file's name and the limit to raise.
    """
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
