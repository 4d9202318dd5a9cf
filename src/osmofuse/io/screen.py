"""Pictures for screens: 8 bits of sRGB, reduced if need be, encoded as bytes or animated."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Literal

import numpy as np

from osmofuse.errors import OutputError
from osmofuse.io.libvips import image_of, pixels_of, reason, vips
from osmofuse.io.profile import in_profile_of
from osmofuse.picture import Picture, samples, shown_by
from osmofuse.pixels import bands_of, quantise
from osmofuse.typing import Array

_NOTEBOOK_SIDE = 1000  # pixels; anything from 300 to 2000 works
_WEBP_SIDE = 16383  # pixels: WebP stores a side in 14 bits
_QUALITY = 92  # of JPEG, with full chroma resolution; anything from 90 to 95 works


def for_screen(picture: Picture, name: str) -> Array:
    """Return a picture in 8 bits of sRGB, (rows, cols) or (rows, cols, 3).

    Colours are converted from the picture's profile, relative colorimetric; without one they are
    taken for sRGB. One band is returned in grey, unconverted; so is the first of two, or of more
    than three. Values below black or above white are clipped; invalid pixels take the colour of
    the nearest valid one, transparency is left out.

    Parameters
    ----------
    picture : Picture
        Of any depth; never changed.
    name : str
        Name of the picture, for messages.

    Raises
    ------
    UnreadableError
        Its profile is damaged, or not for RGB.
    """
    plain = Picture(picture.filled().colour, picture.profile)
    bands = bands_of(plain.pixels)
    if bands == 3:
        srgb = Picture(np.zeros((1, 1, 3), np.uint8))
        plain = in_profile_of(plain, srgb)[0]
    elif bands != 1 or plain.pixels.ndim == 3:
        plain = Picture(plain.pixels[..., 0])
    if plain.depth == np.uint8:
        return plain.pixels
    return quantise(samples(plain, name, bounded=False), np.uint8)[0]


def reduced(levels: Array, longest: int) -> Array:
    """Return a picture reduced to at most `longest` pixels a side; itself if it fits."""
    scale = longest / max(levels.shape[:2])
    if scale >= 1:
        return levels
    rows, cols = (max(1, round(scale * side)) for side in levels.shape[:2])
    image = image_of(levels)
    return pixels_of(image.resize(cols / image.width, vscale=rows / image.height))


def encoded(levels: Array, kind: Literal["png", "jpeg"], *, transparency: bool = False) -> bytes:
    """Return a picture of 8 bits encoded as a file, without metadata.

    Parameters
    ----------
    levels : array of uint8
        Grey or sRGB.
    kind : {"png", "jpeg"}
        PNG is lossless; JPEG has quality 92, without chroma subsampling.
    transparency : bool
        The last of two or four bands is transparency; PNG only.
    """
    image, keep = image_of(levels), vips().ForeignKeep.NONE
    if transparency:
        image = image.copy(interpretation="b-w" if image.bands == 2 else "srgb")
    if kind == "png":
        return bytes(image.pngsave_buffer(keep=keep))
    return bytes(image.jpegsave_buffer(Q=_QUALITY, subsample_mode="off", keep=keep))


@shown_by
def as_png(picture: Picture) -> bytes:
    """Return a picture as a PNG for a notebook, in sRGB, of at most 1000 pixels a side."""
    # A huge picture is thinned out first, so that not all of it is converted.
    step = max(1, max(picture.shape) // (2 * _NOTEBOOK_SIDE))
    thin = replace(picture, pixels=picture.pixels[::step, ::step])
    return encoded(reduced(for_screen(thin, "picture"), _NOTEBOOK_SIDE), "png")


def write_animation(
    frames: Sequence[Array], path: str | os.PathLike[str], *, milliseconds: int = 700
) -> Path:
    """Write frames as an animated WebP, without loss.

    Parameters
    ----------
    frames : sequence of arrays of uint8, (rows, cols, 3)
        All of one size.
    path : path
        Replaced if it exists. Always WebP, whatever the suffix.
    milliseconds : int
        Duration of each frame.
    """
    path = Path(path)
    rows = frames[0].shape[0]
    if max(frames[0].shape[:2]) > _WEBP_SIDE:
        raise OutputError(f"{path}: WebP holds at most {_WEBP_SIDE} pixels a side")
    film = image_of(np.concatenate(list(frames)))
    film.set_type(vips().GValue.gint_type, "page-height", rows)
    film.set_type(vips().GValue.array_int_type, "delay", [milliseconds] * len(frames))
    film.set_type(vips().GValue.gint_type, "loop", 0)
    try:
        film.webpsave(os.fsencode(path), lossless=True)
    except (vips().Error, UnicodeDecodeError) as error:
        raise OutputError(f"{path}: cannot be written ({reason(error)})") from error
    return path
