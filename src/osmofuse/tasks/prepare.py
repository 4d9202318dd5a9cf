"""Preparation of pictures and a map for a fusion: one size, one colour space, one range.

`prepare` does to pictures what a command does to files between reading and fusing: the results are
the same, bit for bit.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, cast, get_args

import numpy as np

from osmofuse.checks import choice, number, whole
from osmofuse.errors import InputError, SettingError
from osmofuse.io import in_profile_of
from osmofuse.maps.alpha import DEFAULT_FEATHER, WIDEST_BLUR, kept_around_gaps, soften
from osmofuse.maps.auto_alpha import AutoAlpha, auto_alpha
from osmofuse.maps.map_file import alpha_of_picture
from osmofuse.maps.map_warnings import has_hard_edges, looks_inverted
from osmofuse.methods import Method, Sources
from osmofuse.methods.bare_arrays import (
    as_backgrounds,
    background_names,
    check_fourth_band,
    check_map_count,
    check_map_shape,
    check_size,
    without_masks,
)
from osmofuse.methods.contract import needs_no_map, needs_soft_map
from osmofuse.picture import Picture, checked, samples, stored_alpha
from osmofuse.pixels import StoredMap, checked_mask, nearest_valid
from osmofuse.registration import Transform
from osmofuse.tasks.aligned import Laid, checked_alignment, laid_over
from osmofuse.tasks.best_guess import AlphaKind
from osmofuse.tasks.lengths import in_pixels
from osmofuse.tasks.levels import Levels, apply_levels, range_used
from osmofuse.tasks.working_space import Space, to_working
from osmofuse.typing import ArrayLike, BoolArray, FloatArray

LEVELS = get_args(Levels)
WORKING_SPACES = get_args(Space)
_INVERTED = (
    "the map seems to be inverted: it keeps the foreground where only the background has "
    "structure. White keeps the foreground; "
)
_USE_INVERT = "if yours is the other way round, use --invert, or invert=True"
_DROP_INVERT = "it may have been right before it was inverted: leave --invert, or invert=True, out"
LEAST_RANGE = 0.25  # a background that uses less of its depth's range hardly shows
WIDEST_FEATHER = 10_000  # pixels

Given = ArrayLike | Picture


@dataclass(frozen=True)
class Preparation:
    """Settings of `prepare`.

    Parameters
    ----------
    align : mapping or str, optional
        Align the backgrounds to the foreground first: the kind of transform, or a mapping with
        ``method``, ``transform`` and ``deformation`` as for `osmofuse.align`.
    levels : {"as-is", "percentiles", "match"}
        Adjustment of the backgrounds' range.
    working_space : {"encoded", "linear"}
        Fuse samples as stored, or proportional to light.
    soften : float, 0 to 1000, or text
        Standard deviation of a blur of the map, in pixels; or a text like ``"2 %"``, of the side of
        a square with the picture's area.
    feather : int, 0 to 10000
        Width in pixels of the ramp over which alpha rises to 1 around no-data areas.
    invert : bool
        The map is white where the background enters: 1 - alpha is used, before anything else.
    """

    align: Mapping[str, Any] | str | None = None
    levels: Levels = "as-is"
    working_space: Space = "encoded"
    soften: float | str = 0.0
    feather: int = DEFAULT_FEATHER
    invert: bool = False

    def __post_init__(self) -> None:
        choice("levels", self.levels, LEVELS)
        choice("working_space", self.working_space, WORKING_SPACES)
        number("soften", self.soften_for((100, 100)), most=WIDEST_BLUR)
        whole("feather", self.feather, least=0, most=WIDEST_FEATHER)
        choice("invert", self.invert, (False, True))
        if self.align is not None:
            object.__setattr__(self, "align", self.alignment)

    @property
    def alignment(self) -> dict[str, Any] | None:
        """All settings of the alignment; None if there is none."""
        if self.align is None:
            return None
        chosen = {"transform": self.align} if isinstance(self.align, str) else self.align
        return checked_alignment(chosen)

    def soften_for(self, shape: Sequence[int]) -> float:
        """Return the blur of the map in pixels, for pictures of a size."""
        found: float = in_pixels({"soften": self.soften}, shape)["soften"]
        return found


@dataclass(frozen=True, eq=False)
class Prepared:
    """Pictures prepared for a fusion; the first argument of `osmofuse.fuse`.

    Attributes
    ----------
    foreground : Picture
        As given; a result takes its depth, profile and metadata.
    sources : Sources
        Input of the methods, in the working space.
    preparation : Preparation
        Settings of the preparation.
    transforms : tuple of (Laid or None)
        Alignment of each background; None if it was not aligned.
    made : AutoAlpha or None
        Origin of a map that was made from the pictures.
    told : mapping of str to tuple of str
        Notes by role: "foreground", "background" (further ones are "background-2"
        and so on) and "alpha".
    backgrounds : tuple of Picture
        As fused, but not in linear light: filled, in the foreground's colour space.
    given : {"nothing", "number", "map"}
        What was given as alpha; without any, all pictures have the same weight.
    """

    foreground: Picture
    sources: Sources
    preparation: Preparation = field(default_factory=Preparation)
    transforms: tuple[Laid | None, ...] = ()
    made: AutoAlpha | None = field(default=None, repr=False)
    told: Mapping[str, tuple[str, ...]] = field(default_factory=dict, repr=False)
    backgrounds: tuple[Picture, ...] = field(default=(), repr=False)
    given: AlphaKind = "map"

    def with_alpha(self, *alphas: FloatArray) -> Prepared:
        """Return the same pictures with another map, or other maps, used as they are."""
        sources = self.sources.with_alpha(*alphas)
        told, given = self._told_of_pictures, kind_of(alphas[0] if len(alphas) == 1 else alphas)
        return replace(self, sources=sources, made=None, told=told, given=given)

    def for_method(self, method: Method) -> Prepared:
        """Return the same pictures, free to enter anywhere if the method needs no map."""
        if self.given != "nothing" or not needs_no_map(method):
            return self
        count = len(self.sources.backgrounds)
        free = [StoredMap(np.asarray(x)) for x in (0.0, *[1.0 / count] * count)]
        maps = _around_gaps(free if count > 1 else free[:1], self.sources.valid, self.preparation)
        return replace(self, sources=self.sources.with_alpha(*maps))

    def with_map(self, alpha: Given) -> Prepared:
        """Return the same pictures with another map, prepared as by `prepare`.

        A number is not blurred, since it has no edges.
        """
        sources, how = self.sources, self.preparation
        if is_number(alpha):
            how = replace(how, soften=0.0)
        (one,), made, told = _alphas(alpha, sources.as_pictures(), sources.valid, how, False)
        words = self._told_of_pictures | ({"alpha": told} if told else {})
        given = kind_of(alpha)
        return replace(self, sources=sources.with_alpha(one), made=made, told=words, given=given)

    @property
    def _told_of_pictures(self) -> dict[str, tuple[str, ...]]:
        """Notes by role, without those on the map."""
        return {role: notes for role, notes in self.told.items() if role != "alpha"}

    @property
    def transform(self) -> Transform | None:
        """Transform of the first background to the foreground; None if it was not aligned."""
        first = self.transforms[0] if self.transforms else None
        return None if first is None else first.transform

    @cached_property
    def noted(self) -> dict[str, tuple[str, ...]]:
        """Notes for the user, by role, including those that depend on the samples."""
        found = dict(self.told)
        for k, picture in enumerate(self.backgrounds):
            role = role_of(k)
            if words := _faint(picture, self.sources.valid, self.preparation.levels):
                found[role] = (*found.get(role, ()), words)
        if self._is_inverted:
            advice = _DROP_INVERT if self.preparation.invert else _USE_INVERT
            found["alpha"] = (*found.get("alpha", ()), _INVERTED + advice)
        return found

    @property
    def _is_inverted(self) -> bool:
        """True if a given map seems to be inverted."""
        sources = self.sources
        if self.made is not None or len(self.backgrounds) != 1:
            return False
        return looks_inverted(
            self.foreground.filled(), self.backgrounds[0], sources.alpha, sources.valid
        )

    def notes_for(self, methods: Mapping[str, Method]) -> tuple[str, ...]:
        """Return notes on fusing by the named methods, in addition to `notes`."""
        names = [name for name, one in methods.items() if needs_soft_map(one)]
        if not names or not has_hard_edges(self.sources.alpha):
            return ()
        return (
            f"alpha: the edges of the map are hard, and will show under {', '.join(names)}; blur "
            "it by some 3 pixels with --soften 3, or soften=3, or find a soft one with matte",
        )

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes for the user on the pictures and their preparation."""
        by_role = [f"{role}: {note}" for role, notes in self.noted.items() for note in notes]
        return tuple(by_role) if self.made is None else (*by_role, self.made.words)


