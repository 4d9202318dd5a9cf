"""From a rough start to a fraction of a pixel: local shifts, taken away level by level."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from osmofuse.preparation.registration.agreement import Change, agreed_change
from osmofuse.preparation.registration.frame import Frame, frame_of
from osmofuse.preparation.registration.opencv import opencv
from osmofuse.preparation.registration.orientation import orientation
from osmofuse.preparation.registration.tiles import Shifts, local_shifts
from osmofuse.preparation.registration.transform import KINDS, Kind, carried, corners, normalised
from osmofuse.preparation.registration.views import View
from osmofuse.typing import BoolArray, FloatArray

_LEAST_TILES = 4
_SIGMA = 2.0
_FINE_SIGMA = 0.8
_HOPELESS = 2.5  # pixels that broad edges leave open at the corners, of no use to fine ones


@dataclass(frozen=True)
class Level:
    """Sampling: number of pixels, search radius, iterations."""

    pixels: int
    radius: int
    iterations: int


ROUGH = (Level(50_000, 14, 3), Level(100_000, 10, 3))
FINE = (Level(300_000, 8, 4), Level(2_000_000, 6, 4))
_SHARP = Level(2_000_000, 6, 4)


def tile_side(shape: tuple[int, int]) -> int:
    """Return the side of the tiles for a frame: small pictures need small ones."""
    return int(np.clip(min(shape) // 4, 32, 80))


def refined(
    moving: View, fixed: View, transform: FloatArray, kind: Kind, levels: tuple[Level, ...]
) -> FloatArray | None:
    """Take local shifts away until none is left.

    Parameters
    ----------
    moving, fixed : View
        The pictures.
    transform : array of shape (3, 3)
        Where to start: takes points of the moving picture to the fixed one.
    kind : {"translation", "similarity", "affine", "homography"}
        What the change may do. Where few tiles agree it does less.
    levels : tuple of Level
        One after another, coarse to fine.

    Returns
    -------
    array of shape (3, 3) or None
        The transform; None where the pictures came apart.
    """
    before = None
    for level in levels:
        frame = frame_of(moving, fixed, transform, level.pixels)
        if frame is None:
            return None
        if before is not None and frame.scale < 1.1 * before:
            break  # it was as fine already
        before = frame.scale
        found = _settled(frame, transform, kind, level, _SIGMA)
        if found is None:
            return None
        transform = found[0]
    return normalised(transform)


def sharpened(moving: View, fixed: View, transform: FloatArray, kind: Kind) -> FloatArray | None:
    """Refine a transform that is right to a pixel or two, by fine edges where they fix it better.

    Smoothed edges are found in spite of blur and noise. But smoothing mixes what both pictures
    show with what only one of them shows, a stain beside a letter, and that displaces edges.

    Parameters
    ----------
    moving, fixed, transform, kind
        As for `refined`.
    """
    blunt = refined(moving, fixed, transform, kind, FINE)
    frame = None if blunt is None else frame_of(moving, fixed, blunt, _SHARP.pixels)
    if blunt is None or frame is None:
        return blunt
    ends = corners(frame.shape)
    now = _change(frame, blunt, kind, _SHARP, orientation(frame.fixed, _SIGMA), _SIGMA)
    if now is None or now.error(ends) > _HOPELESS:
        return blunt
    found = _settled(frame, blunt, kind, _SHARP, _FINE_SIGMA)
    if found is None or now.kind != found[1].kind:
        return blunt
    return normalised(found[0]) if found[1].error(ends) < now.error(ends) else blunt


def _settled(
    frame: Frame, transform: FloatArray, kind: Kind, level: Level, sigma: float
) -> tuple[FloatArray, Change] | None:
    """Change a transform until little changes; return it and the last change."""
    target, ends = orientation(frame.fixed, sigma), corners(frame.shape)
    change = None
    for _ in range(level.iterations):
        change = _change(frame, transform, kind, level, target, sigma)
        if change is None:
            return None
        transform = frame.changed(transform, change.matrix)
        if not np.isfinite(transform).all():
            return None
        if np.abs(carried(change.matrix, ends) - ends).max() < 0.01:
            break
    return None if change is None else (transform, change)


def _change(
    frame: Frame, transform: FloatArray, kind: Kind, level: Level, target: FloatArray, sigma: float
) -> Change | None:
    here = orientation(frame.carried(transform), sigma)
    shifts = local_shifts(here, target, size=tile_side(frame.shape), radius=level.radius)
    if len(shifts) < _LEAST_TILES:
        return None
    keep = consensus(shifts)
    count = int(keep.sum())
    if count < _LEAST_TILES:
        return None
    # Eight parameters from few tiles would follow their errors.
    most: Kind = "similarity" if count < 8 else "affine" if count < 16 else "homography"
    allowed = KINDS[min(KINDS.index(kind), KINDS.index(most))]
    return agreed_change(shifts, allowed, keep)


def consensus(shifts: Shifts) -> BoolArray:
    """Return which tiles move together, within some pixels of one affine map."""
    cv2 = opencv()
    near = max(1.5, shifts.radius / 5)
    _, found = cv2.estimateAffine2D(
        shifts.centres + shifts.shifts,
        shifts.centres,
        method=cv2.RANSAC,
        ransacReprojThreshold=near,
        maxIters=2000,
        confidence=0.999,
    )
    if found is None:
        return np.zeros(len(shifts), np.bool_)
    return np.asarray(found.ravel() > 0)
