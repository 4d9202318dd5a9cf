"""A picture laid over another on its way into a job, and what a record says of that."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from osmofuse.checks import choice, mapping
from osmofuse.errors import MismatchError, SettingError, did_you_mean
from osmofuse.io.geography import placed_like
from osmofuse.picture import Picture
from osmofuse.preparation.registration import Alignment, Transform, align, warped
from osmofuse.preparation.registration.chain import METHODS
from osmofuse.preparation.registration.transform import KINDS

# How a picture is laid over another where nothing else is said.
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
    choice("align: method", found["method"], tuple(m for m in METHODS if m != "points"))
    choice("align: transform", found["transform"], KINDS)
    choice("align: deformation", found["deformation"], (False, True))
    return found


def laid_over(
    moving: Picture, fixed: Picture, settings: Mapping[str, Any], names: tuple[str, str]
) -> tuple[Picture, dict[str, Any]]:
    """Return a picture in another's frame, and what the record says of how it came there.

    Raises
    ------
    MismatchError
        No transform can be trusted; `names` say of what.
    MissingExtraError
        OpenCV is not installed.
    """
    found = align(moving, fixed, **settings)
    if found.image is None or found.transform is None:
        raise MismatchError(
            f"{names[0]}: refused to align it to {names[1]}: {found.reason}. If they do show the "
            "same thing, align them first, with osmofuse align and control points"
        )
    entry = transform_entry(found.transform) | {"settings": dict(settings), "score": found.score}
    return aligned_picture(moving, fixed, found), entry


def aligned_picture(moving: Picture, fixed: Picture, found: Alignment) -> Picture:
    """Return the moving picture in the other's frame, at its resolution and place on the earth."""
    assert found.image is not None
    assert found.valid is not None
    assert found.transform is not None
    pixels = found.image
    if moving.transparency:
        pixels, _ = warped(moving.pixels, found.transform, fixed.shape)
    metadata = placed_like(moving.metadata, fixed.metadata)
    return replace(moving, metadata=metadata).with_pixels(pixels, found.valid)


def transform_entry(transform: Transform) -> dict[str, Any]:
    """Return a transform as a record has it; points are (x, y), from moving to fixed."""
    bent = transform.deformation
    field = bent and {"shape": bent.shape, "shifts": bent.shifts}
    return {"kind": transform.kind, "matrix": transform.matrix, "deformation": field}