def kind_of(alpha: object) -> AlphaKind:
    """Return what was given as alpha; a list is a map for each picture."""
    if alpha is None:
        return "nothing"
    return "number" if not isinstance(alpha, list | tuple) and is_number(alpha) else "map"


def is_number(alpha: object) -> bool:
    """Return True for an alpha that is the same everywhere."""
    return not isinstance(alpha, str | Picture) and np.ndim(cast(Any, alpha)) == 0


def role_of(index: int) -> str:
    """Return the role of a background by its index from 0; index 1 is "background-2"."""
    return "background" if index == 0 else f"background-{index + 1}"


def prepare(
    foreground: Given,
    background: Given | Sequence[Given],
    alpha: Given | Sequence[Given] | None = None,
    *,
    align: Mapping[str, Any] | str | None = None,
    levels: Levels = "as-is",
    working_space: Space = "encoded",
    soften: float | str = 0.0,
    valid: BoolArray | None = None,
    feather: int = DEFAULT_FEATHER,
    invert: bool = False,
) -> Prepared:
    r"""Prepare pictures and a map for a fusion.

    Backgrounds are aligned to the foreground, converted to its colour space, and their range is
    adjusted, if requested; pixels without data are filled, and the map rises to 1 around them. The
    command `osmofuse fuse` does the same to files.

    Parameters
    ----------
    foreground : array or Picture
        The picture whose colours are kept.
    background : array or Picture, or a sequence of them
        The picture whose structure enters, or several.
    alpha : array, Picture, number or "auto", or a sequence; optional
        1 where the foreground is kept, 0 where the background's structure enters. With several
        backgrounds one for each picture, foreground first. By default the method decides.
    align, levels, working_space, soften, feather, invert
        See `Preparation`.
    valid : array of bool, (rows, cols), optional
        False where the backgrounds have no data, in addition to the Pictures' own masks.

    Returns
    -------
    Prepared
        Prepared pictures; methods are called on its `sources`.

    Raises
    ------
    InputError, MismatchError
        A picture cannot be used, they do not fit together, or cannot be aligned.

    Examples
    --------
    >>> import numpy as np
    >>> import osmofuse
    >>> page, infrared = np.full((8, 8, 3), 200, np.uint8), np.full((8, 8), 50, np.uint8)
    >>> ready = osmofuse.prepare(page, infrared, levels="as-is")
    >>> osmofuse.fuse(ready, method="direct").image.shape
    (8, 8, 3)
    """
    how = Preparation(align, levels, working_space, soften, feather, invert)
    given = as_backgrounds(background)
    check_fourth_band(foreground, given)
    page = _as_picture(foreground, "foreground")
    valid = None if valid is None else checked_mask(valid, page.pixels, "foreground")
    names = background_names(len(given))
    backs = [_background(*ready, page, how) for ready in _checked(given, names, valid, how)]
    known = valid
    for back in backs:
        known = _both(back.valid, known)
    planes = [_in_space(page.filled(), how, "foreground")]
    planes += [_in_space(back.picture, how, name) for back, name in zip(backs, names, strict=True)]
    several = isinstance(background, list | tuple)
    maps, made, told = _alphas(alpha, planes, known, how, several)
    sources = Sources(planes[0], planes[1:], maps if len(maps) > 1 else maps[0], known)
    words = {role_of(k): back.words for k, back in enumerate(backs) if back.words}
    return Prepared(
        foreground=page,
        sources=sources,
        preparation=how,
        transforms=tuple(back.laid for back in backs),
        made=made,
        told=words | ({"alpha": told} if told else {}),
        backgrounds=tuple(back.picture for back in backs),
        given=kind_of(alpha),
    )


