"""Conversion of a picture to the colour profile of another."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from osmofuse.errors import UnreadableError
from osmofuse.io.icc import colorants, colour_space, profile_name, tone_curves
from osmofuse.io.libvips import image_of, pixels_of, reason, vips
from osmofuse.picture import Picture
from osmofuse.pixels import bands_of, quantise, scaled
from osmofuse.typing import Array, FloatArray

_HALF_LEVEL = 0.5 / 65535  # smaller negative values are rounding, and do not count as clipped
_SAMPLES_AT_ONCE = 3_000_000  # bounds memory to some 100 MB; anything in 1e5..1e7 works


def in_profile_of(picture: Picture, reference: Picture) -> tuple[Picture, str | None]:
    """Convert a picture to the colour space of another, relative colorimetric.

    Colours without a profile are taken for sRGB. Pictures whose number of bands is not three (an
    infrared picture, say) are not converted, nor those that have the reference's profile already.

    Parameters
    ----------
    picture : Picture
        Never changed.
    reference : Picture
        Its profile is the target.

    Returns
    -------
    tuple of Picture and (str or None)
        The picture, with the reference's profile; a description of the conversion, None if there
        was none. Integers become uint16, floats keep their type; invalid pixels are filled, so
        take `valid` from the original.

    Raises
    ------
    UnreadableError
        A profile is damaged, or not for RGB.

    Notes
    -----
    Profiles of curves and a matrix (nearly all of cameras and working spaces) are computed in
    double precision; floats above white stay above white. Profiles with lookup tables go through
    libvips in 16 bits. Colours outside the reference's gamut are clipped and counted.
    """
    both_rgb = bands_of(picture.colour) == bands_of(reference.colour) == 3
    if _is_same(picture, reference) or not both_rgb:
        return picture, None
    source, target = (_rgb_profile(one) for one in (picture, reference))
    by_matrix = _converter(source, target)
    plain = picture.filled()
    if by_matrix is not None:
        colour, clipped = _by_matrix(plain.colour, by_matrix)
    else:
        colour, clipped = _by_libvips(plain.colour, source, target)
    words = f"converted from {_name(picture)} to {_name(reference)}, relative colorimetric"
    if clipped:
        words += f"; {clipped} samples clipped"
    return _rejoined(plain, colour, reference.profile), words


def _is_same(picture: Picture, reference: Picture) -> bool:
    if picture.profile == reference.profile:
        return True
    # No profile means sRGB.
    names = [profile_name(profile) for profile in (picture.profile, reference.profile)]
    return None in names and any(name and name.startswith("sRGB") for name in names)


def _name(picture: Picture) -> str:
    return profile_name(picture.profile) or "sRGB (supposed: no profile)"


def _rgb_profile(picture: Picture) -> bytes:
    profile = picture.profile
    if profile is None:
        return bytes(vips().Image.profile_load("srgb"))
    # libvips would silently replace a profile that it cannot read.
    if profile[36:40] != b"acsp" or int.from_bytes(profile[:4], "big") > len(profile):
        raise UnreadableError(
            f"profile {profile_name(profile)}: damaged; assign a sound RGB profile to the picture"
        )
    if colour_space(profile) != "RGB":
        raise UnreadableError(
            f"profile {profile_name(profile)}: made for {colour_space(profile) or 'nothing'}, "
            "not for RGB; assign the right one to the picture"
        )
    return profile


def _converter(source: bytes, target: bytes) -> Callable[[FloatArray], FloatArray] | None:
    """Return the conversion between two profiles of curves and a matrix; None for others."""
    here, there = colorants(source), colorants(target)
    decoding, encoding = tone_curves(source), tone_curves(target)
    if here is None or there is None or len(decoding) != 3 or len(encoding) != 3:
        return None
    matrix = np.linalg.solve(there, here)

    def convert(rows: FloatArray) -> FloatArray:
        light = np.stack([decoding[c][0](rows[..., c]) for c in range(3)], axis=-1) @ matrix.T
        # Negative values are clipped later; they keep their sign here so that they are counted.
        return np.stack(
            [np.sign(light[..., c]) * encoding[c][1](np.abs(light[..., c])) for c in range(3)],
            axis=-1,
        )

    return convert


def _by_matrix(colour: Array, convert: Callable[[FloatArray], FloatArray]) -> tuple[Array, int]:
    depth = colour.dtype if colour.dtype.kind == "f" else np.dtype(np.uint16)
    result: Array = np.empty(colour.shape, depth)
    clipped = 0
    step = max(1, _SAMPLES_AT_ONCE // (3 * colour.shape[1]))
    for start in range(0, len(colour), step):
        part = slice(start, start + step)
        converted = convert(scaled(colour[part], np.float64))
        if depth.kind == "f":
            count = int(np.count_nonzero(converted < -_HALF_LEVEL))
            result[part] = np.maximum(converted, 0)
        else:
            result[part], count = quantise(converted, depth)
        clipped += count
    return result, clipped


def _by_libvips(colour: Array, source: bytes, target: bytes) -> tuple[Array, int]:
    wide, clipped = colour, 0
    if colour.dtype != np.uint16:
        wide, clipped = quantise(scaled(colour, np.float64), np.uint16)
    with TemporaryDirectory() as folder:  # libvips opens profiles by name
        paths = [Path(folder, name) for name in ("source.icc", "target.icc")]
        for path, profile in zip(paths, (source, target), strict=True):
            path.write_bytes(profile)
        try:
            image = image_of(wide).icc_transform(
                str(paths[1]), input_profile=str(paths[0]), embedded=False, depth=16,
                intent="relative", black_point_compensation=False,
            )  # fmt: skip
            converted = pixels_of(image)
        except vips().Error as error:
            names = " or ".join(str(profile_name(profile)) for profile in (source, target))
            raise UnreadableError(
                f"profile {names}: cannot be used ({reason(error)}); assign a sound RGB profile "
                "to the picture"
            ) from error
    floats = colour.dtype.kind == "f"
    return scaled(converted, colour.dtype) if floats else converted, clipped


def _rejoined(picture: Picture, colour: Array, profile: bytes | None) -> Picture:
    """Return a picture with new colours and its old transparency."""
    if picture.transparency:
        band = picture.pixels[..., -1:]
        if band.dtype != colour.dtype:
            band = quantise(scaled(band, np.float64), colour.dtype)[0]
        colour = np.concatenate([colour, band], axis=2)
    return replace(picture, pixels=colour, profile=profile)
