"""Refinement of a transform to a fraction of a pixel by local shifts, coarse to fine."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from osmofuse.registration.local_shifts import Shifts, local_shifts, orientation
from osmofuse.registration.opencv import opencv
from osmofuse.registration.transform import (
    KINDS,
    Deformation,
    Kind,
    basis,
    carried,
    corners,
    normalised,
    rates,
    scaling,
)
from osmofuse.registration.views import Frame, View, frame_of
from osmofuse.typing import BoolArray, FloatArray

_ROBUST_WIDTH = 1.5  # robust standard deviations at which a weight falls to a quarter
_REWEIGHTINGS = 12  # iterations of reweighted least squares
_OVERLAPPING = 4  # tiles overlap by half, so that four of them are about one observation


@dataclass(frozen=True, eq=False)
class Change:
    """Small change of a transform: a matrix from points of the frame to corrected positions.

    `weights` are the robust weights of the tiles; `covariance` is that of the parameters in units
    of `shrink`, the matrix from points of the frame to about [-1, 1].
    """

    matrix: FloatArray
    weights: FloatArray
    kind: Kind
    covariance: FloatArray
    shrink: FloatArray

    def error(self, points: FloatArray) -> float:
        """Return the mean standard error of the transform at points, in pixels."""
        scale = float(self.shrink[0, 0])
        slopes = rates(self.kind, points * scale + self.shrink[:2, 2]) / scale
        variance = np.einsum("nik,kl,nil->n", slopes, self.covariance, slopes)
        return float(np.sqrt(variance).mean())


def agreed_change(shifts: Shifts, kind: Kind, keep: BoolArray | None = None) -> Change:
    r"""Estimate the small change of a transform that removes the shifts, of the tiles in `keep`.

    .. math:: \min_G \sum_i w_i (G(p_i + d_i) - p_i)^\top W_i (G(p_i + d_i) - p_i)

    with weights :math:`w_i` that fall where a tile does not agree with the others. The covariance
    is that of weighted least squares with errors as large as they are found to be,
    :math:`A^{-1} (\sum_i g_i g_i^\top) A^{-1}` for the normal matrix :math:`A` and the slopes
    :math:`g_i` of the terms; a third too small where the weights follow the errors, and meant for
    comparing.
    """
    scale = float(np.abs(shifts.centres).max()) + 1.0
    centre = shifts.centres.mean(axis=0)
    points = (shifts.centres + shifts.shifts - centre) / scale
    roots = np.linalg.cholesky(shifts.information).transpose(0, 2, 1)
    slopes = roots @ (rates(kind, points) * scale)
    target = -(roots @ shifts.shifts[..., None])[..., 0]
    weights = shifts.peaks**2 * (1.0 if keep is None else keep)
    change = np.zeros(slopes.shape[2])
    robust = weights
    for _ in range(_REWEIGHTINGS):
        w = np.repeat(np.sqrt(robust), 2)[:, None]
        change = np.linalg.lstsq(
            w * slopes.reshape(len(w), -1), w[:, 0] * target.ravel(), rcond=1e-7
        )[0]
        off = np.sqrt(((slopes @ change - target) ** 2).sum(axis=1))
        spread = 1.48 * float(np.median(off[weights > 0])) + 1e-9
        robust = weights / (1 + (off / (_ROBUST_WIDTH * spread)) ** 2) ** 2
    shrink = scaling(1 / scale, -centre / scale)
    matrix = np.eye(3) + np.tensordot(change, basis(kind), 1)
    return Change(
        np.linalg.inv(shrink) @ matrix @ shrink,
        robust,
        kind,
        _covariance(slopes, slopes @ change - target, robust),
        shrink,
    )


def _covariance(slopes: FloatArray, off: FloatArray, weights: FloatArray) -> FloatArray:
    weighted = weights[:, None, None] * slopes
    inverse = np.linalg.pinv(np.einsum("nij,nik->jk", weighted, slopes), rcond=1e-12)
    g = np.einsum("nij,ni->nj", weighted, off)
    covariance: FloatArray = _OVERLAPPING * inverse @ (g.T @ g) @ inverse
    return covariance


_FEWEST_TILES = 4  # for any change
_BROAD_SIGMA = 2.0  # pixels: Gaussian before the gradient; resists blur and noise
# Pixels; narrow ones resist structure that only one picture shows. With 0.3 after 0.8, hardly any
# smoothing, errors on small pages are half as large; the second may be 0.3 to 0.5.
_FINE_SIGMAS = (0.8, 0.3)
_MOST_OPEN = 2.5  # pixels of standard error at the corners above which fine edges are not tried


@dataclass(frozen=True)
class Level:
    """Sampling: number of pixels, search radius, iterations."""

    pixels: int
    radius: int
    iterations: int


# Coarse to fine: larger search radii on smaller copies, for starts and for refined transforms.
ROUGH = (Level(50_000, 14, 3), Level(100_000, 10, 3))
FINE = (Level(300_000, 8, 4), Level(2_000_000, 6, 4))
_SHARP = FINE[-1]


def tile_side(shape: tuple[int, int]) -> int:
    """Return the side of the tiles for a frame: small pictures need small ones."""
    return int(np.clip(min(shape) // 4, 32, 80))


def refined(
    moving: View, fixed: View, transform: FloatArray, kind: Kind, levels: tuple[Level, ...]
) -> FloatArray | None:
    """Refine a transform by local shifts, level by level, coarse to fine.

    Where few tiles agree, the change is of a simpler kind. None if the pictures no longer overlap.
    """
    last = _refined(moving, fixed, transform, kind, levels)
    return None if last is None else normalised(last[1])


def _refined(
    moving: View, fixed: View, transform: FloatArray, kind: Kind, levels: tuple[Level, ...]
) -> tuple[Frame, FloatArray, Change] | None:
    """Return the last frame with the transform and the last change."""
    last = None
    for level in levels:
        frame = frame_of(moving, fixed, transform, level.pixels)
        if frame is None:
            return None
        if last is not None and frame.scale < 1.1 * last[0].scale:
            break  # the last level was as fine
        found = _settled(frame, transform, kind, level, _BROAD_SIGMA)
        if found is None:
            return None
        transform = found[0]
        last = frame, *found
    return last


def sharpened(moving: View, fixed: View, transform: FloatArray, kind: Kind) -> FloatArray | None:
    """Refine a transform, at last by finer edges while they determine it better.

    Smoothed edges are found in spite of blur and noise. But smoothing mixes what both pictures
    show with what only one of them shows, a stain beside a letter, and that displaces edges.
    """
    last = _refined(moving, fixed, transform, kind, FINE)
    if last is None:
        return None
    frame, best, now = last
    ends = corners(frame.shape)
    if now.error(ends) > _MOST_OPEN:
        return normalised(best)
    for sigma in _FINE_SIGMAS:
        found = _settled(frame, best, kind, _SHARP, sigma)
        if found is None or now.kind != found[1].kind or found[1].error(ends) >= now.error(ends):
            break
        best, now = found
    return normalised(best)


def _settled(
    frame: Frame, transform: FloatArray, kind: Kind, level: Level, sigma: float
) -> tuple[FloatArray, Change] | None:
    """Iterate until the change is small; return the transform and the last change."""
    target, ends = orientation(frame.fixed, sigma), corners(frame.shape)
    change = None
    for _ in range(level.iterations):
        change = _agreed(frame, transform, kind, level, target, sigma)
        if change is None:
            return None
        transform = frame.changed(transform, change.matrix)
        if not np.isfinite(transform).all():
            return None
        if np.abs(carried(change.matrix, ends) - ends).max() < 0.01:
            break
    return None if change is None else (transform, change)


def _agreed(
    frame: Frame, transform: FloatArray, kind: Kind, level: Level, target: FloatArray, sigma: float
) -> Change | None:
    here = orientation(frame.carried(transform), sigma)
    shifts = local_shifts(here, target, size=tile_side(frame.shape), radius=level.radius)
    if len(shifts) < _FEWEST_TILES:
        return None
    keep = consensus(shifts)
    count = int(keep.sum())
    if count < _FEWEST_TILES:
        return None
    # Eight parameters from few tiles would follow their errors.
    most: Kind = "similarity" if count < 8 else "affine" if count < 16 else "homography"
    allowed = KINDS[min(KINDS.index(kind), KINDS.index(most))]
    return agreed_change(shifts, allowed, keep)


def consensus(shifts: Shifts) -> BoolArray:
    """Return the inliers of an affine map of the tiles (RANSAC)."""
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


_GRID = 25  # nodes of a deformation along the longer side
_FIELD_RADIUS = 10  # pixels: search radius of its tiles
_FIELD_TILE = 56  # pixels: their side
_STIFFNESS = 1.0  # of the thin plate, against the errors of the tiles
_FIELD_ROUNDS = 3  # estimates, each from the remaining shifts


def residual_field(
    frame: Frame, transform: FloatArray, shape: tuple[int, int]
) -> Deformation | None:
    """Estimate the smooth field that removes the shifts left by a transform.

    A thin-plate spline with smoothing is fitted to the shifts of tiles, which are then measured
    again. `shape` is that of the fixed picture. None where too few tiles have structure.
    """
    target = orientation(frame.fixed, _BROAD_SIGMA)
    field = None
    for _ in range(_FIELD_ROUNDS):
        shifts = local_shifts(
            orientation(frame.carried(transform, field), _BROAD_SIGMA),
            target,
            size=_FIELD_TILE,
            radius=_FIELD_RADIUS,
        )
        good = _in_step(shifts.centres, shifts.shifts)
        if np.count_nonzero(good) < 12:
            return field
        places = (shifts.centres[good] - frame.matrix[:2, 2]) / frame.scale
        moved = shifts.shifts[good] / frame.scale
        if field is not None:
            moved = moved + field.at(places)
        field = _plate(places, moved, shape)
    return field


def _in_step(centres: FloatArray, shifts: FloatArray) -> FloatArray:
    """Return the tiles whose shift is near the median of their neighbours."""
    from scipy.spatial import cKDTree

    if len(centres) < 8:
        return np.zeros(len(centres), np.bool_)
    _, near = cKDTree(centres).query(centres, k=8)
    off = np.hypot(*(shifts - np.median(shifts[near], axis=1)).T)
    return np.asarray(off < 1.5)


def _plate(places: FloatArray, moved: FloatArray, shape: tuple[int, int]) -> Deformation:
    from scipy.interpolate import RBFInterpolator

    longer = max(shape)
    rows, cols = (max(2, round(_GRID * side / longer)) for side in shape)
    down, across = np.meshgrid(
        np.linspace(0, shape[0] - 1, rows), np.linspace(0, shape[1] - 1, cols), indexing="ij"
    )
    nodes = np.column_stack([across.ravel(), down.ravel()])
    plate = RBFInterpolator(
        places / longer, moved, kernel="thin_plate_spline", smoothing=_STIFFNESS / len(places)
    )
    # Beyond the outermost tiles a plate would swing freely.
    held = np.clip(nodes, places.min(axis=0), places.max(axis=0))
    return Deformation(plate(held / longer).reshape(rows, cols, 2).astype(np.float32), shape)
