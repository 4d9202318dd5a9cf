"""Trimaps in files: three greys, or scribbles in green and red; whatever JPEG did to them."""

from __future__ import annotations

import os

import numpy as np

from osmofuse.errors import InputError
from osmofuse.io import read
from osmofuse.picture import Picture, as_alpha
from osmofuse.pixels import scaled
from osmofuse.preparation.alpha_file import NEAR, AlphaFile, middle_level, one_band
from osmofuse.preparation.painted import strokes_in
from osmofuse.preparation.trimap import Trimap
from osmofuse.typing import FloatArray

__all__ = ["read_trimap", "trimap_of_picture"]


def read_trimap(path: str | os.PathLike[str]) -> AlphaFile:
    """Read a trimap from a file.

    Three greys: white where the map is 1, black where it is 0, one grey where it is to be found.
    Or scribbles: green where it is 1, red where it is 0, anything or nothing elsewhere.

    Raises
    ------
    UnreadableError
        The file is missing, damaged or no picture.
    InputError
        It is no trimap; the message says what was found in it.
    """
    return trimap_of_picture(read(path), name=str(path))


def trimap_of_picture(picture: Picture, *, name: str) -> AlphaFile:
    """Return the trimap that a picture is meant to be: 0, 0.5 and 1; see `read_trimap`."""
    scribbles = _scribbles(picture, name)
    if scribbles is not None:
        return scribbles
    pixels, told = one_band(picture, name)
    levels = as_alpha(pixels, name=name)
    near = NEAR if picture.lossy else 0.01
    trimap = np.where(levels <= near, 0.0, np.where(levels >= 1.0 - near, 1.0, 0.5))
    _check(levels, trimap, name)
    moved = np.count_nonzero((trimap != 0.5) & (trimap != levels))
    if moved:
        told.append(f"{moved} pixels were nearly black or white, and are taken for it")
    return AlphaFile(trimap, tuple(told))


def _scribbles(picture: Picture, name: str) -> AlphaFile | None:
    """Return the trimap of a file with strokes in colour, or None if it has none."""
    colours = picture.colour
    if colours.ndim == 2 or colours.shape[2] != 3:
        return None
    levels = scaled(colours, np.float64)
    if picture.transparency:
        levels = levels * (scaled(picture.pixels[..., -1:], np.float64) > 0.5)
    if np.ptp(levels, axis=2).max() < 0.35:
        return None
    kept, entered = strokes_in(levels, name)
    trimap = Trimap(kept, entered).levels
    parts = f"{np.mean(kept):.1%} of the pixels are green and {np.mean(entered):.1%} red"
    return AlphaFile(trimap, (f"scribbles: {parts}",), scribbled=True)


def _check(levels: FloatArray, trimap: FloatArray, name: str) -> None:
    values = len(np.unique(levels))
    between = levels[trimap == 0.5]
    if between.size == 0:
        raise InputError(
            f"{name}: {values} grey values, black and white but no grey: a mask, in which nothing "
            "is to be found. Say how far from its edge the map is open (--edge PIXELS), or fuse "
            "with it as it is (--alpha FILE)"
        )
    if middle_level(between) is None:
        raise InputError(
            f"{name}: {values} grey values: did you mean a trimap? That has three, black, grey and "
            "white. A soft map is used as it is (--alpha FILE); of a mask with a blurred edge, say "
            "how far from it the map is open (--edge PIXELS)"
        )
