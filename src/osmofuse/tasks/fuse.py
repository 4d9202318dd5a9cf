"""Fuse two pictures, or more, by one call."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import Any, cast

import numpy as np

from osmofuse.errors import InputError, SettingError, did_you_mean
from osmofuse.methods import METHODS, Fusion, Method, Sources
from osmofuse.methods.contract import WatchFunction
from osmofuse.picture import Picture
from osmofuse.preparation.auto_alpha import auto_alpha
from osmofuse.typing import Array, ArrayLike, BoolArray


def fuse(
    foreground: ArrayLike | Picture,
    background: ArrayLike | Picture | Sequence[ArrayLike | Picture],
    alpha: ArrayLike | Sequence[ArrayLike] = 0.5,
    *,
    method: str | Method = "variational",
    valid: BoolArray | None = None,
    watch: WatchFunction | None = None,
    **settings: Any,
) -> Fusion:
    """Fuse the structure of one picture into the colours of another.

    Parameters
    ----------
    foreground : array, (rows, cols) or (rows, cols, channels), or Picture
        The picture whose colours are kept. uint8, uint16, or floats with 1.0 for white.
    background : array or Picture, or a list of them
        The picture whose structure enters; of the same size, with as many channels or one. What
        is masked in a masked array is not valid.
    alpha : array or number, "auto", or a list
        1 where the foreground is kept, 0 where the background's structure enters; "auto" makes
        a map from the two pictures, see `osmofuse.preparation.auto_alpha`. With several
        backgrounds one for each picture, foreground first; they sum to 1.
    method : str or Method
        The name of a method, or an instance of one.
    valid : array of bool, (rows, cols), optional
        False where the background has no data; the foreground is kept there.
    watch : callable, optional
        Called with a `Progress` now and then; if it returns True the fusion ends as it is.
    **settings
        Settings of the named method, e.g. ``eta=0.01``.

    Returns
    -------
    Fusion
        The picture is its `image`: white at 1.0, not clipped.

    Raises
    ------
    InputError, MismatchError
        A picture cannot be used, or the pictures do not fit together.
    SettingError
        The method or a setting is unknown or out of range.

    Examples
    --------
    >>> import numpy as np
    >>> import osmofuse
    >>> page = np.full((8, 8, 3), 200, np.uint8)
    >>> infrared = np.full((8, 8), 180, np.uint8)
    >>> osmofuse.fuse(page, infrared, alpha=0.5).image.shape
    (8, 8, 3)
    """
    chosen = method_of(method, settings)
    check_watch(watch)
    return chosen(sources_of(foreground, background, alpha, valid), watch=watch)


def sources_of(
    foreground: ArrayLike | Picture,
    background: ArrayLike | Picture | Sequence[ArrayLike | Picture],
    alpha: ArrayLike | Sequence[ArrayLike],
    valid: BoolArray | None = None,
) -> Sources:
    """Return checked sources, with a map made from the pictures where alpha is "auto"."""
    # Sources turns whatever is array-like into arrays, or says why it cannot.
    pictures = cast(Array, foreground), cast(Array, background)
    if not isinstance(alpha, str):
        return Sources(*pictures, cast(Array, alpha), valid)
    if alpha != "auto":
        raise InputError(
            f"alpha: {alpha!r}; give a number, an array or 'auto'. A file is read first, with "
            "osmofuse.read"
        )
    if isinstance(background, list | tuple):
        raise InputError("alpha: 'auto' takes one background; give a map for each picture")
    sources = Sources(*pictures, 0.5, valid)
    made = auto_alpha(sources.foreground, cast(Array, sources.background), valid=sources.valid)
    return sources.with_alpha(made.alpha)


def scored_background(sources: Sources) -> Picture:
    """Return the background as metrics can take it: 0 where it has no data."""
    background = cast(Array, sources.background)
    if sources.valid is None:
        return Picture(background)
    known = sources.valid if background.ndim == 2 else sources.valid[..., np.newaxis]
    return Picture(np.where(known, background, background.dtype.type(0)))


def check_watch(watch: object) -> None:
    """Refuse what cannot be called."""
    if watch is not None and not callable(watch):
        raise SettingError(f"watch: {watch!r}; must be a function of a Progress, or None")


def method_of(method: str | Method, settings: Mapping[str, Any]) -> Method:
    """Return the method of a name with its settings, or the instance that was given."""
    if not isinstance(method, str):
        if isinstance(method, type) or not callable(method):
            raise SettingError(
                f"method: {method!r}; give a name ({', '.join(METHODS)}) or an instance of a method"
            )
        if settings:
            raise SettingError(
                f"{', '.join(settings)}: give settings to the method itself, "
                f"{type(method).__name__}(...), or name the method by a string"
            )
        return method
    if method not in METHODS:
        raise SettingError(
            f"method: {method!r} is unknown{did_you_mean(method, METHODS)}; known are "
            f"{', '.join(METHODS)}"
        )
    known = [field.name for field in fields(cast(Any, METHODS[method]))]
    if unknown := [name for name in settings if name not in known]:
        raise SettingError(
            f"{', '.join(unknown)}: no setting of {method!r}; its settings are {', '.join(known)}"
        )
    return METHODS[method](**settings)
