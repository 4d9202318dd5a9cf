"""Boundary of a shadow: a map of it, or a band around the edge of a mask or of a found shadow."""

from __future__ import annotations

import numpy as np

from osmofuse.checks import choice
from osmofuse.errors import InputError, MismatchError
from osmofuse.maps.find_shadow import find_shadow
from osmofuse.maps.map_file import alpha_of_picture
from osmofuse.maps.shadow_band import band_of_mask
from osmofuse.picture import Picture, as_alpha, samples
from osmofuse.pixels import scaled, size_of
from osmofuse.typing import ArrayLike, BoolArray, FloatArray

FULL = 0.9  # share of the picture above which a boundary is refused as full


def boundary_of(
    boundary: ArrayLike | Picture | str,
    logarithms: FloatArray,
    mask: bool,
    width: float | None,
) -> tuple[FloatArray, tuple[str, ...]]:
    """Return the map of a shadow's boundary, 0 on it and 1 elsewhere, and notes.

    Parameters
    ----------
    boundary : array, Picture or "auto"
        Map of any kind; "auto" finds the shadow.
    logarithms : array, (rows, cols, channels)
        Logarithm of the picture.
    mask : bool
        The map is a mask of the shadow, black inside; a band is laid around its edge.
    width : float, optional
        Width of a band around an edge, in pixels; by default that of the penumbra.

    Raises
    ------
    InputError
        The map is empty, covers the picture or has several bands, or no shadow is certain.
    MismatchError
        The map has another size than the picture.
    """
    if isinstance(boundary, str):
        choice("boundary", boundary, ("auto",))
        shadow, note = find_shadow(logarithms)
        return _outside_band(logarithms, shadow, width), (note,)
    keep, notes = _map_of(boundary)
    shape = logarithms.shape[:2]
    if keep.shape != shape:
        raise MismatchError(
            f"boundary: {size_of(keep.shape)} pixels, but the picture has {size_of(shape)}; "
            "draw it on the picture itself, or crop both alike"
        )
    dark = keep < 0.5
    if not dark.any():
        raise InputError(
            "boundary: empty, nothing is black (0); draw a black band over the edge of the shadow"
        )
    if dark.mean() > FULL:
        raise InputError(
            f"boundary: {dark.mean():.0%} of it are black; only a band over the shadow's edge must "
            "be. Is it inverted?"
        )
    return (_outside_band(logarithms, dark, width), notes) if mask else (keep, notes)


def _outside_band(logarithms: FloatArray, shadow: BoolArray, width: float | None) -> FloatArray:
    """Return 0 on the band around the edge of a mask, and 1 elsewhere."""
    band = band_of_mask(logarithms, shadow, width)
    if band.mean() > FULL:
        raise InputError(
            f"boundary: the band around its edge covers {band.mean():.0%} of the picture; give a "
            "smaller width, or a boundary instead of a mask"
        )
    return 1.0 - band


def _map_of(boundary: ArrayLike | Picture) -> tuple[FloatArray, tuple[str, ...]]:
    """Return a map of any kind as one plane in [0, 1], and notes on how it was read."""
    if isinstance(boundary, Picture):
        try:
            found = alpha_of_picture(boundary, name="boundary")
        except InputError:
            return _painted(boundary)
        return found.alpha, found.notes
    keep = as_alpha(boundary, name="boundary")
    if keep.ndim == 3 and keep.shape[2] in (1, 3):
        keep = keep.mean(axis=2)
    if keep.ndim != 2:
        raise InputError(f"boundary: shape {keep.shape}; must be a map of one band, (rows, cols)")
    return keep, ()


def _painted(boundary: Picture) -> tuple[FloatArray, tuple[str, ...]]:
    """Return the brightness of a map in colours, over white, and a note."""
    grey = samples(boundary, "boundary", dtype=np.float64)
    grey = grey if grey.ndim == 2 else grey.mean(axis=2)
    if boundary.transparency:
        layer = scaled(boundary.pixels[..., -1], np.float64)
        grey = 1.0 - layer * (1.0 - grey)
    return np.clip(grey, 0.0, 1.0), ("boundary: a map in colours; its brightness was used",)
