"""Reading and writing picture files; nothing else in the package opens them.

Pixels go through libvips, which keeps 16-bit and float samples exact. What libvips loses in TIFF
(EXIF, most of IPTC, the meaning of extra bands) is read and written tag by tag, see `tags`.
"""

from __future__ import annotations

import logging
import mmap
import os
import struct
from contextlib import suppress
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from osmofuse.errors import OutputError, UnreadableError
from osmofuse.picture import Metadata, Picture
from osmofuse.tags import (
    BITS,
    COLS_RESOLUTION,
    EXTRA,
    ICC,
    IPTC,
    ORIENTATION,
    ROWS_RESOLUTION,
    UNIT,
    XMP,
    Directory,
    add_tags,
    normalise_exif,
    pack_exif,
    parse_tags,
    tag_bytes,
    tag_numbers,
    unwrap_iptc,
    wrap_iptc,
)
from osmofuse.typing import Array, ArrayLike

__all__ = ["read", "write"]


class _Format(NamedTuple):
    """What a file format can hold, and how libvips is to write it."""

    name: str
    depths: tuple[str, ...]
    bands: tuple[int, ...]  # of colour; empty: any number
    transparency: bool
    options: dict[str, Any]

    def holds(self, picture: Picture) -> bool:
        bands = 1 if picture.colour.ndim == 2 else picture.colour.shape[2]
        return (
            picture.depth.name in self.depths
            and (not self.bands or bands in self.bands)
            and (self.transparency or not picture.transparency)
        )


_PNG = _Format("png", ("uint8", "uint16"), (1, 3), True, {})
_TIFF = _Format("tiff", ("uint8", "uint16", "float32", "float64"), (), True, {})
_JPEG = _Format("jpeg", ("uint8",), (1, 3), False, {"Q": 95, "subsample_mode": "off"})
_WEBP = _Format("webp", ("uint8",), (3,), True, {"lossless": True, "exact": True})
_SUFFIXES = {
    ".png": _PNG, ".tif": _TIFF, ".tiff": _TIFF, ".jpg": _JPEG, ".jpeg": _JPEG, ".webp": _WEBP,
}  # fmt: skip
_SIGNATURES = (
    (b"\x89PNG\r\n\x1a\n", _PNG),
    (b"\xff\xd8\xff", _JPEG),
    *((start, _TIFF) for start in (b"II*\0", b"MM\0*", b"II+\0", b"MM\0+")),
)
# Beyond 64 kB, less headers, libvips leaves EXIF, XMP or IPTC out of a JPEG without a word.
_JPEG_SEGMENT = 65000
# Colours that libvips names; Lab, CMYK and the like would have to be converted.
_COLOURS = {"b-w", "grey16", "srgb", "rgb16", "scrgb", "rgb", "multiband"}


def read(path: str | os.PathLike[str]) -> Picture:
    """Read a PNG, TIFF, JPEG or WebP file; its content decides which, not its name.

    Pixels keep their stored depth and values, are turned upright, and are wholly in memory.
    Palettes and 1-bit samples become what a viewer shows, colours multiplied by transparency
    (associated alpha) are divided by it; of several pages the first is read.

    Parameters
    ----------
    path : path
        The file.

    Returns
    -------
    Picture
        With ICC profile, EXIF, XMP, IPTC and resolution as far as the file has them.

    Raises
    ------
    UnreadableError
        The file is missing, no picture, damaged, or neither grey nor RGB.
    """
    path = Path(path)
    kind = _sniff(path)
    try:
        return _decode_tiff(path) if kind is _TIFF else _decode(_open(path, kind))
    except OSError as error:
        raise UnreadableError(f"{path}: {error.strerror or error}") from error
    except (_vips().Error, ValueError, OverflowError, struct.error) as error:
        raise UnreadableError(
            f"{path}: damaged or truncated {kind.name.upper()} file ({_reason(error)}); "
            "get a fresh copy or save it anew"
        ) from error


def write(
    picture: Picture | ArrayLike, path: str | os.PathLike[str], *, overwrite: bool = False
) -> Path:
    """Write a picture so that the file is either whole or absent.

    Profile, EXIF, XMP, IPTC and resolution go along; PNG and WebP have no place for IPTC, and
    WebP none for the resolution.

    Parameters
    ----------
    picture : Picture or array_like
        Depth and values are kept, except that JPEG is lossy (quality 95, no subsampling).
    path : path
        The suffix decides the format: .png, .tif, .tiff, .jpg, .jpeg or .webp.
    overwrite : bool
        Replace an existing file.

    Returns
    -------
    Path
        The file written.

    Raises
    ------
    OutputError
        The file exists, cannot be written, or its format cannot hold the picture.
    """
    path = Path(path)
    if not isinstance(picture, Picture):
        picture = Picture(np.asarray(picture))
    kind = _format_for(picture, path)
    _check_target(path, overwrite)
    partial = path.with_name(path.name + ".partial")
    try:
        _encode(picture, partial, kind)
        _sync(partial)
        os.replace(partial, path)
        _sync(path.parent)
    except (_vips().Error, OSError) as error:
        raise OutputError(f"{path}: cannot be written ({_reason(error)})") from error
    finally:
        with suppress(OSError):
            partial.unlink(missing_ok=True)
    return path


