"""The map of alpha in a picture file: which of its bands is the map."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from osmofuse.errors import InputError
from osmofuse.picture import Picture, bands_of, white_of

# Bands of a grey picture that was stored in colour differ by what JPEG leaves behind, at most.
_NOISE = 8 / 255
_EXCEPTIONS = 1e-3


def map_in(picture: Picture, name: str) -> tuple[Picture, list[str]]:
    """Return the one band of a file that is the map, and in words what was left out.

    Parameters
    ----------
    picture : Picture
        The file.
    name : str
        Its name, for messages.

    Raises
    ------
    InputError
        It is coloured, or partly transparent.
    """
    notes = list[str]()
    if picture.transparency:
        _check_opaque(picture, name)
        picture = replace(picture, pixels=picture.colour, transparency=False)
        notes.append("its transparency is opaque everywhere; the other bands are the map")
    if (bands := bands_of(picture.pixels)) > 1:
        picture, apart = _grey(picture, name)
        words = f"up to {apart:.2g} of white" if apart else "in every pixel"
        notes.append(f"its {bands} bands are the same {words}; taken for one")
    return picture, notes


def _check_opaque(picture: Picture, name: str) -> None:
    white = white_of(picture.depth, name)
    share = float(np.mean(picture.pixels[..., -1] < white))
    if share > 0:
        raise InputError(
            f"{name}: {share:.1%} of the map are transparent, so what is white and what is black "
            "cannot be told; flatten it, or save it without transparency"
        )


def _grey(picture: Picture, name: str) -> tuple[Picture, float]:
    """Return the mean of bands that are the same, and how far they are apart."""
    pixels, white = picture.pixels, white_of(picture.depth, name)
    low, high = pixels.min(axis=2), pixels.max(axis=2)
    apart = (high.astype(np.float32) - low) / white
    coloured = float(np.mean(apart > _NOISE))
    if coloured > _EXCEPTIONS:
        raise InputError(
            f"{name}: a coloured picture, {coloured:.1%} of its pixels are not grey; a map is "
            "grey, white where the foreground is kept and black where the structure of the "
            "background enters: is it the right file? If so, save it in greyscale"
        )
    if not apart.any():
        return replace(picture, pixels=pixels[..., 0]), 0.0
    mean = pixels.mean(axis=2, dtype=np.float64)
    mean = mean if picture.depth.kind == "f" else np.rint(mean)
    return replace(picture, pixels=mean.astype(picture.depth)), float(apart.max())
