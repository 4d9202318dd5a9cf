"""Access to libvips: conversion between arrays and images, with attached metadata."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from osmofuse.pixels import bands_of
from osmofuse.typing import Array


@cache
def vips() -> Any:
    """Import and return pyvips; on first use, so that `import osmofuse` stays fast."""
    import pyvips

    # Loaders that are not fuzzed are blocked; without a cache no file stays open or goes stale.
    pyvips.block_untrusted_set(True)
    pyvips.cache_set_max(0)
    return pyvips


def reason(error: Exception) -> str:
    """Return the message of a libvips error without repeated lines."""
    lines = [line.strip() for line in str(error).splitlines()]
    return "; ".join(list(dict.fromkeys(filter(None, lines)))[:3])


def depth_of(image: Any) -> np.dtype[np.generic]:
    """Return the type of an image's samples."""
    text: str = vips().vimage.FORMAT_TO_TYPESTR[image.format]
    return np.dtype(text)


def pixels_of(image: Any) -> Array:
    """Return the pixels of an image as an array; (rows, cols) if it has one band."""
    # Not image.numpy(): it loses the dimensions of one-pixel pictures.
    shape = (image.height, image.width, image.bands)
    array = np.frombuffer(image.write_to_memory(), depth_of(image)).reshape(shape)
    return array[..., 0] if image.bands == 1 else array


def image_of(pixels: Array, resolution: tuple[float, float] | None = None) -> Any:
    """Return an image of an array, with a resolution in pixels per millimetre (rows, cols)."""
    native = np.ascontiguousarray(pixels, dtype=pixels.dtype.newbyteorder("="))
    grey = {"uint16": "grey16"}.get(native.dtype.name, "b-w")
    colour = {"uint8": "srgb", "uint16": "rgb16", "int16": "rgb16"}.get(native.dtype.name, "scrgb")
    space = grey if bands_of(native) < 3 else colour
    image = vips().Image.new_from_array(native, interpretation=space)
    rows, cols = resolution or (1.0, 1.0)
    return image.copy(xres=cols, yres=rows)


def attach(image: Any, blobs: dict[str, bytes | None]) -> None:
    """Attach metadata to an image, by libvips's field names; skip empty ones."""
    for name, data in blobs.items():
        if data:
            image.set_type(vips().GValue.blob_type, name, data)


def blob(image: Any, name: str) -> bytes | None:
    """Return metadata of an image by libvips's field name; None if there are none."""
    return bytes(image.get(name)) if image.get_typeof(name) else None
