"""Alignment of a background to the foreground before a fusion."""

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

# Settings of an alignment that are not given.
DEFAULTS: Mapping[str, Any] = {"method": "auto", "transform": "homography", "deformation": False}


def checked_alignment(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return the checked settings of an alignment, completed by the defaults."""
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
    """Alignment of a background to the foreground."""

    transform: Transform  # from points (x, y) of the background to the foreground
    settings: Mapping[str, Any]
    score: float  # see `osmofuse.Alignment`
    note: str | None = None  # advice to look at it closely


def laid_over(
    foreground: Picture, background: Picture, settings: Mapping[str, Any], *, name: str
) -> tuple[Picture, Laid]:
    """Return a background in the foreground's frame, and its alignment; `name` is for messages."""
    found = align(foreground, background, **settings)
    if found.image is None or found.transform is None:
        raise MismatchError(
            f"{name}: refused to align it to foreground: {found.reason}. If they do show the "
            "same thing, align them first, with osmofuse align and control points"
        )
    laid = Laid(found.transform, dict(settings), found.score, found.quality.note)
    return aligned_picture(foreground, background, found), laid


def aligned_picture(foreground: Picture, background: Picture, found: Alignment) -> Picture:
    """Return the background in the foreground's frame, with its resolution and georeference."""
    assert found.image is not None
    assert found.valid is not None
    assert found.transform is not None
    pixels = found.image
    if background.transparency:
        pixels, _ = warped(background.pixels, found.transform, foreground.shape)
    metadata = placed_like(background.metadata, foreground.metadata)
    return replace(background, metadata=metadata).with_pixels(pixels, found.valid)