@dataclass(frozen=True, eq=False)
class _Back:
    """Prepared background, and notes on its preparation."""

    picture: Picture
    valid: BoolArray | None
    laid: Laid | None
    words: tuple[str, ...]


def _checked(
    given: Sequence[Given], names: Sequence[str], valid: BoolArray | None, how: Preparation
) -> Iterator[tuple[Picture, str, BoolArray | None]]:
    """Yield each background as a checked picture, its name, and its mask of valid pixels."""
    for one, name in zip(given, names, strict=True):
        (plain,), known = without_masks([one], valid)
        if known is not valid and how.align is not None:
            raise InputError(
                f"{name}: a masked array cannot be aligned; give a Picture with a no-data value"
            )
        # The mask is in the frame after an alignment, not before it.
        before = None if how.align is not None else known
        yield _as_picture(plain, name, before), name, known


def _as_picture(given: Given, name: str, valid: BoolArray | None = None) -> Picture:
    """Return a picture whose samples can be used; an array becomes one."""
    if not isinstance(given, Picture):
        return Picture(checked(given, name, valid=valid))
    own = given.valid
    if own is not None and not own.any():
        raise InputError(f"{name}: every pixel holds the no-data value {given.nodata:g}")
    # Pixels without data may hold anything: -9999, or NaN.
    fits = valid is None or own is None or valid.shape == own.shape
    checked(given, name, valid=_both(own, valid) if fits else valid)
    return given


