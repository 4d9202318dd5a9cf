"""Sources of a fusion: pictures and maps that fit together, returned as planes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from copy import copy
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from osmofuse.errors import InputError, MismatchError
from osmofuse.methods.bare_arrays import (
    as_backgrounds,
    background_names,
    check_fourth_band,
    check_map_count,
    check_map_shape,
    check_size,
    without_masks,
)
from osmofuse.picture import Picture, checked, stored_alpha
from osmofuse.pixels import StoredMap, bands_of, plane_of, scaled, summary
from osmofuse.typing import Array, ArrayLike, BoolArray, FloatArray


@dataclass(frozen=True, eq=False, init=False)
class Sources:
    """Validated pictures that fit together.

    Parameters
    ----------
    foreground : array, (rows, cols) or (rows, cols, channels), or Picture
        The picture whose colours are kept: uint8, uint16 or floats with 1.0 for white.
    background : array or Picture, or sequence of them
        The picture whose structure enters, of the same size and channels, or one band; or
        several. Where a masked array is masked in any band, it is not valid.
    alpha : array, number, or sequence of them
        1 where the foreground is kept, 0 where the background enters; one map, or one for
        each channel. With several backgrounds, one for each picture; they sum to 1.
    valid : array of bool, (rows, cols), optional
        False where the backgrounds have no data: the foreground is kept there.

    Attributes
    ----------
    backgrounds : tuple of array
        The pictures whose structure enters; usually one.
    maps : tuple of StoredMap
        One map, that of the foreground; or with several backgrounds one for each picture.
    """

    foreground: Array
    backgrounds: tuple[Array, ...]
    maps: tuple[StoredMap, ...]
    valid: BoolArray | None

    def __init__(
        self,
        foreground: ArrayLike | Picture,
        background: ArrayLike | Picture | Sequence[ArrayLike | Picture],
        alpha: ArrayLike | Picture | StoredMap | Sequence[ArrayLike | Picture | StoredMap] = 0.5,
        valid: BoolArray | None = None,
    ) -> None:
        put = object.__setattr__
        given = as_backgrounds(background)
        check_fourth_band(foreground, given)
        put(self, "foreground", checked(foreground, "foreground"))
        plain, known = without_masks(given, valid)
        put(self, "valid", known)
        names = background_names(len(given))
        named = zip(plain, names, strict=True)
        put(self, "backgrounds", tuple(self._checked_one(one, name) for one, name in named))
        # With one bare background a list is a map in rows; with a list of them, a map for each.
        several = isinstance(background, list | tuple) and isinstance(alpha, list | tuple)
        if several or len(given) > 1:
            put(self, "maps", self._checked_weights(alpha))
        else:
            put(self, "maps", (self._checked_alpha(alpha, "alpha"),))

    def _checked_one(self, background: ArrayLike | Picture, name: str) -> Array:
        array = checked(background, name, valid=self.valid)
        check_size(array, self.shape, name)
        bands = bands_of(array)
        if bands not in (1, self.channels):
            raise MismatchError(
                f"{name}: {bands} channels, but foreground has {self.channels}; "
                "give as many, or one band"
            )
        return array

    def _checked_alpha(self, alpha: Any, name: str) -> StoredMap:
        stored = alpha if isinstance(alpha, StoredMap) else stored_alpha(alpha, name=name)
        check_map_shape(stored.samples, self.foreground.shape, name)
        return stored

    def __repr__(self) -> str:
        count = len(self.backgrounds)
        return f"Sources({summary(self.foreground)}, {count} background{'s' if count > 1 else ''})"

    def _checked_weights(self, alphas: object) -> tuple[StoredMap, ...]:
        count = len(self.backgrounds) + 1
        given = check_map_count(alphas, len(self.backgrounds))
        maps = tuple(self._checked_alpha(a, f"alpha[{k}]") for k, a in enumerate(given))
        floats = [one.floats() for one in maps]
        sums = (sum(self._map(a, c) for a in floats) for c in range(self.channels))
        off = max(float(np.abs(total - 1.0).max()) for total in sums)
        # Maps of 8 bits that sum to 255 up to rounding are meant to sum to 1.
        if off > 0.004 * count:
            raise InputError(f"alpha: the maps sum to 1 ± {off:.3g}; normalise them to sum to 1")
        return maps

    def with_alpha(self, *alphas: ArrayLike | StoredMap) -> Sources:
        """Return the same pictures with another map, or other maps."""
        foreground, *backgrounds = self.as_pictures()
        return Sources(
            foreground, backgrounds, alphas if len(alphas) > 1 else alphas[0], self.valid
        )

    def with_foreground(self, foreground: Array) -> Sources:
        """Return the same sources with another foreground of the same shape."""
        found = copy(self)
        object.__setattr__(found, "foreground", foreground)
        return found

    def keeping(self, masks: Sequence[BoolArray]) -> Sources:
        """Return the same sources whose maps keep the foreground in a mask of each background."""
        several, found = len(self.alphas) > 1, copy(self)
        first, *others = (
            np.array(np.broadcast_to(a, self.shape) if a.ndim < 2 else a) for a in self.alphas
        )
        for k, mask in enumerate(masks):
            first[mask] = first[mask] + others[k][mask] if several else 1.0
            if several:
                others[k][mask] = 0.0
        return found._with_maps(StoredMap(one) for one in (first, *others))

    def read_only(self) -> Sources:
        """Return the same sources with read-only arrays."""
        found = copy(self)
        put = object.__setattr__
        put(found, "foreground", _read_only(self.foreground))
        put(found, "backgrounds", tuple(map(_read_only, self.backgrounds)))
        found._with_maps(StoredMap(_read_only(a.samples), a.white) for a in self.maps)
        put(found, "alphas", tuple(map(_read_only, self.alphas)))
        put(found, "valid", None if self.valid is None else _read_only(self.valid))
        return found

    def as_pictures(self) -> list[Picture]:
        """Return foreground and backgrounds as Pictures, to make other sources of them.

        Bare arrays would be checked again for a fourth band that is transparency, and for int16.
        """
        return [Picture(one) for one in self.pictures]

    def _with_maps(self, maps: Iterable[StoredMap]) -> Sources:
        """Replace the maps of a new copy, which is returned."""
        object.__setattr__(self, "maps", tuple(maps))
        self.__dict__.pop("alphas", None)
        return self

    @cached_property
    def alphas(self) -> tuple[FloatArray, ...]:
        """The maps as numbers in [0, 1], in double precision."""
        return tuple(one.floats() for one in self.maps)

    @property
    def pictures(self) -> tuple[Array, ...]:
        """The foreground and the backgrounds."""
        return (self.foreground, *self.backgrounds)

    @property
    def alpha(self) -> FloatArray:
        """The foreground's map: a number, (rows, cols) or (rows, cols, channels)."""
        return self.alphas[0]

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        rows, cols = self.foreground.shape[:2]
        return rows, cols

    @property
    def channels(self) -> int:
        """Channels of the foreground, and of the fusion."""
        return bands_of(self.foreground)

    @property
    def count(self) -> int:
        """Number of pictures: the foreground and the backgrounds."""
        return 1 + len(self.backgrounds)

    @property
    def dtype(self) -> type:
        """Type of results: float64 if any picture is float64, else float32."""
        wide = any(a.dtype == np.float64 for a in self.pictures)
        return np.float64 if wide else np.float32

    def image(
        self,
        source: int,
        channel: int,
        dtype: type,
        out: FloatArray | None = None,
        *,
        step: int = 1,
    ) -> FloatArray:
        """Return a channel of a source as a plane, white at 1.0: `out`, or a new one.

        Source 0 is the foreground. A one-band background has the same plane in every channel;
        where it is not valid it is 0. With a `step`, only pixels on a grid are read.
        """
        array = plane_of(self.pictures[source], channel)
        plane = scaled(array[::step, ::step], dtype, out)
        if source > 0 and self.valid is not None:
            plane[~self.valid[::step, ::step]] = 0.0
        return plane

    def is_one_band(self, source: int) -> bool:
        """Return True if a background has one band for several channels of the foreground."""
        return self.channels > 1 and bands_of(self.backgrounds[source - 1]) == 1

    def weight(
        self, source: int, channel: int, dtype: type, out: FloatArray | None = None
    ) -> FloatArray:
        """Return the weight of a source in a channel: in `out`, or a new plane.

        The weights of all sources sum to 1; that of the foreground is alpha.
        """
        plane: FloatArray = np.empty(self.shape, dtype) if out is None else out
        if len(self.alphas) > 1:
            maps = [self._map(a, channel) for a in self.alphas]
            plane[...] = maps[source] / sum(maps)
        else:
            stored = self.maps[0]
            one = self._map(stored.samples, channel)
            if stored.white == 1:
                plane[...] = one
            else:
                np.divide(one, stored.white, out=plane, casting="unsafe")
            if source > 0:
                np.subtract(plane.dtype.type(1.0), plane, out=plane)
        if self.valid is not None:
            plane[~self.valid] = 1.0 if source == 0 else 0.0
        return plane

    def _map(self, alpha: Array, channel: int) -> Array:
        """Return a map of a channel, of the picture's shape; a view."""
        return np.broadcast_to(alpha if alpha.ndim < 2 else plane_of(alpha, channel), self.shape)


def _read_only(array: Array) -> Array:
    view = array.view()
    view.flags.writeable = False
    return view
