"""Writing of picture files, so that each is either whole or absent."""

from __future__ import annotations

import os
import struct
import zlib
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import BinaryIO

import numpy as np

from osmofuse.errors import InputError, OsmofuseError, OutputError, cannot_write, naming
from osmofuse.io.description import describe
from osmofuse.io.formats import JPEG, PNG, SUFFIXES, TIFF, WEBP, Format
from osmofuse.io.libvips import attach, image_of, reason, vips
from osmofuse.io.staging import Staging
from osmofuse.io.tags import add_tags, normalise_exif, wrap_iptc
from osmofuse.io.targets import check_target
from osmofuse.io.tiff import added_tags
from osmofuse.picture import Picture
from osmofuse.pixels import bands_of
from osmofuse.typing import ArrayLike

# Most bytes of metadata in a JPEG, a segment of which holds 64 kB with headers. libvips silently
# drops longer ones: measured, XMP above 60,000 bytes, IPTC above 65,506.
_MOST_IN_JPEG = {"exif": 65_000, "xmp": 60_000, "iptc": 65_000}
_BEHIND_HEADER = 8 + 25  # bytes of the signature, and IHDR with its length, name and checksum
_MOVED_AT_ONCE = 2**24  # bytes; anything in 2**16..2**28 works


def write(
    picture: Picture | ArrayLike,
    path: str | os.PathLike[str],
    *,
    overwrite: bool = False,
    inputs: Sequence[str | os.PathLike[str]] = (),
) -> Path:
    """Write a picture so that the file is either whole or absent.

    It is written under a name that ends in ".partial", synced and renamed. Profile, EXIF, XMP,
    IPTC and resolution are written too; PNG and WebP cannot hold IPTC, WebP no resolution. Only
    TIFF holds a no-data value: see `storable`.

    Parameters
    ----------
    picture : Picture or array_like
        Depth and values are kept, except that JPEG is lossy (quality 95, no subsampling).
    path : path
        The suffix decides the format: .png, .tif, .tiff, .jpg, .jpeg or .webp.
    overwrite : bool
        Replace an existing file.
    inputs : sequence of paths
        Files that are never replaced, under any name, even with `overwrite`.

    Returns
    -------
    Path
        The file written.

    Raises
    ------
    OutputError
        The file exists, is an input, cannot be written, or its format cannot hold the picture.
    """
    path = Path(path)
    if isinstance(picture, tuple):
        raise InputError(
            "picture: a tuple; with_samples and Fusion.picture return the picture and a count: "
            "picture, clipped = ..."
        )
    check_target(path, overwrite=overwrite, inputs=inputs)
    with Staging([path], overwrite=overwrite) as staging:
        encode(picture if isinstance(picture, Picture) else Picture(np.asarray(picture)), path)
        staging.commit()
    return path


def encode(picture: Picture, path: Path) -> None:
    """Write a picture under the partial name of an output, see `Staging.partial`.

    Parameters
    ----------
    picture : Picture
        Depth and values are kept.
    path : Path
        Final name; its suffix decides the format.
    """
    picture, kind, partial = storable(picture, path), format_of(path), Staging.partial(path)
    try:
        with naming(path):
            _encode(picture, partial, kind)
            _read_back(picture, partial, path)
    except (vips().Error, UnicodeDecodeError) as error:  # the latter if it quotes a non-UTF-8 name
        if refused := _error_of_disk(partial):
            raise cannot_write(path, refused) from error
        raise OutputError(
            f"{path}: cannot be written ({reason(error)}); choose another name or folder"
        ) from error


def storable(picture: Picture, path: Path) -> Picture:
    """Return a picture as a file can hold it: unchanged, or with no-data as transparency.

    Parameters
    ----------
    picture : Picture
        Invalid pixels are made transparent in PNG and WebP, which have no no-data value.
    path : Path
        Final name; its suffix decides the format.

    Raises
    ------
    OutputError
        The format cannot hold the picture; JPEG has neither a no-data value nor transparency.
    """
    kind = _format_for(picture, path)
    if kind is TIFF or picture.nodata is None or (valid := picture.valid) is None:
        return picture
    if not kind.transparency:
        raise OutputError(
            f"{path}: {np.count_nonzero(~valid)} pixels hold no data, and {kind.name.upper()} has "
            "no place for that; write .tif, or .png, in which they are transparent"
        )
    if picture.transparency:
        band = picture.pixels[..., -1].copy()
    else:
        band = np.full(picture.shape, np.iinfo(picture.pixels.dtype).max, picture.depth)
    band[~valid] = 0
    pixels = np.dstack([picture.colour, band])
    return replace(picture, pixels=pixels, transparency=True, nodata=None)


