"""Bring a picture into the colour space of another."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from tempfile import TemporaryDirectory

import numpy as np

from osmofuse.errors import UnreadableError
from osmofuse.io.icc import colour_space, profile_name
from osmofuse.io.libvips import image_of, pixels_of, reason, vips
from osmofuse.picture import Picture, quantise, samples
from osmofuse.typing import Array

__all__ = ["in_profile_of"]


def in_profile_of(picture: Picture, reference: Picture) -> tuple[Picture, str | None]:
    """Bring a picture into the colour space of another, relative colorimetric.

    Colours without a profile are taken for sRGB. One band (an infrared picture, say) has no
    colour, and stays as it is with or without a profile; so do pictures of other numbers of bands
    than three, and those whose profile is that of the reference already.

    Parameters
    ----------
    picture : Picture
        Never changed.
    reference : Picture
        Whose profile counts.

    Returns
    -------
    tuple of Picture and (str or None)
        The picture, with the reference's profile; what was done, in words, None if nothing was.
        Computed in 16 bits: integers become uint16, floats stay floats but are clipped to
        [0, 1] and rounded to 16 bits, which the words say.

    Raises
    ------
    UnreadableError
        A profile is damaged, or not for RGB.
    """
    if _is_same(picture, reference) or _bands(picture) != 3 or _bands(reference) != 3:
        return picture, None
    pixels, clipped = _wide(picture)
    with _file(picture.profile) as source, _file(reference.profile) as target:
        try:
            image = image_of(pixels).icc_transform(
                target, input_profile=source, intent="relative", depth=16, embedded=False,
                black_point_compensation=False,
            )  # fmt: skip
            converted = pixels_of(image)
        except vips().Error as error:
            raise UnreadableError(
                f"profile {_name(picture)} or {_name(reference)}: cannot be converted between "
                f"({reason(error)}); assign sound RGB profiles to both pictures"
            ) from error
    colour = samples(converted, "picture") if picture.depth.kind == "f" else converted
    words = f"converted from {_name(picture)} to {_name(reference)}, relative colorimetric, 16 bits"
    if clipped:
        words += f"; {clipped} samples clipped"
    return _rejoined(picture, colour, reference.profile), words


def _is_same(picture: Picture, reference: Picture) -> bool:
    if picture.profile == reference.profile:
        return True
    # No profile means sRGB.
    names = [profile_name(profile) for profile in (picture.profile, reference.profile)]
    return None in names and any(name and name.startswith("sRGB") for name in names)


def _bands(picture: Picture) -> int:
    return 1 if picture.colour.ndim == 2 else int(picture.colour.shape[2])


def _name(picture: Picture) -> str:
    return profile_name(picture.profile) or "sRGB (supposed: no profile)"


def _wide(picture: Picture) -> tuple[Array, int]:
    """Give the colours in 16 bits, and how many samples were clipped."""
    colour = picture.colour
    if colour.dtype == np.uint16:
        return colour, 0
    return quantise(samples(colour, "picture", dtype=np.float64, bounded=False), np.uint16)


def _rejoined(picture: Picture, colour: Array, profile: bytes | None) -> Picture:
    if picture.depth == np.float64:
        colour = colour.astype(np.float64)
    if picture.transparency:
        band = picture.pixels[..., -1:]
        if band.dtype != colour.dtype:
            band = quantise(samples(band, "transparency", dtype=np.float64), colour.dtype)[0]
        colour = np.concatenate([colour, band], axis=2)
    return replace(picture, pixels=colour, profile=profile)


@contextmanager
def _file(profile: bytes | None) -> Iterator[str]:
    """Put a profile where libvips can open it, or name the one it has built in."""
    if profile is None:
        yield "srgb"
        return
    if colour_space(profile) != "RGB":
        raise UnreadableError(
            f"profile {profile_name(profile)}: made for {colour_space(profile) or 'nothing'}, "
            "not for RGB; assign the right one to the picture"
        )
    with TemporaryDirectory() as folder:
        path = os.path.join(folder, "profile.icc")
        with open(path, "wb") as file:
            file.write(profile)
        yield path
