"""Writing picture files, so that each is either whole or absent."""

from __future__ import annotations

import errno
import os
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import numpy as np

from osmofuse.errors import OutputError
from osmofuse.io.formats import JPEG, PNG, SUFFIXES, TIFF, WEBP, Format
from osmofuse.io.libvips import attach, image_of, reason, vips
from osmofuse.io.png import add_xmp
from osmofuse.io.tiff import added_tags
from osmofuse.picture import Picture
from osmofuse.tags import add_tags, normalise_exif, wrap_iptc
from osmofuse.typing import ArrayLike

__all__ = ["write"]

# Beyond 64 kB, less headers, libvips leaves EXIF, XMP or IPTC out of a JPEG without a word.
_JPEG_SEGMENT = 65000
_FIXES = {
    errno.ENOSPC: "free some space there, or choose another disk",
    errno.EDQUOT: "free some of your space there, or choose another disk",
    errno.EFBIG: "the disk or the system allows no file of that size; choose another disk",
    errno.EACCES: "choose a folder in which you may write",
    errno.EPERM: "choose a folder in which you may write",
    errno.EROFS: "the disk is read-only; choose another one",
}


def write(
    picture: Picture | ArrayLike,
    path: str | os.PathLike[str],
    *,
    overwrite: bool = False,
    inputs: Sequence[str | os.PathLike[str]] = (),
) -> Path:
    """Write a picture so that the file is either whole or absent.

    It is written beside its place under the name with ".partial", synced and renamed. Profile,
    EXIF, XMP, IPTC and resolution go along; PNG and WebP have no place for IPTC, WebP none for
    the resolution, and only TIFF has one for the no-data value.

    Parameters
    ----------
    picture : Picture or array_like
        Depth and values are kept, except that JPEG is lossy (quality 95, no subsampling).
    path : path
        The suffix decides the format: .png, .tif, .tiff, .jpg, .jpeg or .webp.
    overwrite : bool
        Replace an existing file.
    inputs : sequence of paths
        Files that are never replaced, under whatever name and whether told to overwrite or not.

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
    if not isinstance(picture, Picture):
        picture = Picture(np.asarray(picture))
    kind = _format_for(picture, path)
    partial = path.with_name(path.name + ".partial")
    _check_target(path, overwrite)
    _check_inputs((path, partial), inputs)
    try:
        with suppress(FileNotFoundError):
            partial.unlink()  # left by a process that was killed; a link there is not followed
        _encode(picture, partial, kind)
        sync(partial)
        os.replace(partial, path)
        sync(path.parent)
    except (vips().Error, OSError) as error:
        raise OutputError(f"{path}: cannot be written ({_cause(error, partial)}") from error
    finally:
        with suppress(OSError):
            partial.unlink(missing_ok=True)
    return path


def _format_for(picture: Picture, path: Path) -> Format:
    metadata = picture.metadata
    kind = SUFFIXES.get(path.suffix.lower())
    if kind is None:
        known = ", ".join(SUFFIXES)
        raise OutputError(f"{path}: the suffix says no known format; use one of {known}")
    longest = max(len(part or b"") for part in (metadata.exif, metadata.xmp, metadata.iptc))
    if kind is JPEG and longest > _JPEG_SEGMENT:
        raise OutputError(f"{path}: JPEG cannot hold {longest} bytes of metadata; TIFF can")
    if kind.holds(picture):
        return kind
    others = [other.name.upper() for other in (TIFF, PNG, WEBP) if other.holds(picture)]
    fix = f"{' and '.join(others)} can" if others else "convert to uint8, uint16 or float first"
    band = " with transparency" if picture.transparency else ""
    raise OutputError(
        f"{path}: {kind.name.upper()} cannot hold {picture.depth} pixels of shape "
        f"{picture.pixels.shape}{band}; {fix}"
    )


def _check_target(path: Path, overwrite: bool) -> None:
    if not path.parent.is_dir():
        raise OutputError(f"{path}: there is no folder {path.parent}; make it first")
    if path.is_dir():
        raise OutputError(f"{path}: is a folder")
    if os.path.lexists(path) and not overwrite:
        raise OutputError(f"{path}: exists already; choose another name, or use overwrite=True")


def _check_inputs(targets: tuple[Path, Path], inputs: Sequence[str | os.PathLike[str]]) -> None:
    """Refuse to write over an input, also where a link or another spelling hides it."""
    for given in inputs:
        for target in targets:
            with suppress(OSError):  # what is not there cannot be the same file
                if target.samefile(given):
                    raise OutputError(
                        f"{targets[0]}: would be written over the input {os.fspath(given)}; "
                        "choose another name"
                    )


def _cause(error: Exception, partial: Path) -> str:
    """Say why writing failed, and what helps."""
    cause = error if isinstance(error, OSError) else _ask_the_disk(partial)
    if cause is None:
        return f"{reason(error)}); choose another name or folder"
    fix = _FIXES.get(cause.errno or 0, "choose another name or folder")
    return f"{cause.strerror or cause}); {fix}"


def _ask_the_disk(partial: Path) -> OSError | None:
    """Find what the system refuses, since libvips does not hand on its error numbers."""
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
        # libvips would make EXIF up; only JPEG needs it, for the resolution.
        keep -= vips().ForeignKeep.EXIF
    options = {"keep": keep, **kind.options}
    if kind is TIFF:
        # The floating-point predictor is beyond many readers, so floats go without.
        predictor = "none" if picture.depth.kind == "f" else "horizontal"
        big = picture.pixels.nbytes > 2**31
        options |= {"compression": "deflate", "predictor": predictor, "bigtiff": big}
    else:
        blobs["exif-data"] = exif and b"Exif\0\0" + exif
        blobs["iptc-data"] = metadata.iptc and wrap_iptc(metadata.iptc)
    if kind is PNG:
        del blobs["xmp-data"]
    attach(image, blobs)
    getattr(image, f"{kind.name}save")(os.fspath(path), **options)
    _complete(picture, path, kind, exif)


def _complete(picture: Picture, path: Path, kind: Format, exif: bytes | None) -> None:
    """Add to a file what libvips does not write, or not as others read it."""
    xmp = picture.metadata.xmp if kind is PNG else None
    tags = added_tags(picture, exif) if kind is TIFF else {}
    if not (xmp or tags):
        return
    with path.open("r+b") as file:
        if xmp:
            add_xmp(file, xmp)
        else:
            add_tags(file, tags)


def sync(path: Path) -> None:
    """Wait until a file, or the names in a folder, are on the disk."""
    if path.is_dir() and os.name == "nt":  # Windows cannot open folders
        return
    handle = os.open(path, os.O_RDONLY if path.is_dir() else os.O_RDWR)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