def format_of(path: Path) -> Format:
    """Return the format of a file name's suffix; if it cannot be written, raise an OutputError."""
    kind = SUFFIXES.get(path.suffix.lower())
    if kind is None:
        known = ", ".join(SUFFIXES)
        raise OutputError(f"{path}: the suffix says no format to write; use one of {known}")
    return kind


def _format_for(picture: Picture, path: Path) -> Format:
    metadata, kind = picture.metadata, format_of(path)
    for name, most in _MOST_IN_JPEG.items() if kind is JPEG else ():
        size = len(getattr(metadata, name) or b"")
        if size > most:
            raise OutputError(f"{path}: JPEG cannot hold {size} bytes of metadata; TIFF can")
    if kind.holds(picture):
        return kind
    others = [other.name.upper() for other in (TIFF, PNG, WEBP) if other.holds(picture)]
    fix = f"{' and '.join(others)} can" if others else "convert to uint8, uint16 or float first"
    band = " with transparency" if picture.transparency else ""
    bands = bands_of(picture.colour)
    raise OutputError(
        f"{path}: {kind.name.upper()} cannot hold {picture.depth} pixels of {bands} "
        f"band{'s' if bands > 1 else ''}{band}; {fix}"
    )


def _read_back(picture: Picture, partial: Path, path: Path) -> None:
    """Check that a partial file can be read again, and has the picture's size and depth."""
    try:
        found = describe(partial)
    except OsmofuseError as error:
        cause = str(error).replace(str(partial), "").removeprefix(": ")
        raise OutputError(
            f"{path}: cannot be read back as written ({cause}); its metadata may be at fault: "
            "remove them from the foreground, or write another format"
        ) from error
    meant = (*picture.shape, bands_of(picture.pixels), picture.depth.name)
    if (found.rows, found.cols, found.bands, found.depth) != meant:
        raise OutputError(
            f"{path}: reads back as {found.cols} × {found.rows} pixels, {found.bands} × "
            f"{found.depth}, which is not what was written; write another format"
        )


def _error_of_disk(partial: Path) -> OSError | None:
    """Return the system's error for writing a file, since libvips does not report its number."""
    try:
        with partial.open("ab") as file:
            file.write(bytes(2**20))
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:
        return error
    return None


def _encode(picture: Picture, path: Path, kind: Format) -> None:
    metadata = picture.metadata
    exif = normalise_exif(metadata.exif) if metadata.exif else None
    image = image_of(picture.pixels, metadata.resolution)
    blobs = {"icc-profile-data": picture.profile, "xmp-data": metadata.xmp}
    keep = vips().ForeignKeep.ALL
    if exif is None and (kind is not JPEG or metadata.resolution is None):
        # libvips would generate EXIF; only JPEG needs it, for the resolution.
        keep -= vips().ForeignKeep.EXIF
    options = {"keep": keep, **kind.options}
    if kind is TIFF:
        # Many readers lack the floating-point predictor, so floats are written without.
        predictor = "none" if picture.depth.kind == "f" else "horizontal"
        big = picture.pixels.nbytes > 2**31
        options |= {"compression": "deflate", "predictor": predictor, "bigtiff": big}
    else:
        blobs["exif-data"] = exif and b"Exif\0\0" + exif
        blobs["iptc-data"] = metadata.iptc and wrap_iptc(metadata.iptc)
    if kind is PNG:
        del blobs["xmp-data"]
    attach(image, blobs)
    getattr(image, f"{kind.name}save")(os.fsencode(path), **options)
    _complete(picture, path, kind, exif)


def _complete(picture: Picture, path: Path, kind: Format, exif: bytes | None) -> None:
    """Add metadata that libvips does not write, or not in the standard place."""
    xmp = picture.metadata.xmp if kind is PNG else None
    tags = added_tags(picture, exif) if kind is TIFF else {}
    if not (xmp or tags):
        return
    with path.open("r+b") as file:
        if xmp:
            add_xmp(file, xmp)
        else:
            add_tags(file, tags)


def add_xmp(file: BinaryIO, xmp: bytes) -> None:
    """Insert an XMP packet after the header of a whole PNG, in the iTXt chunk that XMP requires.

    libvips writes another kind of chunk, which other software does not read.
    """
    body = b"iTXtXML:com.adobe.xmp\0\0\0\0\0" + xmp
    chunk = struct.pack(">I", len(body) - 4) + body + struct.pack(">I", zlib.crc32(body))
    end = file.seek(0, 2)
    # The rest of the file is moved from its end on, so that nothing is overwritten unread.
    while end > _BEHIND_HEADER:
        start = max(end - _MOVED_AT_ONCE, _BEHIND_HEADER)
        file.seek(start)
        block = file.read(end - start)
        file.seek(start + len(chunk))
        file.write(block)
        end = start
    file.seek(_BEHIND_HEADER)
    file.write(chunk)
