"""Raw files for tests: a colour filter array over a drawn picture, in a DNG."""

from __future__ import annotations

import numpy as np
import tifffile

_TO_SRGB = (32404, -15371, -4985, -9693, 18760, 416, 556, -2040, 10572)  # from XYZ, in 1/10000


def scene(rows=96, cols=128):
    """Return a smooth picture of linear light, of which a tenth is white."""
    y, x = np.mgrid[:rows, :cols]
    return np.stack([x * 400, y * 500, (x + y) * 200], axis=2).astype(np.uint16)


def dng(path, *, thumbnail=False, picture=None):
    """Write a DNG, with its raw samples below a thumbnail if that is wanted."""
    rgb = scene() if picture is None else picture
    raw = rgb[..., 1].copy()
    raw[0::2, 0::2], raw[1::2, 1::2] = rgb[0::2, 0::2, 0], rgb[1::2, 1::2, 2]
    matrix = tuple(part for number in _TO_SRGB for part in (number, 10_000))
    about = [
        (50706, "B", 4, (1, 4, 0, 0), True), (50708, "s", 0, "Drawn Camera", True),
        (50721, "2i", 9, matrix, True), (50728, "2I", 3, (1, 1, 1, 1, 1, 1), True),
        (50778, "H", 1, 21, True), (271, "s", 0, "Drawn", True), (272, "s", 0, "Camera", True),
    ]  # fmt: skip
    array = [
        (33421, "H", 2, (2, 2), True), (33422, "B", 4, (0, 1, 1, 2), True),
        (50717, "H", 1, 65535, True),
    ]  # fmt: skip
    with tifffile.TiffWriter(path) as file:
        if thumbnail:
            small = (rgb[::4, ::4] >> 8).astype(np.uint8)
            file.write(small, photometric="rgb", subfiletype=1, subifds=1, extratags=about,
                       metadata=None)  # fmt: skip
            file.write(raw, photometric=32803, extratags=array, metadata=None)
        else:
            file.write(raw, photometric=32803, extratags=about + array, metadata=None)
    return path
