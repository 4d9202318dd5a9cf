"""Layers of a report's page: pictures and maps of changes, with their bytes inside the page."""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from osmofuse.errors import InputError, MismatchError
from osmofuse.io import encoded, for_screen, reduced
from osmofuse.metrics import chromaticity_map, colour_difference_map, seam_map
from osmofuse.picture import Picture, as_alpha, samples
from osmofuse.pixels import bands_of, quantise, scaled
from osmofuse.report.canvas import TINT, Bar, brightest, colours, shades
from osmofuse.typing import Array, ArrayLike, FloatArray

# The values, (rows, cols); what they are, in words; the value of the last colour and above.
Map: TypeAlias = tuple[FloatArray, str, float]

_PIXELS_AT_ONCE = 1_000_000  # bounds memory, without effect on the maps


def change_maps(fused: Array, foreground: Array) -> dict[str, Map]:
    """Return maps of how a fused picture differs from its foreground, by name.

    Both are grey or sRGB as `osmofuse.io.for_screen` returns them. Pictures without colours
    have only the difference of levels.
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


def _level_difference(fused: Array, foreground: Array) -> FloatArray:
    apart = np.abs(fused.astype(np.float32) - foreground.astype(np.float32))
    return apart if apart.ndim == 2 else np.asarray(apart.mean(axis=-1))


_IN_GREY: Mapping[str, tuple[str, Callable[[Array, Array], FloatArray]]] = {
    "Difference": ("Mean difference of the channels, in levels of 255", _level_difference),
}
_IN_COLOUR = {
    "Colour difference ΔE": ("Colour difference CIEDE2000: 1 is just visible", _colour_difference),
    "Chromaticity error": ("Error of chromaticity, mean over the channels", _chromaticity),
    **_IN_GREY,
}


Encoding: TypeAlias = Literal["png", "jpeg"]

PAGE_SIDE = 4096  # pixels of the longer side of a picture in the page
LONGEST_MAP = 2048  # of a map or a tint, which have no fine print
ENTERS = "Where the background enters"  # of the tint of an alpha map, in words
_EXACT = 1_500_000  # pixels up to which pictures are exact; larger ones become JPEG
# The usual pictures of a fusion, in the order in which they are offered; further ones of a kind are
# numbered: "background-2".
_TITLES = {
    "fused": "Fused",
    "foreground": "Foreground",
    "background": "Background",
    "alpha": "Alpha map",
    "structure": "Structure",
    "truth": "Truth",
}
_GREEK = str.maketrans({"η": "eta", "μ": "mu", "γ": "gamma"})  # of settings, in names


@dataclass(frozen=True, eq=False)
class Layer:
    """Picture of a report's page."""

    name: str  # in addresses and files
    title: str
    levels: Array  # uint8, grey or sRGB, in full size
    bar: Bar | None = None  # colour bar of a map
    beside: str = ""  # name of the layer that a map belongs to

    @property
    def size(self) -> tuple[int, int]:
        """Rows and columns."""
        return self.levels.shape[0], self.levels.shape[1]


def layers_of(pictures: Mapping[str, ArrayLike | Picture]) -> dict[str, Layer]:
    """Return pictures of one size as layers, usual ones first; a number as alpha is left out."""
    usual = list(_TITLES)
    order = sorted(pictures, key=lambda name: (*usual, _kind(name)).index(_kind(name)))
    layers: dict[str, Layer] = {}
    for name, slug in zip(order, file_names(order), strict=True):
        picture = pictures[name]
        if _kind(name) == "alpha" and not isinstance(picture, Picture):
            picture = as_alpha(picture)
            if picture.ndim == 0:
                continue
        layers[name] = Layer(slug, _title(name), _levels(picture, name))
    if not layers:
        raise InputError("pictures: none; a report needs at least the fused one")
    _check_sizes(layers)
    return layers


def _kind(name: str) -> str:
    """Return the kind of a usual picture, without its number; the whole name of any other."""
    kind, _, number = name.partition("-")
    return kind if kind in _TITLES and number.isdecimal() else name


def _title(name: str) -> str:
    kind = _kind(name)
    return _TITLES.get(kind, kind) + name.removeprefix(kind).replace("-", " ")


def maps_as_layers(
    maps: Mapping[str, Map], beside: Mapping[str, str] | None = None
) -> dict[str, Layer]:
    """Return maps in colours; `beside` names the layer of each, by default the fused one."""
    found, table = {}, quantise(colours(), np.uint8)[0]
    for name, slug in zip(maps, file_names(maps, "map_"), strict=True):
        values, label, highest = maps[name]
        other = "fused" if beside is None else beside[name]
        levels = table[shades(values, highest)]
        found[name] = Layer(slug, name, levels, Bar(label, highest), other)
    return found


def data_uri(layer: Layer, longest: int = PAGE_SIDE) -> tuple[str, tuple[int, int]]:
    """Return a layer as a data URI, and its size there."""
    small = reduced(layer.levels, longest if layer.bar is None else min(longest, LONGEST_MAP))
    rows, cols = small.shape[:2]
    kind: Encoding = "png" if rows * cols <= _EXACT else "jpeg"
    return _uri(encoded(small, kind), kind), (rows, cols)


def tint_uri(alpha: ArrayLike | Picture) -> str | None:
    """Return a tint of the areas that the background enters; None if alpha is a number."""
    values = as_alpha(alpha)
    if values.ndim == 0:
        return None
    entering = 1.0 - (values if values.ndim == 2 else values.mean(axis=-1))
    opacity = reduced(quantise(entering, np.uint8)[0], LONGEST_MAP)
    tint = np.broadcast_to(quantise(np.asarray(TINT), np.uint8)[0], (*opacity.shape, 3))
    return _uri(encoded(np.dstack([tint, opacity]), "png", transparency=True), "png")


def _uri(data: bytes, kind: Encoding) -> str:
    return f"data:image/{kind};base64,{b64encode(data).decode()}"


def _levels(picture: ArrayLike | Picture, name: str) -> Array:
    if not isinstance(picture, Picture):
        array: FloatArray = np.asarray(picture)
        picture = Picture(array.astype(np.float64) if array.dtype == np.bool_ else array)
    return for_screen(picture, name)


def file_names(names: Iterable[str], start: str = "") -> list[str]:
    """Return distinct names that are valid in addresses and files."""
    found: list[str] = []
    for name in names:
        plain = re.sub(r"[^a-z0-9.]+", "-", name.lower().translate(_GREEK)).strip("-.")
        slug = start + (plain or "picture")
        while slug in found:
            slug += "-x"
        found.append(slug)
    return found


def _check_sizes(layers: Mapping[str, Layer]) -> None:
    first = next(iter(layers))
    size = layers[first].size
    for name, layer in layers.items():
        if layer.size != size:
            raise MismatchError(
                f"{name}: {layer.size[0]} x {layer.size[1]} pixels, but {first} has "
                f"{size[0]} x {size[1]}; a report shows pictures of one size"
            )
