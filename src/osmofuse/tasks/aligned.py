"""A background laid over the foreground on its way into a fusion."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from osmofuse.checks import choice, mapping
from osmofuse.errors import MismatchError, SettingError, did_you_mean
from osmofuse.io.geography import placed_like
from osmofuse.picture import Picture
from osmofuse.registration import Alignment, Transform, align, warped
from osmofuse.registration.chain import ALIGN_METHODS
from osmofuse.registration.transform import KINDS

# How a background is laid over the foreground where nothing else is said.
DEFAULTS: Mapping[str, Any] = {"method": "auto", "transform": "homography", "deformation": False}


def checked_alignment(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return how to align, with what was not said; or refuse it.

    Raises
    ------
    SettingError
        A setting is unknown, or has a value that it cannot have.
    """
    for name in mapping("align", settings):
        if name not in DEFAULTS:
            hint = did_you_mean(name, DEFAULTS)
            raise SettingError(f"align: {name} is unknown{hint}; there are {', '.join(DEFAULTS)}")
    found = {**DEFAULTS, **settings}
    choice("align: method", found["method"], tuple(m for m in ALIGN_METHODS if m != "points"))
    choice("align: transform", found["transform"], KINDS)
    choice("align: deformation", found["deformation"], (False, True))
    return found


@dataclass(frozen=True)
class Laid:
    """Alignment of a background that was laid over the foreground.

    Attributes
    ----------
    transform : Transform
        Takes points (x, y) of the background to the foreground.
    settings : mapping
        How it was found.
    score : float
        What speaks for it, see `osmofuse.Alignment`.
    note : str, optional
        Advice to look at it closely.
    """

    transform: Transform
    settings: Mapping[str, Any]
    score: float
    note: str | None = None


def laid_over(
    foreground: Picture, background: Picture, settings: Mapping[str, Any], *, name: str
) -> tuple[Picture, Laid]:
    """Return a background in the foreground's frame, and how it came there.

    Raises
    ------
    MismatchError
        No transform can be trusted; `name` says of which background.
    MissingExtraError
        OpenCV is not installed.
    """
    found = align(foreground, background, **settings)
    if found.image is None or found.transform is None:
        raise MismatchError(
            f"{name}: refused to align it to foreground: {found.reason}. If they do show the "
            "same thing, align them first, with osmofuse align and control points"
        )
    laid = Laid(found.transform, dict(settings), found.score, found.quality.note)
    return aligned_picture(foreground, background, found), laid


def aligned_picture(foreground: Picture, background: Picture, found: Alignment) -> Picture:
    """Return the background in the foreground's frame, at its resolution and place on the earth."""
    assert found.image is not None
    assert found.valid is not None
    assert found.transform is not None
    pixels = found.image
    if background.transparency:
        pixels, _ = warped(background.pixels, found.transform, foreground.shape)
    metadata = placed_like(background.metadata, foreground.metadata)
    return replace(background, metadata=metadata).with_pixels(pixels, found.valid)
