"""Stand-ins, in this one file, for what `io` and `preparation` do not offer yet.

To switch, delete this file and import the same names from where they live:
``composite_metadata``, ``describe``, ``Description``, ``in_profile_of`` from `osmofuse.io`,
``apply_levels`` and ``range_used`` from `osmofuse.preparation.levels`, ``from_working`` and
``to_working`` from `osmofuse.preparation.working_space`.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from osmofuse import io
from osmofuse.errors import SettingError
from osmofuse.picture import Metadata, Picture
from osmofuse.typing import Array


@dataclass(frozen=True)
class Description:
    """What a file contains, as far as it is asked here."""

    format: str
    format_of_name: str | None
    rows: int
    cols: int
    bands: int
    depth: str
    transparency: bool
    profile: str | None
    resolution: tuple[float, float] | None
    decoded_bytes: int
    orientation: int = 1
    geo: bool = False
    nodata: float | None = None
    compression: str | None = None


def describe(path: str | os.PathLike[str]) -> Description:
    """Describe a file; this stand-in decodes it."""
    path = Path(path)
    picture = io.read(path)
    named = io._SUFFIXES.get(path.suffix.lower())
    return Description(
        format=io._sniff(path).name,
        format_of_name=named.name if named else None,
        rows=picture.shape[0],
        cols=picture.shape[1],
        bands=1 if picture.pixels.ndim == 2 else picture.pixels.shape[2],
        depth=picture.depth.name,
        transparency=picture.transparency,
        profile="embedded" if picture.profile else None,
        resolution=picture.metadata.resolution,
        decoded_bytes=picture.pixels.nbytes,
    )


def in_profile_of(picture: Picture, reference: Picture) -> tuple[Picture, str | None]:
    """Leave the picture as it is, and say so if the profiles differ."""
    if picture.profile is None or picture.profile == reference.profile:
        return picture, None
    return picture, "its colour profile differs from the foreground's, and was not converted"


def apply_levels(
    array: Array, how: str, reference: Array | None = None
) -> tuple[Array, str | None]:
    """Leave the levels as they are; there is nothing else yet."""
    if how != "as-is":
        raise SettingError(f"levels: {how!r} is not there yet; use 'as-is'")
    return array, None


def range_used(array: Array) -> float:
    """Return the part of its depth's range that an array uses."""
    if array.dtype.kind not in "ui":
        return 1.0
    white = (1 << 8 * array.dtype.itemsize) - 1
    return float((int(array.max()) - int(array.min())) / white)


def to_working(array: Array, space: str) -> Array:
    """Leave samples encoded; there is nothing else yet."""
    if space != "encoded":
        raise SettingError(f"working_space: {space!r} is not there yet; use 'encoded'")
    return array


def from_working(array: Array, space: str) -> Array:
    """Leave samples encoded; there is nothing else yet."""
    return to_working(array, space)


def composite_metadata(
    metadata: Metadata, *, derived_from: tuple[str, ...], history: str
) -> Metadata:
    """Leave the metadata unmarked."""
    return metadata
