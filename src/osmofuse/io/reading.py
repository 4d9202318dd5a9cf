"""Reading of picture files."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import Any

from osmofuse.io.description import (
    Limits,
    check_limits,
    description_of,
    orientation_in,
    profile_in,
    stated_resolution,
    transparency_in,
)
from osmofuse.io.formats import LOSSY
from osmofuse.io.geography import turned
from osmofuse.io.header import Header, named_errors, open_header
from osmofuse.io.isolation import read_isolated
from osmofuse.io.libvips import attach, blob, image_of, pixels_of, vips
from osmofuse.io.tags import IPTC, normalise_exif, pack_exif, tag_bytes, unwrap_iptc
from osmofuse.io.tiff import nodata_in
from osmofuse.io.tiff_pages import check_page
from osmofuse.io.xmp import upright
from osmofuse.picture import Metadata, Picture


def read(
    path: str | os.PathLike[str],
    *,
    page: int = 1,
    limits: Limits | None = None,
    isolated: bool = False,
) -> Picture:
    """Read a PNG, TIFF, JPEG or WebP file; its content decides which, not its name.

    Pixels keep their stored depth and values, and are rotated upright. Palettes become RGB, 1-bit
    samples black and white; colours stored multiplied by transparency (associated alpha) are
    divided by it; of a pyramid the full size is read. The extra ``formats`` adds JPEG 2000, the
    extra ``raw`` DNG and other raw files that are TIFF.

    Parameters
    ----------
    path : path
        The file.
    page : int
        Page number, from 1.
    limits : Limits, optional
        Limits of the file; the defaults of `Limits` if not given.
    isolated : bool
        Decode in a child process with limited memory and time: for untrusted files.

    Returns
    -------
    Picture
        With ICC profile, EXIF, XMP, IPTC, georeference, no-data value and resolution, if stored.

    Raises
    ------
    UnreadableError
        The file is missing, damaged, not a picture, or neither grey nor RGB.
    LimitError
        The file exceeds the limits; nothing has been decoded.
    SettingError
        There is no such page.
    MissingExtraError
        Reading such files needs a package that is not installed.
    """
    path, limits = Path(path), limits or Limits()
    check_page(path, page)
    if isolated:
        return read_isolated([path], limits, pages=[page])[0]
    with named_errors(path):
        header = open_header(path, page)
        check_limits(description_of(header), limits)
        return _decode(header)


def _decode(header: Header) -> Picture:
    tags, orientation = header.tags, orientation_in(header)
    image, resolution = header.image, stated_resolution(header)
    if image is None:
        image = _image_of(header)
    if orientation > 1:
        # Rotation needs random access to pixels, which a sequential image does not give.
        image = image.copy_memory().autorot()
        resolution = resolution[::-1] if resolution and orientation > 4 else resolution
    exif, xmp = blob(image, "exif-data"), blob(image, "xmp-data")
    metadata = Metadata(
        exif=normalise_exif(exif) if exif else None,
        xmp=upright(xmp) if xmp else None,
        iptc=unwrap_iptc(blob(image, "iptc-data")),
        resolution=resolution,
    )
    pixels, profile = pixels_of(image), profile_in(header)
    transparency = transparency_in(header, image.bands)
    if not tags:
        return Picture(pixels, profile, metadata, transparency, lossy=header.kind in LOSSY)
    if orientation > 1:
        rows, cols = pixels.shape[:2][:: -1 if orientation > 4 else 1]
        tags = turned(tags, orientation, rows, cols)
    metadata = replace(metadata, exif=pack_exif(tags), iptc=tag_bytes(tags, IPTC))
    return Picture(pixels, profile, metadata, transparency, nodata_in(tags))


def _image_of(header: Header) -> Any:
    """Return a picture that libvips does not read, decoded, as an image with its metadata."""
    foreign = header.foreign
    assert foreign is not None, "a header has an image or a foreign picture"
    image = image_of(foreign.load())
    image.set_type(vips().GValue.gint_type, "orientation", orientation_in(header))
    attach(
        image,
        {
            "xmp-data": foreign.xmp,
            "exif-data": foreign.exif and b"Exif\0\0" + foreign.exif,
        },
    )
    return image