@cache
def _vips() -> Any:
    """Import pyvips when first needed: it costs time that `import osmofuse` must not."""
    import pyvips

    # Loaders that are not fuzzed stay shut, and no cache keeps files open or stale.
    pyvips.block_untrusted_set(True)
    pyvips.cache_set_max(0)
    return pyvips


def _reason(error: Exception) -> str:
    """Shorten a message of libvips, which tells each failure several times over."""
    lines = [line.strip() for line in str(error).splitlines()]
    return "; ".join(list(dict.fromkeys(filter(None, lines)))[:3])


# Reading


def _sniff(path: Path) -> _Format:
    try:
        with path.open("rb") as file:
            start = file.read(16)
    except FileNotFoundError as error:
        raise UnreadableError(f"{path}: no such file") from error
    except OSError as error:
        raise UnreadableError(f"{path}: {error.strerror}") from error
    if start[:4] == b"RIFF" and start[8:12] == b"WEBP":
        return _WEBP
    for signature, kind in _SIGNATURES:
        if start.startswith(signature):
            return kind
    raise UnreadableError(f"{path}: not a PNG, TIFF, JPEG or WebP picture; convert it to one")


def _open(path: Path, kind: _Format) -> Any:
    # The loader is named, since new_from_file takes "scan[1].tif" for a name with options.
    load = getattr(_vips().Image, f"{kind.name}load")
    image = load(os.fspath(path), fail_on="error", access="sequential")
    if image.interpretation not in _COLOURS:
        raise UnreadableError(
            f"{path}: colours are stored as {image.interpretation}; convert to RGB or grey first"
        )
    return image


def _decode(image: Any) -> Picture:
    """Turn an image that libvips has opened into an upright picture."""
    orientation = image.get("orientation") if image.get_typeof("orientation") else 1
    resolution = _stated_resolution(image)
    if orientation > 1:
        # Turning needs the pixels in any order, a sequential image gives them in one.
        image = image.copy_memory().autorot()
        resolution = resolution[::-1] if resolution and orientation > 4 else resolution
    exif = _blob(image, "exif-data")
    metadata = Metadata(
        exif=normalise_exif(exif) if exif else None,
        xmp=_blob(image, "xmp-data"),
        iptc=unwrap_iptc(_blob(image, "iptc-data")),
        resolution=resolution,
    )
    transparency = bool(image.hasalpha())
    return Picture(_pixels(image), _blob(image, "icc-profile-data"), metadata, transparency)


def _stated_resolution(image: Any) -> tuple[float, float] | None:
    """Give the resolution that the file states, not what libvips supposes if it states none."""
    resolution = (image.yres, image.xres)
    if image.get_typeof("vips-loader") and image.get("vips-loader").startswith("jpeg"):
        return resolution if image.get_typeof("resolution-unit") else None
    return None if np.allclose(resolution, 1, rtol=1e-4) else resolution


def _pixels(image: Any) -> Array:
    # Not image.numpy(): it loses the dimensions of one-pixel pictures.
    dtype = np.dtype(_vips().vimage.FORMAT_TO_TYPESTR[image.format])
    shape = (image.height, image.width, image.bands)
    array = np.frombuffer(image.write_to_memory(), dtype).reshape(shape)
    return array[..., 0] if image.bands == 1 else array


def _blob(image: Any, name: str) -> bytes | None:
    return bytes(image.get(name)) if image.get_typeof(name) else None


def _decode_tiff(path: Path) -> Picture:
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        tags = parse_tags(data)
    doubles = 64 in tag_numbers(tags, BITS)
    picture = _decode(_open_doubles(path, tags) if doubles else _open(path, _TIFF))
    metadata = replace(picture.metadata, exif=pack_exif(tags), iptc=tag_bytes(tags, IPTC))
    # libvips takes every extra band for transparency; the tag knows which one is.
    transparency = picture.pixels.ndim == 3 and tag_numbers(tags, EXTRA)[-1:] in ((1,), (2,))
    return replace(picture, metadata=metadata, transparency=transparency)


def _open_doubles(path: Path, tags: Directory) -> Any:
    """Open a TIFF of 64-bit samples, which libvips writes but does not read."""
    image = _image(_doubles(path), _resolution(tags))
    orientation = (*tag_numbers(tags, ORIENTATION), 1)[0]
    image.set_type(_vips().GValue.gint_type, "orientation", orientation)
    _attach(image, {"icc-profile-data": tag_bytes(tags, ICC), "xmp-data": tag_bytes(tags, XMP)})
    return image