def _background(
    stored: Picture, name: str, valid: BoolArray | None, foreground: Picture, how: Preparation
) -> _Back:
    """Return a background in the foreground's frame, colour space and range."""
    laid = None
    if (settings := how.alignment) is not None:
        stored, laid = laid_over(foreground, stored, settings, name=name)
    check_size(stored.pixels, foreground.shape, name)
    known = _both(stored.valid, valid)
    picture, converted = in_profile_of(stored, foreground)
    picture = _filled(picture.filled(), known)
    array, adjusted = apply_levels(picture, how.levels, reference=foreground.filled(), valid=known)
    if adjusted:
        picture = Picture(array, picture.profile)
    empty = None
    if known is not None and not known.all():
        empty = f"{np.count_nonzero(~known)} pixels hold no data; the foreground is kept there"
        if how.feather:
            empty += f", and alpha rises to 1 over the {how.feather} pixels around"
    note = None if laid is None else laid.note
    words = tuple(words for words in (note, converted, adjusted, empty) if words)
    return _Back(picture, known, laid, words)


def _both(first: BoolArray | None, second: BoolArray | None) -> BoolArray | None:
    """Return the mask of pixels where both are valid; None means all."""
    if first is None or second is None:
        return second if first is None else first
    return first & second


def _filled(picture: Picture, valid: BoolArray | None) -> Picture:
    """Return a picture whose empty pixels hold the colours of the nearest valid one."""
    if valid is None or valid.shape != picture.shape or valid.all() or not valid.any():
        return picture
    return replace(picture, pixels=nearest_valid(picture.pixels, valid))


def _faint(picture: Picture, valid: BoolArray | None, levels: str) -> str | None:
    """Return a warning that a background uses little of its range; None if it does not."""
    if valid is not None and not valid.any():
        return None
    used = range_used(picture, valid=valid)
    if used >= LEAST_RANGE:
        return None
    words = (
        f"uses {used:.0%} of the range of {picture.depth}; with a number as alpha, or a method "
        "other than variational, its structure will hardly show"
    )
    # The advice is useless if an adjustment was made already.
    advice = "; then stretch it with --levels match, or percentiles"
    return words + (advice if levels == "as-is" else "")


