"""Moving pictures: frames that follow one another for ever, in one WebP file."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from osmofuse.errors import OutputError
from osmofuse.io.libvips import image_of, reason, vips
from osmofuse.typing import Array

_LONGEST = 16383  # pixels a side in WebP


def write_animation(
    frames: Sequence[Array], path: str | os.PathLike[str], *, milliseconds: int = 700
) -> Path:
    """Write frames as an animated WebP, without loss.

    Parameters
    ----------
    frames : sequence of arrays of uint8, (rows, cols, 3)
        All of one size.
    path : path
        Is replaced. WebP, whatever its name says.
    milliseconds : int
        How long each is shown.

    Raises
    ------
    OutputError
        It cannot be written.
    """
    path = Path(path)
    rows = frames[0].shape[0]
    if max(frames[0].shape[:2]) > _LONGEST:
        raise OutputError(f"{path}: WebP holds at most {_LONGEST} pixels a side")
    film = image_of(np.concatenate(list(frames)))
    film.set_type(vips().GValue.gint_type, "page-height", rows)
    film.set_type(vips().GValue.array_int_type, "delay", [milliseconds] * len(frames))
    film.set_type(vips().GValue.gint_type, "loop", 0)
    try:
        film.webpsave(os.fsencode(path), lossless=True)
    except (vips().Error, UnicodeDecodeError) as error:
        raise OutputError(f"{path}: cannot be written ({reason(error)})") from error
    return path
