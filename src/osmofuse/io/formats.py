"""File formats: their first bytes, what each can hold, and pictures libvips cannot read."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from osmofuse.errors import UnreadableError, reading
from osmofuse.io import jpeg2000
from osmofuse.picture import Picture
from osmofuse.pixels import bands_of
from osmofuse.typing import Array


class Format(NamedTuple):
    """File format: depths and bands it can hold, and options of libvips for writing it."""

    name: str
    depths: tuple[str, ...]
    bands: tuple[int, ...]  # of colour; empty: any number
    transparency: bool
    options: dict[str, Any]

    def holds(self, picture: Picture) -> bool:
        """Return True if the format can hold a picture without loss of depth or bands."""
        return (
            picture.depth.name in self.depths
            and (not self.bands or bands_of(picture.colour) in self.bands)
            and (self.transparency or not picture.transparency)
        )


# What files of each format can hold.
PNG = Format("png", ("uint8", "uint16"), (1, 3), True, {})
TIFF = Format("tiff", ("uint8", "uint16", "int16", "float32", "float64"), (), True, {})
JPEG = Format("jpeg", ("uint8",), (1, 3), False, {"Q": 95, "subsample_mode": "off"})
WEBP = Format("webp", ("uint8",), (3,), True, {"lossless": True, "exact": True})
JPEG2000 = Format("jpeg2000", (), (1, 3), True, {})  # read, never written
# Formats by suffix: those that are written, and those that are only read.
SUFFIXES = {
    ".png": PNG, ".tif": TIFF, ".tiff": TIFF, ".jpg": JPEG, ".jpeg": JPEG, ".webp": WEBP,
}  # fmt: skip
_READ_ONLY = {".jp2": JPEG2000, ".jpx": JPEG2000, ".j2k": JPEG2000, ".j2c": JPEG2000}
LOSSY = (JPEG, WEBP)  # files of these may have been compressed with loss
_FIRST_BYTES = (
    (b"\x89PNG\r\n\x1a\n", PNG),
    (b"\xff\xd8\xff", JPEG),
    *((start, TIFF) for start in (b"II*\0", b"MM\0*", b"II+\0", b"MM\0+")),
    *((start, JPEG2000) for start in jpeg2000.SIGNATURES),
)
# First bytes of raw files that are not TIFF, or are a maker's variant of it.
_RAW_MAKERS = {
    b"FUJIFILMCCD-RAW": "Fujifilm", b"IIU\0": "Panasonic", b"IIRO": "Olympus", b"IIRS": "Olympus",
    b"MMOR": "Olympus", b"FOVb": "Sigma", b"\0MRM": "Minolta", b"II\x1a\0\0\0HEAPCCDR": "Canon",
}  # fmt: skip


def sniff(path: Path) -> Format:
    """Return the format of a file by its first bytes; its name does not matter."""
    start = _first_bytes(path)
    if not start:
        raise UnreadableError(f"{path}: is empty; get a fresh copy")
    if start[:4] == b"RIFF" and start[8:12] == b"WEBP":
        return WEBP
    for signature, kind in _FIRST_BYTES:
        if start.startswith(signature):
            return kind
    for signature, maker in _RAW_MAKERS.items():
        if start.startswith(signature):
            raise UnreadableError(
                f"{path}: a raw file of {maker}; export a TIFF from a raw converter, or convert it "
                "to DNG"
            )
    raise UnreadableError(f"{path}: not a PNG, TIFF, JPEG or WebP picture; convert it to one")


def _first_bytes(path: Path) -> bytes:
    with reading(path):
        # Opening a pipe would wait for a writer.
        if path.exists() and not path.is_file():
            raise UnreadableError(f"{path}: not a regular file; give the name of a picture file")
        with path.open("rb") as file:
            return file.read(16)


def format_of_name(path: Path) -> Format | None:
    """Return the format of a file name's suffix; None if it is unknown."""
    suffix = path.suffix.lower()
    return SUFFIXES.get(suffix) or _READ_ONLY.get(suffix)


@dataclass(frozen=True)
class Foreign:
    """Picture that another library than libvips decodes; profile and metadata as in the file.

    It is upright, except for a TIFF whose tags state an orientation.
    """

    rows: int
    cols: int
    bands: int
    depth: np.dtype[np.generic]
    load: Callable[[], Array]  # decodes the samples
    transparency: bool = False  # of the last band; not set for a TIFF, whose tags state it
    profile: bytes | None = None
    exif: bytes | None = None
    xmp: bytes | None = None
    note: str | None = None  # remark on how the samples were obtained
