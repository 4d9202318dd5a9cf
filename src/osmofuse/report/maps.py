"""Maps of what a fusion changed: chromaticity, colour as it is seen, plain levels; and its seam."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeAlias

import numpy as np

from osmofuse.errors import InputError
from osmofuse.metrics import chromaticity_map, colour_difference_map, seam_map
from osmofuse.picture import Picture, samples
from osmofuse.pixels import bands_of, scaled
from osmofuse.report.colours import brightest
from osmofuse.typing import Array, FloatArray

__all__ = ["Map", "change_maps", "seam_maps"]

# The values, (rows, cols); what they are, in words; the value of the last colour and above.
Map: TypeAlias = tuple[FloatArray, str, float]

_PIXELS_AT_ONCE = 1_000_000


def change_maps(fused: Array, foreground: Array) -> dict[str, Map]:
    """Return maps of how a fused picture differs from its foreground.

    Parameters
    ----------
    fused, foreground : array of uint8, (rows, cols) or (rows, cols, 3)
        As `osmofuse.io.for_screen` gives them: grey or sRGB.

    Returns
    -------
    dict of str to (array, str, float)
        Name; values, what they are, and the value of the last colour. Pictures without colours
        have but the difference of levels.
    """
    colour = bands_of(fused) == 3 and bands_of(foreground) == 3
    kinds = _IN_COLOUR if colour else _IN_GREY
    return {name: _map(fused, foreground, *kind) for name, kind in kinds.items()}


def seam_maps(
    fused: Picture | FloatArray,
    foreground: Picture | FloatArray,
    background: Picture | FloatArray,
    alpha: FloatArray,
) -> dict[str, Map]:
    """Return the map of the seam by its name; none where alpha has no boundary."""
    pictures = [samples(x, "picture", bounded=False) for x in (fused, foreground, background)]
    try:
        seen = seam_map(pictures[0], pictures[1], pictures[2], alpha)
    except InputError:
        return {}
    return {"Seam": (seen, "Visibility of the seam", 1.0)}


def _map(
    fused: Array, foreground: Array, label: str, values: Callable[[Array, Array], FloatArray]
) -> Map:
    found = np.empty(fused.shape[:2], np.float32)
    step = max(1, _PIXELS_AT_ONCE // fused.shape[1])
    for start in range(0, len(fused), step):  # in parts: the formulas need many planes
        rows = slice(start, start + step)
        found[rows] = values(fused[rows], foreground[rows])
    return found, label, brightest(found)


def _chromaticity(fused: Array, foreground: Array) -> FloatArray:
    u, f = (scaled(levels, np.float32) for levels in (fused, foreground))
    return np.asarray(chromaticity_map(u, f).mean(axis=-1))


def _colour_difference(fused: Array, foreground: Array) -> FloatArray:
    return colour_difference_map(*(scaled(levels, np.float32) for levels in (fused, foreground)))


def _levels(fused: Array, foreground: Array) -> FloatArray:
    apart = np.abs(fused.astype(np.float32) - foreground.astype(np.float32))
    return apart if apart.ndim == 2 else np.asarray(apart.mean(axis=-1))


_IN_GREY: Mapping[str, tuple[str, Callable[[Array, Array], FloatArray]]] = {
    "Difference": ("Mean difference of the channels, in levels of 255", _levels),
}
_IN_COLOUR = {
    "Colour difference ΔE": ("Colour difference CIEDE2000: 1 is just visible", _colour_difference),
    "Chromaticity error": ("Error of chromaticity, mean over the channels", _chromaticity),
    **_IN_GREY,
}
