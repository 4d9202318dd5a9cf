"""Pictures that libvips does not read."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from osmofuse.typing import Array

__all__ = ["Foreign"]


@dataclass(frozen=True)
class Foreign:
    """A picture that libvips does not read.

    Parameters
    ----------
    rows, cols, bands : int
        Size, upright unless the tags of a TIFF say otherwise.
    depth : dtype
        Type of the samples.
    load : callable
        Decodes the samples.
    transparency : bool
        The last band is transparency; of a TIFF, its tags say so instead.
    profile, exif, xmp : bytes, optional
        As in the file.
    note : str, optional
        How the samples were obtained, for people.
    """

    rows: int
    cols: int
    bands: int
    depth: np.dtype[np.generic]
    load: Callable[[], Array]
    transparency: bool = False
    profile: bytes | None = None
    exif: bytes | None = None
    xmp: bytes | None = None
    note: str | None = None
