"""The contract between fusion methods and the rest: sources in, a fusion out."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from copy import copy
from dataclasses import dataclass, fields, replace
from typing import Any, Protocol, TypeGuard, runtime_checkable

import numpy as np
from numpy.typing import DTypeLike

from osmofuse.checks import number
from osmofuse.errors import InputError, MismatchError, OsmofuseError, SettingError
from osmofuse.maps import as_alpha
from osmofuse.methods.bare_arrays import (
    as_backgrounds,
    background_names,
    check_fourth_band,
    check_map_count,
    check_map_shape,
    check_size,
    without_masks,
)
from osmofuse.optimise.plan import Plan
from osmofuse.picture import Picture, checked
from osmofuse.pixels import bands_of, plane_of, scaled, summary
from osmofuse.progress import Status, Step, Watch
from osmofuse.typing import Array, ArrayLike, BoolArray, FloatArray

# Bounds of settings that several methods have.
NEAREST = 1e-3  # pixels; a shorter reach changes no sample
FARTHEST = 1e6  # pixels; any reach beyond is that of no picture
# In single precision samples of white 1 + 100 are 7.6e-6 apart, half a level of 16 bits: levels
# are still told apart. With 1000 eight of them would become one.
LARGEST_OFFSET = 100.0
MOST_ITERATIONS = 1_000_000


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
    alphas : tuple of array
        One map, that of the foreground; or with several backgrounds one for each picture.
    """

    foreground: Array
    backgrounds: tuple[Array, ...]
    alphas: tuple[FloatArray, ...]
    valid: BoolArray | None

    def __init__(
        self,
        foreground: ArrayLike | Picture,
        background: ArrayLike | Picture | Sequence[ArrayLike | Picture],
        alpha: ArrayLike | Picture | Sequence[ArrayLike | Picture] = 0.5,
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
        # A list beside one bare background is a map in rows; beside a list, a map for each.
        several = isinstance(background, list | tuple) and isinstance(alpha, list | tuple)
        if several or len(given) > 1:
            put(self, "alphas", self._checked_weights(alpha))
        else:
            put(self, "alphas", (self._checked_alpha(alpha, "alpha"),))

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

    def _checked_alpha(self, alpha: Any, name: str) -> FloatArray:
        array = as_alpha(alpha, name=name)
        check_map_shape(array, self.foreground.shape, name)
        return array

    def __repr__(self) -> str:
        count = len(self.backgrounds)
        return f"Sources({summary(self.foreground)}, {count} background{'s' if count > 1 else ''})"

    def _checked_weights(self, alphas: object) -> tuple[FloatArray, ...]:
        count = len(self.backgrounds) + 1
        given = check_map_count(alphas, len(self.backgrounds))
        maps = tuple(self._checked_alpha(a, f"alpha[{k}]") for k, a in enumerate(given))
        sums = (sum(self._map(a, c) for a in maps) for c in range(self.channels))
        off = max(float(np.abs(total - 1.0).max()) for total in sums)
        # Maps of 8 bits that sum to 255 but for rounding are meant to sum to 1.
        if off > 0.004 * count:
            raise InputError(f"alpha: the maps sum to 1 ± {off:.3g}; normalise them to sum to 1")
        return maps

    def with_alpha(self, *alphas: ArrayLike) -> Sources:
        """Return the same pictures with another map, or other maps."""
        foreground, *backgrounds = self.as_pictures()
        return Sources(
            foreground, backgrounds, alphas if len(alphas) > 1 else alphas[0], self.valid
        )

    def read_only(self) -> Sources:
        """Return the same sources, whose arrays cannot be changed through them."""
        found = copy(self)
        put = object.__setattr__
        put(found, "foreground", _read_only(self.foreground))
        put(found, "backgrounds", tuple(map(_read_only, self.backgrounds)))
        put(found, "alphas", tuple(map(_read_only, self.alphas)))
        put(found, "valid", None if self.valid is None else _read_only(self.valid))
        return found

    def as_pictures(self) -> list[Picture]:
        """Return foreground and backgrounds for other sources, as Pictures, which need no doubts.

        Bare arrays are suspected of a fourth band that is transparency, or of differences in int16.
        """
        return [Picture(one) for one in (self.foreground, *self.backgrounds)]

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
        """The type of results: float64 if a picture is, else float32."""
        wide = any(a.dtype == np.float64 for a in (self.foreground, *self.backgrounds))
        return np.float64 if wide else np.float32

    def image(
        self, source: int, channel: int, dtype: type, out: FloatArray | None = None
    ) -> FloatArray:
        """Return a channel of a source as a plane, white at 1.0: `out`, or a new one.

        Source 0 is the foreground. A one-band background has the same plane in every channel;
        where it is not valid it is 0.
        """
        array = (self.foreground, *self.backgrounds)[source]
        plane = scaled(plane_of(array, channel), dtype, out)
        if source > 0 and self.valid is not None:
            plane[~self.valid] = 0.0
        return plane

    def is_one_band(self, source: int) -> bool:
        """Return True if a background has one band for several channels of the foreground."""
        return self.channels > 1 and bands_of(self.backgrounds[source - 1]) == 1

    def weight(
        self, source: int, channel: int, dtype: type, out: FloatArray | None = None
    ) -> FloatArray:
        """Return how much of a source's structure enters a channel: in `out`, or a new plane.

        The weights of all sources sum to 1; that of the foreground is alpha.
        """
        plane: FloatArray = np.empty(self.shape, dtype) if out is None else out
        if len(self.alphas) > 1:
            maps = [self._map(a, channel) for a in self.alphas]
            plane[...] = maps[source] / sum(maps)
        else:
            plane[...] = self._map(self.alpha, channel)
            if source > 0:
                np.subtract(plane.dtype.type(1.0), plane, out=plane)
        if self.valid is not None:
            plane[~self.valid] = 1.0 if source == 0 else 0.0
        return plane

    def _map(self, alpha: FloatArray, channel: int) -> FloatArray:
        """Return a map of a channel, of the picture's shape; a view."""
        return np.broadcast_to(alpha if alpha.ndim < 2 else plane_of(alpha, channel), self.shape)


@dataclass(frozen=True, eq=False, repr=False)
class Fusion:
    """Result of a method.

    In a notebook it shows its image: taken for sRGB, clipped and reduced.

    Attributes
    ----------
    image : array
        The fused picture, of the foreground's shape; white at 1.0, not clipped.
    structure : array or None
        The structure image v, for methods that have one; None where it was cancelled.
    energy : array or None
        float64, one number for each channel, for methods that minimise one; None where the flow
        was cancelled.
    reach : float or None
        How far osmosis has acted, in pixels, for methods that measure it.
    history : tuple of Step
        One entry for each accepted iteration.
    status : Status
        How it ended.
    seconds : float
        How long it took, without what compiling kernels took.
    method : Method
        The settings it was made with.
    plan : Plan or None
        What the flow did, to be done again by the method's `run`.
    sources : Sources or None
        The pictures it was made from, for `extend`.
    foreground : Picture or None
        The picture whose depth, profile and metadata `picture` takes.
    """

    image: FloatArray
    structure: FloatArray | None = None
    energy: FloatArray | None = None
    reach: float | None = None
    history: tuple[Step, ...] = ()
    status: Status = Status.direct
    seconds: float = 0.0
    method: Method | None = None
    plan: Plan | None = None
    sources: Sources | None = None
    foreground: Picture | None = None

    def __repr__(self) -> str:
        return f"Fusion({summary(self.image)}, {self.status})"

    def _repr_png_(self) -> bytes | None:
        """Return what a notebook shows; None if nothing can be shown."""
        from osmofuse.io.screen import as_png

        with suppress(OsmofuseError):
            return as_png(Picture(self.image))
        return None

    def picture(
        self, depth: DTypeLike | None = None, *, structure: bool = False
    ) -> tuple[Picture, int]:
        """Return the fused picture as the command writes it.

        Parameters
        ----------
        depth : dtype, optional
            uint8, uint16, float32, ...; the foreground's if not given.
        structure : bool
            Of the structure instead of the image.

        Returns
        -------
        tuple of Picture and int
            With the foreground's profile, metadata, transparency and no-data value; how many
            samples were clipped.

        Raises
        ------
        SettingError
            The method found no structure.
        """
        samples = self.structure if structure else self.image
        if samples is None:
            raise SettingError("structure: this fusion has none")
        like = Picture(samples) if self.foreground is None else self.foreground
        return like.with_samples(samples, depth=depth)

    def extend(self, reach: float, *, watch: Watch | None = None) -> Fusion:
        """Go on from here to a larger reach, for methods that have one."""
        if not isinstance(self.method, Extendable):
            raise SettingError(f"method: {type(self.method).__name__} has no reach to extend")
        return self.method.extend(self, reach, watch=watch)


def _read_only(array: Array) -> Array:
    view = array.view()
    view.flags.writeable = False
    return view


def extendable(fusion: Fusion, reach: float) -> Sources:
    """Return the pictures of a fusion that can go on to a reach, or say why it cannot.

    Raises
    ------
    SettingError
        The fusion has no reach, did not end well, or has come further already.
    """
    number("reach", reach, least=NEAREST, most=FARTHEST, infinite=True)
    if fusion.sources is None or fusion.reach is None:
        raise SettingError("reach: this fusion has none to extend")
    if not fusion.status.is_success:
        raise SettingError(f"reach: this fusion ended as {fusion.status}; fuse the pictures again")
    if reach < fusion.reach:
        raise SettingError(f"reach: {reach!r}; this fusion has come to {fusion.reach} already")
    return fusion.sources


def joined(before: tuple[Step, ...], after: tuple[Step, ...]) -> tuple[Step, ...]:
    """Return a history that goes on where another ends, counted through in each channel."""
    last: dict[int | None, int] = {}
    for step in before:
        last[step.channel] = step.iteration
    return before + tuple(
        replace(step, iteration=step.iteration + last.get(step.channel, 0)) for step in after
    )


class Method(Protocol):
    """A fusion method: a frozen dataclass of settings, called on sources."""

    def __call__(self, sources: Sources, *, watch: Watch | None = None) -> Fusion:
        """Fuse the sources."""
        ...


def settings_of(method: Method | None) -> dict[str, Any]:
    """Return the settings of a method as a record has them.

    An object, such as a regulariser of one's own, is ``{"object": name of its class}``: a record
    says that it was there, and cannot repeat it.
    """
    given: Any = method
    values = {one.name: getattr(given, one.name) for one in fields(given)}
    return {
        name: value if _is_plain(value) else {"object": type(value).__name__}
        for name, value in values.items()
    }


def _is_plain(value: object) -> bool:
    if isinstance(value, list | tuple):
        return all(map(_is_plain, value))
    return value is None or isinstance(value, bool | int | float | str)


@runtime_checkable
class Extendable(Method, Protocol):
    """A method whose fusions can go on to a larger reach: see `Fusion.extend`."""

    def extend(self, fusion: Fusion, reach: float, *, watch: Watch | None = None) -> Fusion:
        """Go on from a fusion made with these settings to a larger reach."""
        ...


@runtime_checkable
class Replayable(Method, Protocol):
    """A method that can put what it does into a plan, and follow it: see `is_replayable`."""

    @property
    def has_plan(self) -> bool:
        """True if it can with these settings."""
        ...

    def plan(self, sources: Sources) -> Plan:
        """Return what the method is to do on the sources."""
        ...

    def run(self, sources: Sources, plan: Plan, *, watch: Watch | None = None) -> Fusion:
        """Do what a plan says: the same plan gives the same pixels."""
        ...


class PreparedMethod(Protocol):
    """Sources that a method has made ready for many fusions: see `Preparable`."""

    def serves(self, settings: Any) -> bool:
        """Return True if it does for a method of the same kind with other settings, too."""
        ...

    def solve_with(self, settings: Any, *, watch: Watch | None = None) -> Fusion:
        """Fuse with other settings: the same pixels as a call of that method."""
        ...


@runtime_checkable
class Preparable(Method, Protocol):
    """A method that does once what settings do not change: see `is_preparable`."""

    @property
    def can_prepare(self) -> bool:
        """True if it does with these settings."""
        ...

    def prepare(self, sources: Sources) -> PreparedMethod:
        """Do once what settings do not change, for many fusions of the same pictures."""
        ...


@runtime_checkable
class Structured(Method, Protocol):
    """A method that finds a structure, the `Fusion.structure`: see `finds_structure`."""

    @property
    def has_structure(self) -> bool:
        """True if it does with these settings."""
        ...


@runtime_checkable
class SoftMapped(Method, Protocol):
    """A method under which hard edges of the map show: see `needs_soft_map`."""

    @property
    def wants_soft_map(self) -> bool:
        """True if they show with these settings."""
        ...


def is_replayable(method: Method) -> TypeGuard[Replayable]:
    """Return True for a method that, with its settings, can follow a plan."""
    return isinstance(method, Replayable) and method.has_plan


def is_preparable(method: Method) -> TypeGuard[Preparable]:
    """Return True for a method that, with its settings, makes sources ready once for many."""
    return isinstance(method, Preparable) and method.can_prepare


def needs_soft_map(method: Method) -> bool:
    """Return True for a method under which, with its settings, hard edges of the map show."""
    return isinstance(method, SoftMapped) and method.wants_soft_map


def finds_structure(method: Method) -> bool:
    """Return True for a method that, with its settings, finds a structure."""
    return isinstance(method, Structured) and method.has_structure
