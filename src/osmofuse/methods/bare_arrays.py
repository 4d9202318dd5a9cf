"""Checks of bare arrays: transparency in a fourth band, and the mask of a masked array."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

import numpy as np

from osmofuse.errors import InputError
from osmofuse.picture import Picture
from osmofuse.typing import Array, BoolArray


def check_fourth_band(foreground: object, background: object) -> None:
    """Refuse an array of four bands beside a picture of fewer: the fourth may be transparency.

    Raises
    ------
    InputError
        It may be; a Picture says whether it is.
    """
    several = isinstance(background, list | tuple)
    named = {"foreground": foreground} | (
        {f"background[{k}]": one for k, one in enumerate(cast(Sequence[object], background))}
        if several
        else {"background": background}
    )
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
    """Return how many bands something has; None if that cannot be known yet."""
    shape = getattr(picture.colour if isinstance(picture, Picture) else picture, "shape", ())
    return {2: 1, 3: shape[-1]}.get(len(shape)) if shape else None


def without_masks(
    background: Array | Sequence[Array], valid: BoolArray | None
) -> tuple[Array | Sequence[Array], BoolArray | None]:
    """Return backgrounds as plain arrays, and where all of them are valid and not masked."""
    several = isinstance(background, list | tuple)
    given = list(cast(Sequence[Array], background)) if several else [cast(Array, background)]
    plain = [np.asarray(one) if isinstance(one, np.ma.MaskedArray) else one for one in given]
    known = None if valid is None else np.asarray(valid)
    for one in given:
        if np.ma.is_masked(one):
            mask = np.ma.getmaskarray(one)
            seen = np.asarray(~(mask.any(axis=-1) if mask.ndim == 3 else mask))
            if known is None:
                known = seen
            elif known.shape == seen.shape and known.dtype == np.bool_:
                known = known & seen  # any other is refused where it is checked
    return plain if several else plain[0], known
