"""The pictures of a report's page: what each shows, and its bytes inside the page."""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from osmofuse.errors import InputError, MismatchError
from osmofuse.io import encoded, for_screen, reduced
from osmofuse.picture import Picture, as_alpha
from osmofuse.pixels import quantise
from osmofuse.report.canvas import Bar
from osmofuse.report.colours import TINT, colours, shades
from osmofuse.report.maps import Map
from osmofuse.typing import Array, ArrayLike, FloatArray

__all__ = [
    "ENTERS",
    "LONGEST",
    "LONGEST_MAP",
    "Layer",
    "data_uri",
    "file_names",
    "layers_of",
    "maps_as_layers",
    "tint_uri",
]

Kind: TypeAlias = Literal["png", "jpeg"]

LONGEST = 4096  # pixels of the longer side of a picture in the page
LONGEST_MAP = 2048  # of a map or a tint, which have no fine print
ENTERS = "Where the background enters"  # of the tint of an alpha map, in words
_EXACT = 1_500_000  # pictures of so many pixels are kept exactly; larger ones become JPEG
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
_LETTERS = str.maketrans({"η": "eta", "μ": "mu", "γ": "gamma"})  # of settings, in names


@dataclass(frozen=True, eq=False)
class Layer:
    """A picture as the page shows it.

    Attributes
    ----------
    name : str
        For addresses and files.
    title : str
        For people.
    levels : array of uint8
        Grey or sRGB, in full size.
    bar : Bar or None
        What the colours of a map stand for.
    beside : str
        Of a map, the name of the layer that it tells of.
    """

    name: str
    title: str
    levels: Array
    bar: Bar | None = None
    beside: str = ""

    @property
    def size(self) -> tuple[int, int]:
        """Rows and columns."""
        return self.levels.shape[0], self.levels.shape[1]


def layers_of(pictures: Mapping[str, ArrayLike | Picture]) -> dict[str, Layer]:
    """Return pictures as layers, the usual ones first; alpha as a number is none.

    Raises
    ------
    InputError
        There is none, or one cannot be used.
    MismatchError
        They have different sizes.
    """
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
    """Return maps in their colours; `beside` names what each tells of, if not the fused one."""
    found, table = {}, quantise(colours(), np.uint8)[0]
    for name, slug in zip(maps, file_names(maps, "map_"), strict=True):
        values, label, highest = maps[name]
        other = "fused" if beside is None else beside[name]
        levels = table[shades(values, highest)]
        found[name] = Layer(slug, name, levels, Bar(label, highest), other)
    return found


def data_uri(layer: Layer, longest: int = LONGEST) -> tuple[str, tuple[int, int]]:
    """Return a layer as an address that holds its bytes, and the size it has there."""
    small = reduced(layer.levels, longest if layer.bar is None else min(longest, LONGEST_MAP))
    rows, cols = small.shape[:2]
    kind: Kind = "png" if rows * cols <= _EXACT else "jpeg"
    return _uri(encoded(small, kind), kind), (rows, cols)


def tint_uri(alpha: ArrayLike | Picture) -> str | None:
    """Return a tint that lies where the background enters; None if alpha is a number."""
    values = as_alpha(alpha)
    if values.ndim == 0:
        return None
    entering = 1.0 - (values if values.ndim == 2 else values.mean(axis=-1))
    opacity = reduced(quantise(entering, np.uint8)[0], LONGEST_MAP)
    tint = np.broadcast_to(quantise(np.asarray(TINT), np.uint8)[0], (*opacity.shape, 3))
    return _uri(encoded(np.dstack([tint, opacity]), "png", transparency=True), "png")


def _uri(data: bytes, kind: Kind) -> str:
    return f"data:image/{kind};base64,{b64encode(data).decode()}"


def _levels(picture: ArrayLike | Picture, name: str) -> Array:
    if not isinstance(picture, Picture):
        array: FloatArray = np.asarray(picture)
        picture = Picture(array.astype(np.float64) if array.dtype == np.bool_ else array)
    return for_screen(picture, name)


def file_names(names: Iterable[str], start: str = "") -> list[str]:
    """Return names that can stand in addresses and files, no two alike."""
    found: list[str] = []
    for name in names:
        plain = re.sub(r"[^a-z0-9.]+", "-", name.lower().translate(_LETTERS)).strip("-.")
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