def _doubles(path: Path) -> Array:
    import tifffile

    logging.getLogger("tifffile").addHandler(logging.NullHandler())
    try:
        with tifffile.TiffFile(path) as file:
            page: Any = file.pages[0]
            array: Array = page.asarray()
            plain = page.photometric in (1, 2) and page.axes in ("YX", "YXS", "SYX")
            if not plain or array.ndim != len(page.axes):
                raise ValueError(f"64-bit samples along {page.axes} as {page.photometric!r}")
            return np.moveaxis(array, 0, -1) if page.axes == "SYX" else array
    except Exception as error:  # a damaged file can raise anything there
        raise ValueError(str(error)) from error


def _resolution(tags: Directory) -> tuple[float, float] | None:
    along = [tag_numbers(tags, tag) for tag in (ROWS_RESOLUTION, COLS_RESOLUTION)]
    millimetres = {(): 25.4, (2,): 25.4, (3,): 10.0}.get(tag_numbers(tags, UNIT))
    if millimetres is None or not all(len(ratio) == 2 and all(ratio) for ratio in along):
        return None
    return along[0][0] / along[0][1] / millimetres, along[1][0] / along[1][1] / millimetres


# Writing


def _format_for(picture: Picture, path: Path) -> _Format:
    metadata = picture.metadata
    kind = _SUFFIXES.get(path.suffix.lower())
    if kind is None:
        known = ", ".join(_SUFFIXES)
        raise OutputError(f"{path}: the suffix says no known format; use one of {known}")
    longest = max(len(part or b"") for part in (metadata.exif, metadata.xmp, metadata.iptc))
    if kind is _JPEG and longest > _JPEG_SEGMENT:
        raise OutputError(f"{path}: JPEG cannot hold {longest} bytes of metadata; TIFF can")
    if kind.holds(picture):
        return kind
    others = [other.name.upper() for other in (_TIFF, _PNG, _WEBP) if other.holds(picture)]
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
        raise OutputError(f"{path}: exists already; ask to overwrite it or choose another name")


def _encode(picture: Picture, path: Path, kind: _Format) -> None:
    metadata = picture.metadata
    exif = normalise_exif(metadata.exif) if metadata.exif else None
    image = _image(picture.pixels, metadata.resolution)
    blobs = {"icc-profile-data": picture.profile, "xmp-data": metadata.xmp}
    keep = _vips().ForeignKeep.ALL
    if exif is None and (kind is not _JPEG or metadata.resolution is None):
        # libvips would make EXIF up; only JPEG needs it, for the resolution.
        keep -= _vips().ForeignKeep.EXIF
    options = {"keep": keep, **kind.options}
    if kind is _TIFF:
        # The floating-point predictor is beyond many readers, so floats go without.
        predictor = "none" if picture.depth.kind == "f" else "horizontal"
        big = picture.pixels.nbytes > 2**31
        options |= {"compression": "deflate", "predictor": predictor, "bigtiff": big}
    else:
        blobs["exif-data"] = exif and b"Exif\0\0" + exif
        blobs["iptc-data"] = metadata.iptc and wrap_iptc(metadata.iptc)
    _attach(image, blobs)
    getattr(image, f"{kind.name}save")(os.fspath(path), **options)
    if kind is _TIFF:
        tags = _tiff_tags(picture, exif)
        if tags:
            with path.open("r+b") as file:
                add_tags(file, tags)


def _image(pixels: Array, resolution: tuple[float, float] | None) -> Any:
    native = np.ascontiguousarray(pixels, dtype=pixels.dtype.newbyteorder("="))
    grey = {"uint16": "grey16"}.get(native.dtype.name, "b-w")
    colour = {"uint8": "srgb", "uint16": "rgb16"}.get(native.dtype.name, "scrgb")
    bands = 1 if native.ndim == 2 else native.shape[2]
    image = _vips().Image.new_from_array(native, interpretation=grey if bands < 3 else colour)
    rows, cols = resolution or (1.0, 1.0)
    return image.copy(xres=cols, yres=rows)


def _attach(image: Any, blobs: dict[str, bytes | None]) -> None:
    for name, blob in blobs.items():
        if blob:
            image.set_type(_vips().GValue.blob_type, name, blob)


def _tiff_tags(picture: Picture, exif: bytes | None) -> Directory:
    """Give the tags that libvips does not write, or writes wrongly."""
    tags = parse_tags(exif) if exif else {}
    iptc = picture.metadata.iptc
    if iptc:
        tags[IPTC] = (7, len(iptc), iptc)
    bands = 1 if picture.pixels.ndim == 2 else picture.pixels.shape[2]
    extra = bands - (1 if bands < 3 else 3)
    if extra:
        meanings = [0] * (extra - 1) + [2 if picture.transparency else 0]
        tags[EXTRA] = (3, extra, struct.pack(f"<{extra}H", *meanings))
    return tags


def _sync(path: Path) -> None:
    """Wait until a file, or the names in a folder, are on the disk."""
    if path.is_dir() and os.name == "nt":  # Windows cannot open folders
        return
    handle = os.open(path, os.O_RDONLY if path.is_dir() else os.O_RDWR)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