def _in_space(picture: Picture, how: Preparation, name: str) -> Picture:
    """Return a picture in the working space: itself, if samples are fused as they are."""
    if how.working_space == "encoded":
        return picture
    light = to_working(samples(picture, name), how.working_space, picture.profile)
    return Picture(light)


def _alphas(
    alpha: Given | Sequence[Given] | None,
    pictures: Sequence[Picture],
    valid: BoolArray | None,
    how: Preparation,
    several: bool,
) -> tuple[list[StoredMap], AutoAlpha | None, tuple[str, ...]]:
    """Return the maps, the origin of one made from the pictures, and notes."""
    made: AutoAlpha | None = None
    told: tuple[str, ...] = ()
    if how.invert:
        check_invertible(alpha, several=len(pictures) > 2)
    if isinstance(alpha, str):
        made = _auto(alpha, pictures, valid)
        maps = [StoredMap(made.alpha)]
    elif several and isinstance(alpha, list | tuple):
        given = check_map_count(alpha, len(pictures) - 1)
        found = [_map(one, f"alpha[{k}]") for k, one in enumerate(given)]
        maps, told = [one for one, _ in found], tuple(note for _, notes in found for note in notes)
    elif alpha is None:
        count = len(pictures)
        maps = [StoredMap(np.asarray(1.0 / count))] * (count if count > 2 else 1)
    else:
        one, told = _map(cast(Given, alpha), "alpha", how.invert)
        maps = [one]
    for k, one in enumerate(maps):
        name = "alpha" if len(maps) < 2 else f"alpha[{k}]"
        check_map_shape(one.samples, pictures[0].colour.shape, name)
    blur = how.soften_for(pictures[0].shape)
    if blur:
        maps = _softened(maps, blur)
    return _around_gaps(maps, valid, how), made, told


def _around_gaps(
    maps: list[StoredMap], valid: BoolArray | None, how: Preparation
) -> list[StoredMap]:
    """Return maps that keep the foreground around pixels without data."""
    if valid is None or valid.all() or not how.feather:
        return maps
    kept = kept_around_gaps([one.floats() for one in maps], valid, how.feather)
    return [StoredMap(one) for one in kept]


def _auto(alpha: str, pictures: Sequence[Picture], valid: BoolArray | None) -> AutoAlpha:
    if alpha != "auto":
        raise InputError(
            f"alpha: {alpha!r}; give a number, an array or 'auto'; read a file first, with "
            "osmofuse.read"
        )
    if len(pictures) > 2:
        raise InputError("alpha: 'auto' takes one background; give a map for each picture")
    return auto_alpha(pictures[0], pictures[1], valid=valid)


def check_invertible(alpha: object, *, several: bool) -> None:
    """Refuse to invert anything but a single given map."""
    if several:
        raise SettingError("invert: with several backgrounds every picture has its own map")
    if alpha is None:
        raise SettingError("invert: there is no map to invert; give alpha")
    if isinstance(alpha, str) and alpha == "auto":
        raise SettingError("invert: 'auto' makes a map that needs no inversion; leave invert out")


def _map(alpha: Given, name: str, invert: bool = False) -> tuple[StoredMap, tuple[str, ...]]:
    """Return a map in [0, 1]; a Picture may have any of the forms that `maps.read_alpha` reads."""
    if not isinstance(alpha, Picture):
        plain = stored_alpha(cast(ArrayLike, alpha), name=name)
        return StoredMap(np.asarray(1.0 - plain.floats())) if invert else plain, ()
    found = alpha_of_picture(alpha, name=name, invert=invert)
    return StoredMap(found.alpha), found.notes


def _softened(maps: Sequence[StoredMap], blur: float) -> list[StoredMap]:
    """Return blurred maps; a number among them is unchanged."""
    if all(one.samples.ndim < 2 for one in maps):
        raise SettingError("soften: alpha is a number, which has no edges; give a map")
    return [one if one.samples.ndim < 2 else StoredMap(soften(one.floats(), blur)) for one in maps]
