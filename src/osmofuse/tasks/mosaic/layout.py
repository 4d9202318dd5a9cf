"""Layout of a mosaic: pictures, places and a flat field, checked, become panels on a canvas."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from numbers import Integral
from typing import TypeAlias

import numpy as np

from osmofuse.errors import InputError, LimitError, MismatchError, SettingError
from osmofuse.io import in_profile_of
from osmofuse.methods.bare_arrays import without_masks
from osmofuse.picture import Picture, checked
from osmofuse.pixels import bands_of, plane_of, quantise, scaled, size_of, white_of
from osmofuse.tasks.mosaic.panels import Panel
from osmofuse.typing import Array, ArrayLike, BoolArray, FloatArray

Places: TypeAlias = Sequence[tuple[int, int]]

MOST_CANVAS = 10**9  # pixels; one plane of it takes 4 GB
MOST_PLACE = 10**9  # largest row or column of a place
MOST_PANELS = 999  # a record holds 1000 files
# Light relative to the mean of a flat field below which a pixel is dead: 0.005..0.05 works.
_DEAD = 0.02


@dataclass(frozen=True, eq=False)
class Layout:
    """Panels of a mosaic on its canvas.

    Attributes
    ----------
    panels : tuple of Panel
        The pictures, in their order.
    shape : tuple of int
        Rows and columns of the canvas.
    corner : tuple of int
        Row and column of the canvas's first pixel, where the places count from.
    first : Picture
        First picture, whose profile and metadata the mosaic takes.
    notes : tuple of str
        Remarks on the pictures.
    """

    panels: tuple[Panel, ...]
    shape: tuple[int, int]
    corner: tuple[int, int]
    first: Picture
    notes: tuple[str, ...]

    @property
    def dtype(self) -> type:
        """Precision of the result: double if a picture has it."""
        double = any(panel.pixels.dtype == np.float64 for panel in self.panels)
        return np.float64 if double else np.float32

    def pasted(self) -> tuple[Picture, BoolArray]:
        """Return the plain mosaic, later pictures over earlier ones, and where it has data."""
        bands = self.first.pixels.shape[2:]
        pixels = np.zeros((*self.shape, *bands), self.first.depth)
        valid = np.zeros(self.shape, bool)
        if self.first.transparency:
            pixels[..., -1] = white_of(self.first.depth, "depth")
        for panel in self.panels:
            known = np.ones(panel.shape, bool) if panel.valid is None else panel.valid
            colour = replace(self.first, pixels=pixels[panel.box]).colour
            here = known if colour.ndim == 2 else known[..., np.newaxis]
            np.copyto(colour, _in_depth(panel, self.first.depth), where=here)
            valid[panel.box] |= known
        return self.first.with_pixels(pixels, valid), valid


def layout_of(
    pictures: Sequence[ArrayLike | Picture],
    places: Places | None,
    flat: ArrayLike | Picture | None,
) -> Layout:
    """Return the layout of pictures at their places (top, left); all at (0, 0) if None."""
    if not isinstance(pictures, list | tuple):
        raise InputError("pictures: not a list; give the pictures as [first, second, ...]")
    if not 1 <= len(pictures) <= MOST_PANELS:
        raise InputError(f"pictures: {len(pictures)} given; give from 1 to {MOST_PANELS}")
    names = [f"pictures[{k}]" for k in range(len(pictures))]
    given = [_picture(one, name) for one, name in zip(pictures, names, strict=True)]
    first = given[0][0]
    kinds = [(picture.depth.name, bands_of(picture.colour)) for picture, _ in given]
    check_alike(dict(zip(names, kinds, strict=True)))
    shapes = [picture.shape for picture, _ in given]
    tops_and_lefts = (
        one_frame(dict(zip(names, shapes, strict=True)))
        if places is None
        else checked_places(places, len(shapes))
    )
    corner, shape = canvas_of(shapes, tops_and_lefts)
    light = None if flat is None else _relative(flat, shapes, bands_of(first.colour))
    panels, notes = [], []
    for name, (picture, valid), (top, left) in zip(names, given, tops_and_lefts, strict=True):
        same, words = in_profile_of(picture, first)
        if words:
            notes.append(f"{name}: {words}")
        known = _alive(valid, light, name)
        box = tuple(
            slice(at - zero, at - zero + n)
            for at, zero, n in zip((top, left), corner, picture.shape, strict=True)
        )
        panels.append(Panel(name, same.colour, (box[0], box[1]), known, light))
    return Layout(tuple(panels), shape, corner, first, tuple(notes))


def check_alike(kinds: Mapping[str, tuple[str, int]]) -> None:
    """Check that all pictures, by name, have the depth and bands of the first."""
    (depth, bands), *_ = kinds.values()
    for name, kind in kinds.items():
        if kind != (depth, bands):
            raise MismatchError(
                f"{name}: {kind[0]}, bands of colour: {kind[1]}; the first picture is {depth}, "
                f"{bands}; convert all to one depth and one number of bands"
            )


def checked_places(places: object, count: int) -> tuple[tuple[int, int], ...]:
    """Return the places (top, left) of so many pictures as plain integers, checked."""
    if isinstance(places, str | bytes) or not isinstance(places, Sequence | np.ndarray):
        raise SettingError(f"places: {places!r}; give a list with (top, left) of each picture")
    if len(places) != count:
        raise SettingError(
            f"places: {len(places)} for {count} pictures; give the place of each, in their order"
        )
    return tuple(_place(place, k) for k, place in enumerate(places))


def _place(place: object, k: int) -> tuple[int, int]:
    """Return a place as two plain integers."""
    given = isinstance(place, Sequence | np.ndarray) and not isinstance(place, str | bytes)
    sides = list(place) if given else []  # type: ignore[call-overload]
    whole = all(isinstance(n, Integral) and not isinstance(n, bool) for n in sides)
    if len(sides) != 2 or not whole:
        raise SettingError(f"places[{k}]: {place!r}; give two whole numbers of pixels, (top, left)")
    if max(abs(int(n)) for n in sides) > MOST_PLACE:
        raise LimitError(f"places[{k}]: {place!r} is more than {MOST_PLACE} pixels away")
    return int(sides[0]), int(sides[1])


def one_frame(shapes: Mapping[str, tuple[int, int]]) -> tuple[tuple[int, int], ...]:
    """Return the places of registered pictures, by name, which have one size."""
    first, *_ = shapes.values()
    for name, shape in shapes.items():
        if shape != first:
            raise MismatchError(
                f"{name}: {size_of(shape)} pixels, but the first picture has {size_of(first)}; "
                "give places, or register and crop all to one frame"
            )
    return tuple((0, 0) for _ in shapes)


def canvas_of(
    shapes: Sequence[tuple[int, int]], places: Sequence[tuple[int, int]]
) -> tuple[tuple[int, int], tuple[int, int]]:
    """Return the first pixel and the shape of the smallest canvas that holds all pictures."""
    sides = []
    for axis in (0, 1):
        first = min(place[axis] for place in places)
        last = max(p[axis] + s[axis] for p, s in zip(places, shapes, strict=True))
        sides.append((first, last - first))
    (top, rows), (left, cols) = sides
    if rows * cols > MOST_CANVAS:
        raise LimitError(
            f"places: span {size_of((rows, cols))} pixels, more than {MOST_CANVAS}; check the "
            "places"
        )
    return (top, left), (rows, cols)


def _picture(given: ArrayLike | Picture, name: str) -> tuple[Picture, BoolArray | None]:
    """Return a checked picture, and where it has data; None everywhere."""
    (plain,), valid = without_masks([given], None)
    if isinstance(plain, Picture):
        valid = plain.valid
    if valid is not None and not valid.any():
        raise InputError(f"{name}: no pixel holds data")
    pixels = checked(plain, name, valid=valid)
    picture = plain if isinstance(plain, Picture) else Picture(pixels)
    return picture, None if valid is None or valid.all() else valid


def _relative(
    flat: ArrayLike | Picture, shapes: Sequence[tuple[int, int]], bands: int
) -> FloatArray:
    """Return the flat field relative to its mean in each band; 0 where pixels are dead."""
    picture, valid = _picture(flat, "flat")
    if bands_of(picture.colour) not in (1, bands):
        raise MismatchError(
            f"flat: {bands_of(picture.colour)} bands of colour, but pictures have {bands}; give "
            "it one band, or as many"
        )
    for k, shape in enumerate(shapes):
        if picture.shape != shape:
            raise MismatchError(
                f"flat: {size_of(picture.shape)} pixels, but pictures[{k}] has {size_of(shape)}; "
                "take both with one camera, uncropped"
            )
    light = scaled(picture.colour, np.float32)
    known = np.ones(picture.shape, bool) if valid is None else valid
    light[~known] = 0.0
    for c in range(bands_of(light)):
        plane = plane_of(light, c)
        mean = float(plane[known].mean(dtype=np.float64))
        if mean <= 0.0:
            raise InputError("flat: black; give a picture of an evenly lit white surface")
        plane /= mean
    return light


def _alive(valid: BoolArray | None, light: FloatArray | None, name: str) -> BoolArray | None:
    """Return where a picture has data and its flat field has light."""
    if light is None:
        return valid
    lit = (light.reshape(*light.shape[:2], -1) > _DEAD).all(axis=2)
    known = np.asarray(lit if valid is None else valid & lit)
    if not known.any():
        raise InputError(f"{name}: no pixel holds data where the flat field has light")
    return None if known.all() else known


def _in_depth(panel: Panel, depth: np.dtype[np.generic]) -> Array:
    """Return the pixels of a panel in a depth; converted colours may have another."""
    if panel.pixels.dtype == depth:
        return panel.pixels
    return quantise(scaled(panel.pixels, np.float64), depth)[0]
