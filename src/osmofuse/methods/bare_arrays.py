"""Checks of bare arrays: a fourth band, the mask of a masked array, number and shape of maps."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

import numpy as np

from osmofuse.errors import InputError, MismatchError
from osmofuse.picture import Picture
from osmofuse.typing import Array, ArrayLike, BoolArray


def as_backgrounds(
    background: ArrayLike | Picture | Sequence[ArrayLike | Picture],
) -> tuple[ArrayLike | Picture, ...]:
    """Return one background, or several, as a tuple."""
    if not isinstance(background, list | tuple):
        return (cast(ArrayLike, background),)
    if not background:
        raise InputError("background: empty list; give at least one picture")
    return tuple(background)


def background_names(count: int) -> list[str]:
    """Return the names of backgrounds in messages."""
    return ["background"] if count == 1 else [f"background[{k}]" for k in range(count)]


def check_fourth_band(foreground: object, backgrounds: Sequence[object]) -> None:
    """Check that no array has four bands if another picture has fewer.

    The fourth may be transparency; only a Picture states whether it is.
    """
    names = background_names(len(backgrounds))
    named = {"foreground": foreground} | dict(zip(names, backgrounds, strict=True))
    bands = {name: _bands(one) for name, one in named.items()}
    fewer = {1, 3} & set(bands.values())
    for name, one in named.items():
        if bands[name] == 4 and fewer and not isinstance(one, Picture):
            raise InputError(
                f"{name}: four bands, beside a picture of {max(fewer)}; leave the fourth out, "
                f"{name}[..., :3], or say what it is: Picture({name}, transparency=True), or "
                f"Picture({name}) if it is a band like the others"
            )


def _bands(picture: object) -> int | None:
    """Return the number of bands of a picture; None if it is not known yet."""
    shape = getattr(picture.colour if isinstance(picture, Picture) else picture, "shape", ())
    return {2: 1, 3: shape[-1]}.get(len(shape)) if shape else None


def check_size(background: Array, foreground: tuple[int, int], name: str) -> None:
    """Check that a background has the size of the foreground."""
    if background.shape[:2] != foreground:
        raise MismatchError(
            f"{name}: shape {background.shape[:2]}, but foreground has {foreground}; align or crop "
            "them to one size"
        )


def check_map_shape(alpha: Array, foreground: tuple[int, ...], name: str) -> None:
    """Check that a map fits the foreground."""
    size, channels = foreground[:2], foreground[2:]
    if alpha.ndim == 0 or alpha.shape in {size, (*size, 1), (*size, *channels)}:
        return
    if alpha.ndim not in (2, 3):
        raise InputError(
            f"{name}: shape {alpha.shape}; must be a number, (rows, cols) or (rows, cols, channels)"
        )
    raise MismatchError(
        f"{name}: shape {alpha.shape} does not fit foreground with {foreground}; resize or crop it "
        "to the foreground's size"
    )


def check_map_count(alphas: object, backgrounds: int) -> Sequence[Any]:
    """Return the maps of several pictures, checked to be one for each."""
    if not isinstance(alphas, list | tuple) or len(alphas) != backgrounds + 1:
        raise InputError(
            f"alpha: with {backgrounds} backgrounds give a list of {backgrounds + 1} maps or "
            "numbers that sum to 1: the foreground's, then each background's"
        )
    return alphas


def without_masks(
    given: Sequence[ArrayLike | Picture], valid: BoolArray | None
) -> tuple[list[ArrayLike | Picture], BoolArray | None]:
    """Return backgrounds as plain arrays, and the mask of pixels valid in all of them."""
    plain = [np.asarray(one) if isinstance(one, np.ma.MaskedArray) else one for one in given]
    known = None if valid is None else np.asarray(valid)
    for one in given:
        if np.ma.is_masked(one):
            mask = np.ma.getmaskarray(cast(Any, one))
            seen = np.asarray(~(mask.any(axis=-1) if mask.ndim == 3 else mask))
            if known is None:
                known = seen
            elif known.shape == seen.shape and known.dtype == np.bool_:
                known = known & seen  # any other is refused where it is checked
    return plain, known
